// When the team's server is asked, and when the local model, with a clock that the test sets.
import { beforeEach, expect, test } from 'vitest';
import { Availability } from '../../../language-server/remote/availability.ts';
import { ServerError } from '../../../language-server/remote/server-error.ts';

let now: number;
let messages: string[];
let availability: Availability;
const failure = new ServerError('It broke.');

beforeEach(() => {
  now = 0;
  messages = [];
  const patience = { minMs: 1000, maxMs: 2000, pauseMs: 1000, maxPauseMs: 60_000 };
  availability = new Availability(
    '',
    (message) => messages.push(message),
    patience,
    () => now,
    () => 0.5,
  );
});

/** The time until the server is probed. */
function pause(): number {
  const from = now;
  while (!availability.isProbeDue) now += 100;
  return now - from;
}

test('a server may take four times as long as it usually does: at least 1 s, at most 2 s', () => {
  expect(availability.timeoutMs).toBe(2000);
  availability.heard(100);
  expect(availability.timeoutMs).toBe(1000);
  for (let i = 0; i < 50; i++) availability.heard(400);
  expect(availability.timeoutMs).toBeCloseTo(1600, 0);
  for (let i = 0; i < 50; i++) availability.heard(1900);
  expect(availability.timeoutMs).toBe(2000);
});

test('the time of superseded requests counts, too, until there is text', () => {
  availability.heard(100);
  for (let i = 0; i < 5; i++) availability.abandoned(150);
  expect(availability.timeoutMs).toBe(250);
  for (let i = 0; i < 5; i++) availability.abandoned(150);
  expect(availability.timeoutMs).toBe(100);
  availability.heard(100);
  expect(availability.timeoutMs).toBe(1000);
});

test('the local model is asked after twice the usual time, and sooner after silence or a failure', () => {
  expect(availability.headStartMs).toBe(500);
  availability.abandoned(250);
  expect(availability.headStartMs).toBe(80);
  availability.heard(60);
  expect(availability.headStartMs).toBe(300);
  availability.failed(failure);
  availability.recovered();
  expect(availability.headStartMs).toBe(120);
  availability.answered();
  for (let i = 0; i < 20; i++) availability.heard(200);
  expect(availability.headStartMs).toBeCloseTo(400, -1);
  for (let i = 0; i < 20; i++) availability.heard(900);
  expect(availability.headStartMs).toBe(150);
});

test('after successive failures the pauses grow to a minute, and a successful probe does not reset them', () => {
  const pauses = Array.from({ length: 9 }, () => {
    availability.failed(failure);
    const ms = pause();
    availability.recovered();
    return ms;
  });
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  availability.answered();
  availability.failed(failure);
  expect(pause()).toBe(1000);
});

test('pauses differ from user to user', () => {
  const pauses = [0, 0.99].map((random) => {
    availability = new Availability(
      '',
      () => {},
      undefined,
      () => now,
      () => random,
    );
    availability.failed(failure);
    return pause();
  });
  expect(pauses).toEqual([500, 1500]);
});

test('a server is left alone for as long as it asks, even if an earlier request fails later', () => {
  availability.failed(new ServerError('busy', 503, 30_000));
  availability.failed(failure);
  expect(pause()).toBe(30_000);
});

test('the user is told once that the local model answers, and once that the server answers again', () => {
  availability.failed(failure);
  availability.failed(failure);
  expect(availability.problem).toBe('It broke.');
  availability.recovered();
  expect(availability.problem).toBe('');
  expect(messages).toEqual([
    'It broke. The model on this machine answers until the server can.',
    "The team's server answers.",
  ]);
});
