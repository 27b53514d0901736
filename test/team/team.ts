// The bundle that test/team/run.mjs uses: Hearth's behaviour with a team's server, one function per behaviour. Each
// resolves to the text for the table, or throws if the server or Hearth does not do what a team needs.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { InlineCompletionTriggerKind } from 'vscode-languageserver/node';
import { OpenDocument } from '../../language-server/documents/open-document.ts';
import { loadModel } from '../../language-server/engine/load-model.ts';
import { CompletionProvider } from '../../language-server/offers/provider.ts';
import { defaultSettings } from '../../language-server/protocol/settings.ts';
import { CompletionsApi } from '../../language-server/remote/completions-api.ts';
import type { Piece } from '../../language-server/remote/event-stream.ts';
import { describe } from '../../language-server/remote/server-model.ts';
import { Team } from '../../language-server/remote/team.ts';
import { Connection } from '../../language-server/remote/team-connection.ts';
import type { Engine } from '../../native/index.ts';

const settings = { ...defaultSettings, 'completion.confidence': 'eager' as const };

export interface Subject {
  url: string;
  model: string;
  credential: string;
  /**
   * The process groups of the server and, if it is a gateway, of the engine behind it. Absent if they must not be
   * stopped.
   */
  group?: number;
  engine?: number;
}

export const loadLocal = async (modelPath: string): Promise<Engine> => (await loadModel({ modelPath })).engine;

/** One completion through Hearth's own client, without a document. */
async function ask(
  subject: Subject,
  prompt: string,
  more: { max_tokens: number; stop?: string[] },
  breakAt = Infinity,
) {
  const connection = new Connection(subject);
  const signal = AbortSignal.timeout(60_000);
  try {
    const { id } = await describe(connection, subject.model, signal);
    const api = new CompletionsApi(connection, id);
    const pieces: Piece[] = [];
    const startedAt = performance.now();
    let firstMs = 0;
    for await (const piece of api.stream({ prompt, temperature: 0, ...more }, 30_000, signal)) {
      pieces.push(piece);
      if (piece.text !== '') firstMs ||= performance.now() - startedAt;
      if (pieces.length >= breakAt) break;
    }
    const text = pieces.map((piece) => piece.text).join('');
    const usage = pieces.find((piece) => piece.usage)?.usage;
    return { pieces, text, usage, firstMs, givesProbabilities: api.givesProbabilities };
  } finally {
    connection.close();
  }
}

type Trouble = 'slow' | 'truncated' | 'redirected' | 'HTML' | 'JSON';

/** A gateway in front of the server; on command, it causes errors. */
async function gateway({ url }: Subject, trouble: Trouble) {
  const state = { isTroubled: false };
  const http = createServer((asked, answer) => {
    const isHit = state.isTroubled && asked.method === 'POST';
    if (isHit && trouble === 'redirected') return void answer.writeHead(307, { location: `${url}${asked.url}` }).end();
    if (isHit && trouble === 'HTML')
      return void answer.setHeader('content-type', 'text/html').end('<html>Sign in</html>');
    if (isHit && trouble === 'JSON')
      return void answer.setHeader('content-type', 'application/json').end('{"error":"no"}');
    const headers = { ...asked.headers, host: new URL(url).host };
    const options = { method: asked.method, headers, rejectUnauthorized: false };
    const onward = (url.startsWith('https:') ? tlsRequest : request)(url + asked.url, options, async (response) => {
      if (isHit && trouble === 'slow') await sleep(5000);
      answer.writeHead(response.statusCode ?? 502, response.headers);
      if (!isHit || trouble !== 'truncated') return void response.pipe(answer);
      response.once('data', (bytes: Buffer) =>
        answer.write(bytes.subarray(0, bytes.length >> 1), () => answer.destroy()),
      );
    });
    answer.on('close', () => onward.destroy());
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const close = () => {
    http.closeAllConnections();
    http.close();
  };
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, state, close };
}

/** Types into a document and notes where each text comes from and when. */
class Typist {
  readonly messages: string[] = [];
  readonly team: Team;
  private readonly provider = new CompletionProvider();
  private version = 0;

  constructor(
    subject: Subject,
    private readonly local: Engine,
  ) {
    this.team = new Team(subject, (message) => this.messages.push(message));
  }

  async key(): Promise<{ from: 'server' | 'local'; ms: number; text: string }> {
    const text = `# Version ${this.version}.\ndef add(a, b):\n    """Add two numbers."""\n    return a`;
    const document = OpenDocument.create(
      'file:///team.py',
      'python',
      this.version++,
      `${text}\n\n\nprint(add(1, 2))\n`,
    );
    const position = document.positionAt(text.length);
    const models = { local: this.local, remote: () => this.team.completer(this.local) };
    const source = { ready: async () => models, isLoading: () => false };
    const context = { triggerKind: InlineCompletionTriggerKind.Automatic };
    const startedAt = performance.now();
    const { items } = await this.provider.provide({ document, position, context }, source, () => settings);
    const from = this.team.info(this.local).device === 'server' ? 'server' : 'local';
    return { from, ms: performance.now() - startedAt, text: String(items[0]?.insertText ?? '') };
  }

  close(): void {
    this.provider.close();
    this.team.close();
  }
}

async function withTypist<T>(subject: Subject, local: Engine, use: (typist: Typist) => Promise<T>): Promise<T> {
  const typist = new Typist(subject, local);
  try {
    await typist.team.tried;
    return await use(typist);
  } finally {
    typist.close();
  }
}

const ms = (time: number) => `${time.toFixed(0)} ms`;

/** Presses a key that the server answers. A busy machine may need several. */
async function keyOfServer(typist: Typist) {
  for (let tries = 0; ; tries++) {
    const key = await typist.key();
    if (key.from === 'server') return key;
    assert.ok(tries < 20, typist.messages.join(' '));
    await sleep(500);
  }
}

/** The first key gets its text from the server, the next ones from the local model, in a time that a person accepts. */
async function takesOver(typist: Typist, trouble: () => void): Promise<string> {
  await keyOfServer(typist);
  trouble();
  const first = await typist.key();
  const second = await typist.key();
  assert.deepEqual([first.from, second.from], ['local', 'local']);
  assert.ok(first.ms < 3500 && second.ms < 2000, `${ms(first.ms)}, then ${ms(second.ms)}`);
  assert.notEqual(second.text, '');
  return `local after ${ms(first.ms)}, then ${ms(second.ms)}`;
}

const behind = (trouble: Trouble) => async (subject: Subject, local: Engine) => {
  const between = await gateway(subject, trouble);
  try {
    return await withTypist({ ...subject, url: between.url }, local, (typist) =>
      takesOver(typist, () => {
        between.state.isTroubled = true;
      }),
    );
  } finally {
    between.close();
  }
};

const refused = (changes: Partial<Subject>) => (subject: Subject, local: Engine) =>
  withTypist({ ...subject, ...changes }, local, async (typist) => {
    for (let tries = 0; tries < 4; tries++) {
      if ((await typist.key()).from === 'server') return 'accepted by the server';
      await sleep(500);
    }
    return typist.team.info(local).fallbackReason.replace(/^\S+ /, '');
  });

const stopped =
  (signal: 'SIGSTOP' | 'SIGKILL', whose: 'group' | 'engine' = 'group') =>
  (subject: Subject, local: Engine) =>
    withTypist(subject, local, async (typist) => {
      const group = subject[whose];
      if (group === undefined) return 'not tried';
      try {
        return await takesOver(typist, () => process.kill(-group, signal));
      } finally {
        if (signal === 'SIGSTOP') process.kill(-group, 'SIGCONT');
      }
    });

const counting = '# The numbers from 1 to 10000\n1\n2\n3\n';
const long = Array.from({ length: 80 }, (_, i) => `value${i} = compute(${i * 7919})\n`).join('');

/** The behaviours in this order, since each of the last two ends the server. */
export const behaviours: Record<string, (subject: Subject, local: Engine) => Promise<string>> = {
  completes: (subject, local) =>
    withTypist(subject, local, async (typist) => {
      const { ms: time, text } = await keyOfServer(typist);
      return `${JSON.stringify(text)} after ${ms(time)}`;
    }),
  streams: async (subject) => {
    const { pieces, firstMs } = await ask(subject, counting, { max_tokens: 32 });
    const texts = pieces.filter(({ text }) => text !== '').length;
    assert.ok(texts > 4, `${texts} pieces`);
    return `32 tokens in ${texts} pieces, the first after ${ms(firstMs)}`;
  },
  stops: async (subject) => {
    const { text, pieces, usage } = await ask(subject, counting, { max_tokens: 64, stop: ['\n'] });
    assert.ok(!text.includes('\n') && pieces.some(({ finishReason }) => finishReason === 'stop'), text);
    return usage ? `after ${usage.completionTokens} of 64 tokens` : 'before the line ends';
  },
  cancels: async (subject) => {
    await ask(subject, counting, { max_tokens: 2000 }, 4);
    const { firstMs } = await ask(subject, 'def add(a, b):\n    return a', { max_tokens: 1 });
    assert.ok(firstMs < 2000, `the next one waited for ${ms(firstMs)}`);
    return `the next one after ${ms(firstMs)}`;
  },
  'cache hits': async (subject) => {
    const prompt = `# ${performance.now()}\n${long}`;
    const cold = await ask(subject, prompt, { max_tokens: 1 });
    const { usage, firstMs } = await ask(subject, `${prompt}value`, { max_tokens: 1 });
    const times = `${ms(cold.firstMs)}, then ${ms(firstMs)}`;
    return usage?.cachedTokens
      ? `${usage.cachedTokens} of ${usage.promptTokens} tokens; ${times}`
      : `not said; ${times}`;
  },
  'log-probabilities': async (subject) => {
    const { givesProbabilities } = await ask(subject, counting, { max_tokens: 4 });
    return givesProbabilities ? 'sent' : 'none: Hearth says so, and hides nothing';
  },
  'wrong token': refused({ credential: 'wrong' }),
  'wrong model': refused({ model: 'no-such-model' }),
  slow: behind('slow'),
  truncated: behind('truncated'),
  redirected: behind('redirected'),
  HTML: behind('HTML'),
  JSON: behind('JSON'),
  frozen: stopped('SIGSTOP'),
  'engine behind it frozen': stopped('SIGSTOP', 'engine'),
  killed: stopped('SIGKILL'),
  'engine behind it killed': stopped('SIGKILL', 'engine'),
};
