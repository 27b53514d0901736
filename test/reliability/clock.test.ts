// The clock is set forward or back: by a user, by time synchronization, or when a virtual machine is resumed.

import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Statistics } from '../../extension/statistics/statistics.ts';
import { LongText } from '../../language-server/documents/long-text.ts';
import { Endpoint } from '../../language-server/protocol/endpoint.ts';
import { RelatedCode } from '../../language-server/related-code/related-code.ts';
import { FakeWindow } from '../language-server/editor-window.ts';

const dayMs = 24 * 3_600_000;
const main = "import { UserStore } from './store';\n\nconst store = new UserStore();\nstore.insertUser(";

/** The files whose code is used, most useful first, after an unrelated file was edited and the clock was changed. */
async function order(jumpMs: number): Promise<string[]> {
  const files = {
    'main.ts': main,
    'store.ts': 'export class UserStore {\n  insertUser(user) {\n    this.users.push(user);\n  }\n}\n',
    'shapes.ts': 'export function area(width, height) {\n  return width * height;\n}\n',
  };
  const window = new FakeWindow({ files });
  let nowMs = 1_800_000_000_000;
  const related = new RelatedCode(window, null, () => nowMs);
  const gather = (name: string, text: string) => {
    const { uri, languageId } = window.document(name);
    return related.gather({ uri, languageId, text: LongText.of(text), offset: text.length }, { before: 10, after: 10 });
  };
  await gather('main.ts', main);
  const edited = `${files['shapes.ts']}\nexport const unit = 1;\n`;
  window.edit('shapes.ts', edited);
  await gather('shapes.ts', edited);
  nowMs += jumpMs;
  return (await gather('main.ts', main)).map(({ path }) => path).filter((path) => path !== 'main.ts');
}

test.each([-3650 * dayMs, -dayMs, -3000, dayMs, 3650 * dayMs])(
  'code is ranked by use after a jump of %i ms',
  async (jumpMs) => {
    expect((await order(jumpMs))[0]).toBe((await order(0))[0]);
    expect((await order(jumpMs))[0]).toBe('store.ts');
  },
);

test('counts made at any clock time are kept once, for thirty days by the clock', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-clock-'));
  const statistics = new Statistics(folder, () => undefined);
  const add = async (days: string[]) => {
    for (const day of days) await statistics.add(new Date(day), { languageId: 'rust', latencyMs: 1 });
    return [...statistics.read().values()].flat();
  };
  expect(await add(['2026-03-01', '2026-02-10', '2026-03-05', '2026-02-25', '2026-03-01'])).toHaveLength(5);
  // Far in the future all counts are old; counts made then stay until they are old, too.
  expect(await add(['2099-12-31', '1970-01-01', '2026-03-01'])).toHaveLength(2);
  rmSync(folder, { recursive: true });
});

/** An endpoint, and servers that are about to start there. */
async function endpointIn(folder: string, count: number) {
  const endpoint = new Endpoint(join(folder, 'own'), 'test');
  const words = { startTime: '', clientWord: 'a', serverWord: 'b', logFile: '' };
  const starting = Array.from({ length: count }, async () => {
    const announcement = { ...words, id: endpoint.prepare(), pid: process.pid };
    const server = createServer().listen(endpoint.preparedSocket(announcement.id));
    await once(server, 'listening');
    return { announcement, server };
  });
  return { endpoint, starting: await Promise.all(starting) };
}

test.each([-3650 * dayMs, -dayMs, dayMs, 3650 * dayMs])(
  "the windows' server is found after a jump of %i ms, and no other takes its place",
  async (jumpMs) => {
    const folder = mkdtempSync(join(tmpdir(), 'hearth-clock-'));
    const { endpoint, starting } = await endpointIn(folder, 3);
    const [first, ...others] = starting.map(({ announcement }) => announcement);
    if (!first) throw new Error('no server');
    expect(await endpoint.announce(first)).toBe(true);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + jumpMs });
    expect(endpoint.isAnnounced(first.id)).toBe(true);
    // A server that looks abandoned now has lost its folder, and fails.
    for (const other of others) expect(await endpoint.announce(other).catch(() => false)).toBe(false);
    expect(endpoint.announced()?.id).toBe(first.id);
    vi.useRealTimers();
    for (const { server } of starting) server.close();
    rmSync(folder, { recursive: true });
  },
);

test('no time limit uses the wall clock', () => {
  const root = join(import.meta.dirname, '../..');
  const byTheWall = ['extension', 'language-server'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && readFileSync(join(root, room, name), 'utf8').includes('Date.now'))
      .map((name) => `${room}/${name}`),
  );
  // Three uses are allowed: a server's "Retry-After" may be a date, people compare the end of a snooze with a clock,
  // and the tests above show that ranking and the endpoint survive a changed clock.
  expect(byTheWall.sort()).toEqual([
    'extension/download/errors.ts',
    'extension/settings/document-mode.ts',
    'language-server/protocol/endpoint.ts',
    'language-server/related-code/related-code.ts',
    'language-server/remote/server-error.ts',
  ]);
});
