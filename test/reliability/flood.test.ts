// Many more messages than a person could cause: none is lost, nothing hangs, and memory does not grow. The tests print
// times, and judge by counts and by the server's CPU time compared with that of easier work.
import { afterEach, expect, test } from 'vitest';
import type { CompletionOutcome } from '../../language-server/protocol/messages.ts';
import type { FrameClient } from './frame-client.ts';
import { serverThreadMs, startServer, usage } from './real-server.ts';
import { patienceMs, tries } from './scale.ts';

const uri = 'file:///flood.ts';
const lines = Array.from({ length: 400 }, (_, i) => `const value${i} = compute(input${i});`);
let client: FrameClient;

afterEach(async () => {
  expect(await client.stop()).toBe(0);
});

const reasonOf = (reply: { result?: unknown }) => (reply.result as CompletionOutcome | undefined)?.reason;

test('requests, half of them cancelled, are all answered, and few of them are served', {
  timeout: patienceMs,
}, async () => {
  client = await startServer();
  await client.open(uri, lines.join('\n'));
  const count = tries(20_000, 100_000);
  const pid = client.child.pid ?? 0;
  const before = serverThreadMs(pid);
  const startedAt = performance.now();
  const ids: number[] = [];
  for (let i = 0; i < count; i++) {
    ids.push(await client.ask(uri, i % lines.length, 10));
    if (i % 2 === 1) await client.notify('$/cancelRequest', { id: ids.at(-1) });
  }
  const sentMs = performance.now() - startedAt;
  await Promise.all(ids.map((id) => client.reply(id)));
  const answeredMs = performance.now() - startedAt;
  const computedMs = serverThreadMs(pid) - before;
  console.log(
    `${count} requests: sent in ${sentMs.toFixed(0)} ms, answered after ${answeredMs.toFixed(0)}, ${computedMs} computed`,
  );
  const reasons = ids.map((id) => reasonOf(client.replies.get(id) ?? {}));
  expect(reasons).not.toContain(undefined);
  expect(reasons.filter((each) => each !== 'superseded').length).toBeLessThan(count / 10);
});

test('edits of a document of 10 MB, one a millisecond, cost the server hardly more than those of a short one', {
  timeout: patienceMs,
}, async () => {
  client = await startServer();
  const pid = client.child.pid ?? 0;
  const count = 2000;
  /** The server's CPU time for all edits, in ms. */
  const costIn = async (name: string, lineCount: number) => {
    await client.open(name, 'const value = compute(input, options);\n'.repeat(lineCount));
    await client.reply(await client.ask(name, 0, 0));
    const before = serverThreadMs(pid);
    const startedAt = performance.now();
    const asked: number[] = [];
    for (let i = 0; i < count; i++) {
      while (performance.now() - startedAt < i) await new Promise((resolve) => setTimeout(resolve, 1));
      await client.edit(name, i + 2, lineCount / 2, i, 'x');
      if (i % 20 === 0) asked.push(await client.ask(name, lineCount / 2, i + 1));
    }
    const sentMs = performance.now() - startedAt;
    await Promise.all(asked.map((id) => client.reply(id)));
    const behindMs = performance.now() - startedAt - sentMs;
    const computedMs = serverThreadMs(pid) - before;
    console.log(
      `${count} edits in ${sentMs.toFixed(0)} ms, the server ${behindMs.toFixed(0)} ms behind, ${computedMs} computed`,
    );
    return computedMs;
  };
  const short = await costIn('file:///short.ts', 200);
  // Where each edit cost as much as the document is long, this took 26 s.
  expect(await costIn(uri, 260_000)).toBeLessThan(5 * short + 1000);
});

test('endless keys with cancelled requests do not make memory grow', { timeout: patienceMs }, async () => {
  client = await startServer();
  await client.open(uri, lines.join('\n'));
  const keys = tries(8000, 1_000_000);
  const seen: ReturnType<typeof usage>[] = [];
  let last = 0;
  for (let i = 0; i < keys; i++) {
    // A line of 80 characters is typed and taken back.
    const column = i % 80;
    await client.edit(uri, i + 2, 200, column, 'y');
    last = await client.ask(uri, 200, column + 1);
    if (i % 3 > 0) await client.notify('$/cancelRequest', { id: last });
    if (column === 79) {
      const range = { start: { line: 200, character: 0 }, end: { line: 200, character: 80 } };
      await client.notify('textDocument/didChange', {
        textDocument: { uri, version: i + 2 },
        contentChanges: [{ range, text: '' }],
      });
    }
    if (i % (keys / 10) === keys / 10 - 1) {
      await client.reply(last);
      seen.push(usage(client.child.pid ?? 0));
      client.replies.clear();
      client.notices.length = 0;
    }
  }
  console.log(seen.map(({ rssMiB }) => rssMiB.toFixed(0)).join(' '), 'MiB');
  // The heap and the page cache first grow to their sizes.
  const warm = seen[4];
  const end = seen.at(-1);
  expect(end?.rssMiB).toBeLessThan((warm?.rssMiB ?? 0) * 1.1 + 20);
  expect(end?.handles).toBe(warm?.handles);
  expect(end?.threads).toBe(warm?.threads);
});
