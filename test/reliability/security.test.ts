// Tests the claims in SECURITY.md.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { explainPage } from '../../extension/explain/explain-page.ts';
import { Statistics } from '../../extension/statistics/statistics.ts';
import { statisticsPage } from '../../extension/statistics/statistics-page.ts';
import { defaultPace } from '../../language-server/offers/document-offers.ts';
import { CompletionProvider } from '../../language-server/offers/provider.ts';
import { defaultSettings } from '../../language-server/protocol/settings.ts';
import { RelatedCode } from '../../language-server/related-code/related-code.ts';
import { loadEngine } from '../../native/index.ts';
import { FakeEngine, loaded } from '../fixtures/fake-engine.ts';
import { FakeWindow } from '../language-server/editor-window.ts';
import type { FrameClient } from './frame-client.ts';
import { starterModel, startServer } from './real-server.ts';
import { claims } from './security-claims.ts';

const root = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const properties: Record<string, { scope: string; type: string }> = manifest.contributes.configuration.properties;
// Made up at run time, so that no scanner of repositories takes it for a real key.
const secret = ['ghp', `${'kQ7vR2mX9'.repeat(4)}`].join('_');
const folder = mkdtempSync(join(tmpdir(), 'hearth-security-'));
let client: FrameClient | null = null;

afterEach(() => {
  client?.child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('a workspace can set no path, no address and nothing about the machine', () => {
  const own = Object.keys(properties).filter((key) =>
    /path|model|url|mirror|folder|server|engine|cache|backend/i.test(key),
  );
  expect(own.length).toBeGreaterThan(9);
  for (const key of own) expect(properties[key]?.scope, key).toBe('application');
  // The other settings say when suggestions come and which files get none.
  const others = Object.keys(properties).filter((key) => properties[key]?.scope !== 'application');
  expect(others.sort()).toEqual(['hearth.exclude', 'hearth.mode']);
  const paths = own.filter((key) => /path|url|mirror/i.test(key));
  const restricted: string[] = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  expect(restricted).toEqual(expect.arrayContaining(paths));
});

/** The shipped source files in which the pattern is found. */
function sourcesWith(pattern: RegExp): string[] {
  const sources = ['extension', 'language-server', 'native'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${room}/${name}`),
  );
  expect(sources.length).toBeGreaterThan(100);
  return sources.filter((path) => pattern.test(readFileSync(join(root, path), 'utf8')));
}

test('the shipped code starts no shell and runs no text as code', () => {
  const dangerous =
    /\beval\(|new Function\(|\bvm\b.*node:vm|shell: *true|\bexec(?:Sync)?\(\s*['"`]|dangerouslySetInnerHTML/;
  expect(sourcesWith(dangerous)).toEqual([]);
});

test("only downloads and a team's server use the network", () => {
  const network = /\bfetch\(|(from |import\()'(node:)?(https?|http2|tls|dgram|undici)'|\bWebSocket\(/;
  const users = sourcesWith(network);
  expect(users.length).toBeGreaterThan(1);
  expect(users.filter((path) => !/^(extension\/download|language-server\/remote)\//.test(path))).toEqual([]);
});

test('statistics are for their owner alone', async () => {
  const own = join(folder, 'statistics');
  await new Statistics(own, expect.unreachable).add(new Date(), { languageId: 'rust', latencyMs: 1 });
  const paths = [own, ...readdirSync(own).map((name) => join(own, name))];
  expect(paths).toHaveLength(2);
  for (const path of paths) expect(statSync(path).mode & 0o077, path).toBe(0);
});

test('every sentence of SECURITY.md is shown by tests, or says that it is not', () => {
  const sentences = sentencesOf(readFileSync(join(root, 'SECURITY.md'), 'utf8'));
  const keysOf = (sentence: string) => Object.keys(claims).filter((words) => sentence.startsWith(words));
  expect(sentences.filter((sentence) => keysOf(sentence).length !== 1)).toEqual([]);
  expect(sentences.flatMap(keysOf).toSorted()).toEqual(Object.keys(claims).toSorted());
  const untested = sentences.filter((sentence) => keysOf(sentence).some((words) => claims[words] === 'by design'));
  expect(untested.filter((sentence) => !sentence.includes('*by design*'))).toEqual([]);
  const evidence = Object.values(claims).flatMap((each) => (Array.isArray(each) ? each : []));
  const missing = evidence.filter(([file, title]) => {
    const paths = testFiles().filter((path) => path.endsWith(`/${file}`));
    return !paths.some((path) => readFileSync(join(root, path), 'utf8').includes(title));
  });
  expect(missing).toEqual([]);
});

const testFiles = () => readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).map((f) => `/test/${f}`);

test('the tests that SECURITY.md names are there', () => {
  const files = testFiles();
  const named = readFileSync(join(root, 'SECURITY.md'), 'utf8').match(/[\w./-]+(\.test\.ts|_fuzz\.cc)/g) ?? [];
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
});

/** The sentences in paragraphs and lists, without the Markdown marks before them. */
function sentencesOf(text: string): string[] {
  const blocks = text.split(/\n\n+|\n(?=- |#)/).filter((block) => block !== '' && !block.startsWith('#'));
  return blocks
    .map((block) => block.replace(/^- /, '').replaceAll('**', '').replace(/\s+/g, ' ').trim())
    .flatMap((block) => block.split(/(?<=[.)])(?<!\()\s+(?=[A-Z`])/));
}

test('no page of Hearth loads, sends or frames anything', () => {
  for (const page of [explainPage(), statisticsPage(new Map(), new Date(), 'en')]) {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  }
});

test('a secret in one file is in no prompt for another, and the engine does not learn it', async () => {
  const engine = new FakeEngine({ contextTokens: 16_384, respond: () => 'answer();' });
  const head = "import { connect } from './connect';\n\nconst token = ";
  const files = {
    'main.ts': head,
    '.env': `TOKEN=${secret}\n`,
    'config/.env.local': `TOKEN=${secret}\n`,
    'connect.ts': `export function connect() {\n  const token = '${secret}';\n  return open(token);\n}\n`,
    'other.ts': 'export function connect() {\n  return open(token);\n}\n',
  };
  const window = new FakeWindow({ files });
  const provider = new CompletionProvider({ related: new RelatedCode(window) }, { ...defaultPace, restMs: 1 });
  const visit = async (name: string, offset: number) => {
    const document = window.document(name);
    const at = { document, position: document.positionAt(offset) };
    await provider.rest(at, { local: engine }, defaultSettings);
    const request = { ...at, context: { triggerKind: 2 as const } };
    return provider.provide(request, loaded(engine), () => defaultSettings);
  };
  expect((await visit('.env', 6)).reason).toBe('secrets-file');
  expect((await visit('config/.env.local', 6)).reason).toBe('secrets-file');
  await visit('main.ts', head.length);
  await visit('main.ts', head.length);
  const prompts = engine.requests
    .map(({ tokens }) => engine.detokenize(tokens))
    .concat(engine.prefilled.map(({ text }) => text));
  expect(prompts.some((prompt) => prompt.includes('other.ts'))).toBe(true);
  expect(prompts.filter((prompt) => prompt.includes(secret))).toEqual([]);
  // The document itself is completed: its text goes only to the model in this process.
  expect((await visit('connect.ts', 40)).reason).not.toBe('secrets-file');
  await visit('main.ts', head.length);
  await expect.poll(() => engine.learned.length).toBeGreaterThan(0);
  expect(engine.learned.filter((text) => text.includes(secret))).toEqual([]);
});

test('a planted secret is not in the log, the disk cache or a report', async () => {
  client = await startServer({ 'cache.diskMiB': 64 }, { storageFolder: folder });
  const code = Array.from({ length: 60 }, (_, i) => `const value${i} = compute(input${i});`).join('\n');
  const withSecret = `${code}\nconst token = '${secret}';\nconst next = `;
  for (const [uri, text] of [
    ['file:///w/.env', `TOKEN=${secret}\n`],
    ['file:///w/a.ts', withSecret],
    ['file:///w/b.ts', `${code}\n`],
  ] as const) {
    await client.open(uri, text);
    const line = text.split('\n').length - 1;
    await client.notify('hearth/cursor', { uri, position: { line, character: 0 } });
    const { result } = await client.reply(await client.ask(uri, line, 0));
    expect(result).toMatchObject({ reason: uri.endsWith('b.ts') ? expect.any(String) : 'secrets-file' });
    await client.request('hearth/explain', {
      id: 1,
      uri,
      text,
      languageId: 'typescript',
      turns: [{ answer: '' }],
      attempt: 0,
    });
  }
  const { result: report } = await client.request('hearth/doctor', {});
  expect(String(report)).toContain('starter');
  const said = JSON.stringify(client.notices) + String(report);
  expect(said.length).toBeGreaterThan(1000);
  expect(said).not.toContain(secret);
  expect(await client.stop()).toBe(0);
  expect(client.stderr).not.toContain(secret);

  const engine = await loadEngine({ modelPath: starterModel });
  const inFiles = (text: string) => {
    const tokens = Buffer.from(engine.tokenize(text).slice(1, 9).buffer);
    return files().some((path) => readFileSync(path).includes(tokens));
  };
  const files = () => readdirSync(join(folder, 'pages')).map((name) => join(folder, 'pages', name));
  expect(files()).toHaveLength(1);
  expect(inFiles(' = compute(input20);\nconst value21 = compute(')).toBe(true);
  expect(inFiles(secret)).toBe(false);
  await engine.close();
  for (const path of files()) expect(statSync(path).mode & 0o077, 'for the owner alone').toBe(0);
  expect(statSync(join(folder, 'pages')).mode & 0o077).toBe(0);
});
