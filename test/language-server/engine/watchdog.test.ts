import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Watchdog } from '../../../language-server/engine/watchdog.ts';
import type { EngineStatus } from '../../../native/index.ts';
import { FakeEngine } from '../../fixtures/fake-engine.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const busy: Partial<EngineStatus> = { state: 'prefill', op: 'matmul', layer: 7, token: 512, opBytes: 2.5e6 };

/** Puts an engine into these states, each for some seconds, and checks the events. Returns their messages. */
function check(states: { status: Partial<EngineStatus>; seconds: number }[], expected: string[]): string[] {
  const idle = new FakeEngine().status();
  let current = idle;
  let beat = 100;
  const events: string[] = [];
  const messages: string[] = [];
  const record = (name: string) => (message?: string) => {
    events.push(name);
    messages.push(message ?? '');
  };
  const watchdog = new Watchdog(() => current, {
    slow: record('slow'),
    hung: record('hung'),
    recovered: record('recovered'),
    gaveUp: record('gaveUp'),
  });
  for (const { status, seconds } of states) {
    // The beat of an engine grows while the engine makes progress. The test sets the beat at which it hangs.
    for (let second = 0; second < seconds; second++) {
      current = { ...idle, beat: beat++, ...status };
      vi.advanceTimersByTime(1000);
    }
  }
  watchdog.dispose();
  vi.advanceTimersByTime(60_000);
  expect(events).toEqual(expected);
  return messages;
}

test('is silent while the engine is idle', () => {
  check([{ status: {}, seconds: 60 }], []);
});

test('is silent while answers come quickly', () => {
  check(
    [
      { status: busy, seconds: 3 },
      { status: {}, seconds: 1 },
      { status: busy, seconds: 3 },
    ],
    [],
  );
});

test('reports an engine as slow if it is busy for long', () => {
  check([{ status: busy, seconds: 20 }], ['slow']);
});

test('reports how fast a slow engine reads, and the fastest so far', () => {
  const read = (ms: number, bytes: number) => ({ ...busy, ops: [{ op: 'ffn_down', ms, calls: ms, bytes }] });
  const messages = check(
    [
      { status: read(10, 2e8), seconds: 4 },
      { status: read(910, 3.8e8), seconds: 1 },
    ],
    ['slow'],
  );
  expect(messages[0]).toBe(
    'slow but working: prefill at token 512, operation "ffn_down" reads 0.2 GB/s (the most so far was 20.0), 0 more requests waiting',
  );
});

test('waits longer for an operation if operations usually take long', () => {
  // 20 operations a second: 50 ms each, so that one may take 50 s.
  const moving = Array.from({ length: 30 }, (_, i) => ({ status: { ...busy, beat: 1000 + 20 * i }, seconds: 1 }));
  check([...moving, { status: { ...busy, beat: 1580 }, seconds: 49 }], ['slow']);
  check([...moving, { status: { ...busy, beat: 1580 }, seconds: 52 }], ['slow', 'hung']);
});

test('names the operation in which the engine hangs', () => {
  const [, message] = check([{ status: { ...busy, beat: 1 }, seconds: 12 }], ['slow', 'hung']);
  expect(message).toBe(
    'The engine has made no progress for 10 s: prefill, token 512, layer 7, operation "matmul", which reads 2.5 MB',
  );
});

test('reports when the engine makes progress again', () => {
  check(
    [
      { status: { ...busy, beat: 1 }, seconds: 12 },
      { status: {}, seconds: 2 },
    ],
    ['slow', 'hung', 'recovered'],
  );
});

test('gives up on an engine that hangs for half a minute', () => {
  check([{ status: { ...busy, beat: 1 }, seconds: 31 }], ['slow', 'hung', 'gaveUp']);
});

test('does not count time in which the whole process is stopped', () => {
  check([{ status: { ...busy, beat: 1, stalledMs: 33_000 }, seconds: 3 }], []);
});

test('gives up on an engine that serves none of its queued requests', () => {
  const messages = check([{ status: { queued: 3, beat: 1 }, seconds: 31 }], ['slow', 'hung', 'gaveUp']);
  expect(messages[1]).toBe('The engine has not served its 3 waiting requests for 10 s');
});
