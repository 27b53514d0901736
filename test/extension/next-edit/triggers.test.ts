// When Hearth asks for a next edit, and when it does not.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Patience } from '../../../extension/next-edit/patience.ts';
import { Triggers } from '../../../extension/next-edit/triggers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function started() {
  const asked: string[] = [];
  const now = () => Date.now();
  const patience = new Patience(now);
  return { asked, patience, triggers: new Triggers((trigger) => asked.push(trigger), patience, now) };
}

test('asks once after a pause of 800 ms after an edit', () => {
  const { asked, triggers } = started();
  triggers.edited(3, false);
  vi.advanceTimersByTime(700);
  triggers.edited(3, false);
  vi.advanceTimersByTime(790);
  expect(asked).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(asked).toEqual(['pause']);
  vi.advanceTimersByTime(60_000);
  expect(asked).toEqual(['pause']);
});

test('asks once, and at once, when the line is left, the file is saved or a suggestion is accepted', () => {
  for (const [name, act] of [
    ['line-left', (triggers: Triggers) => triggers.cursorMoved(4)],
    ['saved', (triggers: Triggers) => triggers.saved()],
    ['accepted', (triggers: Triggers) => triggers.accepted()],
  ] as const) {
    const { asked, triggers } = started();
    act(triggers);
    expect(asked, 'before the first edit').toEqual([]);
    triggers.edited(3, false);
    triggers.cursorMoved(3);
    expect(asked, 'in the same line').toEqual([]);
    act(triggers);
    expect(asked).toEqual([name]);
    act(triggers);
    vi.advanceTimersByTime(10_000);
    expect(asked).toEqual([name]);
  }
});

test('undo and redo do not ask, and end a wait', () => {
  const { asked, triggers } = started();
  triggers.edited(3, false);
  triggers.edited(3, true);
  triggers.cursorMoved(9);
  triggers.saved();
  triggers.newProblem();
  vi.advanceTimersByTime(10_000);
  expect(asked).toEqual([]);
});

test('asks after a new problem only if it comes soon after an edit', () => {
  const { asked, triggers } = started();
  triggers.newProblem();
  expect(asked).toEqual([]);
  triggers.edited(3, false);
  vi.advanceTimersByTime(2000);
  triggers.newProblem();
  expect(asked).toEqual(['pause', 'diagnostic']);
  vi.advanceTimersByTime(10_000);
  triggers.newProblem();
  expect(asked).toHaveLength(2);
});

test('asks for the next edit as soon as one is applied', () => {
  const { asked, triggers } = started();
  triggers.applied();
  expect(asked).toEqual(['applied']);
});

test('does not ask for five seconds after Esc', () => {
  const { asked, patience, triggers } = started();
  patience.note('dismissed');
  triggers.edited(3, false);
  triggers.cursorMoved(4);
  triggers.newProblem();
  vi.advanceTimersByTime(4990);
  expect(asked).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(asked).toEqual(['pause']);
});

test('asks after Esc even if the timer fires too early', () => {
  const asked: string[] = [];
  let earlyMs = 0;
  const now = () => Date.now() - earlyMs;
  const patience = new Patience(now);
  const triggers = new Triggers((trigger) => asked.push(trigger), patience, now);
  patience.note('dismissed');
  triggers.edited(3, false);
  earlyMs = 20;
  vi.advanceTimersByTime(5000);
  expect(asked).toEqual([]);
  vi.advanceTimersByTime(earlyMs);
  expect(asked).toEqual(['pause']);
});

test('each Esc makes the pause longer, and each applied edit makes it shorter, for ten minutes', () => {
  const { patience } = started();
  const later = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return Math.round(patience.pauseMs);
  };
  patience.note('dismissed');
  expect(later(5001)).toBeGreaterThan(1150);
  for (let i = 0; i < 6; i++) patience.note('dismissed');
  expect(later(5001)).toBe(3000);
  expect(later(10 * 60_000)).toBe(800);
  patience.note('applied');
  expect(later(0)).toBe(640);
  for (let i = 0; i < 9; i++) patience.note('applied');
  expect(later(0)).toBe(400);
});
