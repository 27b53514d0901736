// Typing in 20 documents in three windows of one server. Memory, handles and latency must not grow over time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { percentile } from '../../lab/tools/statistics.ts';
import { random } from '../support/random.ts';
import { usage } from './real-server.ts';
import { isFull, patienceMs } from './scale.ts';
import { SharedServer, type SharedWindow } from './shared-server.ts';

const minutes = isFull ? Number(process.env.HEARTH_SOAK_MINUTES ?? 60) : 0.1;
const documents = 20;
const keyMs = 150;
const source = readFileSync(join(import.meta.dirname, '../../language-server/models/local-models.ts'), 'utf8').split(
  '\n',
);

interface Sample {
  atMs: number;
  latencyMs: number;
}

/** Types lines of the source again, each at its document's end; a document that has grown long is cut back. */
async function typeInto(window: SharedWindow, uris: string[], seed: number, endAt: number): Promise<Sample[]> {
  const r = random(seed);
  const samples: Sample[] = [];
  const lineCounts = new Map<string, number>();
  for (const uri of uris) {
    lineCounts.set(uri, 80);
    await window.open(uri, `${source.slice(0, 80).join('\n')}\n`);
  }
  const goesOn = () => samples.length === 0 || performance.now() < endAt;
  while (goesOn()) {
    const uri = r.pick(uris);
    const line = lineCounts.get(uri) ?? 0;
    const typed = r.pick(source.filter((each) => each.length > 5));
    await window.rest(uri, line, 0);
    for (let column = 0; column < typed.length && goesOn(); column++) {
      const keyAt = performance.now();
      await window.type(uri, line, column, typed.charAt(column));
      await window.answer(uri, line, column + 1);
      samples.push({ atMs: keyAt, latencyMs: performance.now() - keyAt });
      await sleep(Math.max(0, keyMs - (performance.now() - keyAt)));
    }
    if (r.chance(0.5)) await window.type(uri, line, 0, '', typed.length);
    else {
      await window.type(uri, line, typed.length, '\n');
      lineCounts.set(uri, line + 1);
    }
    if ((lineCounts.get(uri) ?? 0) < 160) continue;
    await window.open(uri, `${source.slice(0, 80).join('\n')}\n`);
    lineCounts.set(uri, 80);
  }
  return samples;
}

test('memory, handles and threads do not grow, and answers do not become slower', {
  timeout: patienceMs + minutes * 60_000,
}, async () => {
  const server = await SharedServer.start();
  const first = await server.window();
  await first.settled();
  await typeInto(first, ['file:///first.ts'], 0, performance.now() + 1000);
  const others = [await server.window(), await server.window(), await server.window()];
  const startedAt = performance.now();
  const endAt = startedAt + minutes * 60_000;
  const typists = others.map((window, i) => {
    const uris = Array.from({ length: documents }, (_, n) => `file:///soak/${n}.ts`).filter(
      (_, n) => n % others.length === i,
    );
    return typeInto(window, uris, i + 1, endAt);
  });
  const seen: ReturnType<typeof usage>[] = [];
  for (let tenth = 1; tenth <= 10; tenth++) {
    await sleep(startedAt + (minutes * 60_000 * tenth) / 10 - performance.now());
    seen.push(usage(server.child.pid ?? 0));
  }
  const samples = (await Promise.all(typists)).flat();
  await server.stop();
  const share = (from: number, to: number) => {
    const at = (part: number) => startedAt + (endAt - startedAt) * part;
    return samples.filter(({ atMs }) => atMs >= at(from) && atMs < at(to)).map(({ latencyMs }) => latencyMs);
  };
  const [early, late] = [percentile(share(0, 0.1), 0.95), percentile(share(0.9, 1), 0.95)];
  const figures = seen.map(
    ({ rssMiB, handles, threads }) => `${rssMiB.toFixed(0)} MiB, ${handles} handles, ${threads} threads`,
  );
  console.log(
    `${minutes} minutes, ${samples.length} keys, p95 ${early?.toFixed(0)} -> ${late?.toFixed(0)} ms`,
    figures,
  );
  expect(samples.length).toBeGreaterThan(isFull ? minutes * 50 : 0);
  // The first minutes fill the cache, which has a budget of 64 MiB here.
  const settled = seen[isFull ? 4 : 8];
  expect(seen.at(-1)?.rssMiB).toBeLessThan((settled?.rssMiB ?? 0) * 1.1 + 16);
  expect(seen.at(-1)?.handles).toBeLessThanOrEqual((seen[1]?.handles ?? 0) + 2);
  expect(seen.at(-1)?.threads).toBe(seen[1]?.threads);
  if (isFull) expect(late).toBeLessThan((early ?? 0) * 1.2);
});
