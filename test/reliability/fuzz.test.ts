// Random inputs made from a seed: documents for the prompt builder, messages for the server.
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import { LongText } from '../../language-server/documents/long-text.ts';
import { Anchors } from '../../language-server/prompt/anchors.ts';
import { Server } from '../../language-server/server/server.ts';
import { FakeEngine, fakeSpecial, fakeTraits } from '../fixtures/fake-engine.ts';
import { type Random, random } from '../support/random.ts';
import { frame } from './frame-client.ts';
import { patienceMs, tries } from './scale.ts';

beforeAll(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {}); // reasons why connections were closed
});
afterAll(() => {
  vi.restoreAllMocks();
});

const oddities = [
  '<|fim_prefix|>',
  '<|fim_middle|>',
  '<|file_sep|>',
  '\r\n',
  '\n',
  '\r',
  '\u0000',
  '\ud83d',
  '🔥',
  'é',
  '\u2028',
  '    ',
  '\t',
  '}',
  '"',
  'word',
  'x'.repeat(500),
];

/** Like a real tokenizer, never reads text as a special token. */
class ByteEngine extends FakeEngine {
  override tokenize(text: string): Uint32Array {
    return Uint32Array.from(Buffer.from(text));
  }
}

function oddText(r: Random, pieces: number): string {
  return Array.from({ length: r.below(pieces) }, () => r.pick(oddities)).join('');
}

test('the prompt of any document has its parts in order, within the limits', { timeout: patienceMs }, () => {
  const count = tries(400, 400_000);
  for (let seed = 1; seed <= count; seed++) {
    const r = random(seed);
    const contextTokens = r.pick([256, 640, 4096]);
    const engine = new ByteEngine({ contextTokens });
    const anchors = new Anchors(engine);
    let text = oddText(r, 200);
    for (let step = 0; step < 4; step++) {
      const offset = r.below(text.length + 1);
      const place = { uri: 'file:///a.ts', languageId: 'typescript', text: LongText.of(text), offset };
      const { tokens, heal = new Uint8Array() } = r.chance(0.3) ? anchors.promptAhead(place) : anchors.prompt(place);
      const at = (token: number) => [...tokens.keys()].filter((i) => tokens[i] === token);
      const [prefix, suffix, middle] = [fakeSpecial.fimPrefix, fakeSpecial.fimSuffix, fakeSpecial.fimMiddle].map(at);
      expect([prefix?.length, suffix?.length, middle?.length], `seed ${seed}`).toEqual([1, 1, 1]);
      expect(prefix![0]! < suffix![0]! && suffix![0]! < middle![0]!, `seed ${seed}`).toBe(true);
      expect(tokens.length, `seed ${seed}`).toBeLessThan(contextTokens);
      // The given text ends at the cursor.
      const given = Buffer.concat([Buffer.from(tokens.subarray(middle![0]! + 1)), Buffer.from(heal)]).toString();
      const before = Buffer.from(text.slice(0, offset).replaceAll('\r\n', '\n')).toString();
      const isSplit = /[\ud800-\udbff]$/.test(text.slice(0, offset)) || /\r$/.test(text.slice(0, offset));
      if (!isSplit) expect(before.endsWith(given), `seed ${seed}: ${JSON.stringify(given)}`).toBe(true);
      const prefill = anchors.nextPrefill(place);
      expect((prefill?.tokens.length ?? 0) < contextTokens).toBe(true);
      prefill?.done();
      const typed = oddText(r, 4);
      text = r.chance(0.8)
        ? text.slice(0, offset) + typed + text.slice(offset)
        : text.slice(0, offset) + text.slice(offset + r.below(40));
    }
  }
});

const methods = [
  'textDocument/didOpen',
  'textDocument/didChange',
  'textDocument/didClose',
  'textDocument/inlineCompletion',
  'hearth/cursor',
  'hearth/leave',
  'hearth/closedFiles',
  'hearth/settings',
  'hearth/explain',
  'hearth/nextEdit',
  'hearth/dismissEdit',
  'hearth/models',
  '$/cancelRequest',
  '$/setTrace',
  'workspace/didChangeWorkspaceFolders',
  'initialized',
  'hearth/none',
];

function oddValue(r: Random, depth = 0): unknown {
  const kind = r.below(depth > 3 ? 7 : 9);
  if (kind < 7) return [null, true, -1, 1e300, 'file:///a.ts', '', r.below(100)][kind];
  if (kind === 7) return Array.from({ length: r.below(3) }, () => oddValue(r, depth + 1));
  const keys = [
    'textDocument',
    'uri',
    'position',
    'line',
    'character',
    'text',
    'contentChanges',
    'range',
    'start',
    'end',
  ];
  const others = [
    'context',
    'triggerKind',
    'version',
    'id',
    'turns',
    'languageId',
    'dismissed',
    'settings',
    'mode',
    'event',
    'trigger',
    'files',
    'isAnew',
    'newText',
  ];
  return Object.fromEntries(
    Array.from({ length: r.below(6) }, () => [r.pick([...keys, ...others]), oddValue(r, depth + 1)]),
  );
}

function oddMessage(r: Random): string {
  const id = r.chance(0.6) ? { id: r.pick([r.below(50), 'a', null, -1]) } : {};
  const body = JSON.stringify({ jsonrpc: '2.0', ...id, method: r.pick(methods), params: oddValue(r) });
  if (r.chance(0.85)) return frame(body);
  const cut = r.below(body.length);
  const damaged = r.pick([
    body.slice(0, cut),
    body.slice(0, cut) + r.pick(oddities) + body.slice(cut),
    '{',
    '[]',
    '""',
  ]);
  return r.chance(0.7) ? frame(damaged) : frame(damaged).replace(/\d+/, r.pick(['-5', '0', 'x', '1e3', '99', '']));
}

test('any bytes leave the server alive or end the connection, and it frees what it held', {
  timeout: patienceMs,
}, async () => {
  const parts = {
    loadModel: () => Promise.resolve({ engine: new FakeEngine({ respond: () => 'answer();' }), traits: fakeTraits }),
    addonInfo: () => ({ variants: [], gpus: async () => '' }),
    bundledModel: 'bundled',
  };
  const server = new Server(parts);
  let closed = 0;
  const count = tries(300, 100_000);
  for (let seed = 1; seed <= count; seed++) {
    const r = random(seed);
    const [input, output] = [new PassThrough(), new PassThrough()];
    output.resume();
    const ended = new Promise<void>((resolve) => {
      server.connect(new StreamMessageReader(input), new StreamMessageWriter(output), input, () => {
        closed++;
        resolve();
      });
    });
    input.write(frame(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { capabilities: {} } })));
    input.write(frame(JSON.stringify({ jsonrpc: '2.0', method: 'initialized', params: {} })));
    for (let i = 0; i < 12; i++) {
      input.write(Buffer.from(oddMessage(r), r.chance(0.9) ? 'utf8' : 'latin1'));
      if (r.chance(0.2)) await new Promise((resolve) => setImmediate(resolve));
    }
    input.end();
    await ended;
  }
  expect(closed).toBeGreaterThanOrEqual(count);
  // It still serves.
  const [input, output] = [new PassThrough(), new PassThrough()];
  server.connect(new StreamMessageReader(input), new StreamMessageWriter(output), input, () => {});
  input.write(frame(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'initialize', params: { capabilities: {} } })));
  const [data] = (await once(output, 'data')) as [Buffer];
  expect(data.toString()).toContain('Content-Length');
});
