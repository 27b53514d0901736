import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Position, Range, TextDocument } from 'vscode';
import { commands } from 'vscode';
import type { AnsweredRequest } from '../../../extension/ghost-text/ghost-text.ts';
import { onAccept } from '../../../extension/ghost-text/ghost-text.ts';
import { RequestCounter } from '../../../extension/statistics/request-counter.ts';
import type { Event } from '../../../extension/statistics/statistics.ts';
import { contributes } from '../../../package.json';

let events: Event[];
let counter: RequestCounter;

beforeEach(() => {
  events = [];
  counter = new RequestCounter({ add: async (_, event) => void events.push(event) });
});
afterEach(() => counter.dispose());

const shown = () => events.flatMap(({ latencyMs }) => latencyMs ?? []);
const accepted = () => events.flatMap(({ characters }) => characters ?? []);

/** A document with one line. */
class Line {
  readonly languageId = 'rust';
  constructor(public text: string) {}
  getText({ start, end }: Range): string {
    return this.text.slice(start.character, end.character);
  }
}

/** A request for this text at the cursor, which is at the end of the line. */
function ask(line: Line, offered: string, latencyMs = 100): void {
  const position = endOf(line);
  const items = offered === '' ? [] : [{ insertText: offered, range: { start: position, end: position } }];
  const document = line as unknown as TextDocument;
  counter.add({ document, position, time: new Date(), latencyMs, items } as AnsweredRequest);
}

function endOf({ text }: Line): Position {
  const character = text.length;
  return { line: 0, character, isBefore: (other: Position) => character < other.character } as Position;
}

async function accept(line: Line, offered: string): Promise<void> {
  const { command, arguments: values } = onAccept(
    { insertText: offered },
    line as unknown as TextDocument,
    endOf(line),
  );
  line.text += offered;
  await commands.executeCommand(command, ...(values ?? []));
}

test('a suggestion that grows and is typed counts once, with the latency of its first text', () => {
  const line = new Line('let a');
  ask(line, ' = vec', 90);
  ask(line, ' = vec![1]', 1);
  line.text = 'let a =';
  ask(line, ' vec![1];', 1);
  expect(shown()).toEqual([90]);
});

test('after a key that disagrees with the suggestion, the next suggestion counts', () => {
  const line = new Line('let a');
  ask(line, ' = vec![1]');
  line.text = 'let ab';
  ask(line, ' = 3;');
  expect(shown()).toHaveLength(2);
});

test('a suggestion generated ahead counts, although it comes from memory', async () => {
  const line = new Line('let a');
  ask(line, ' = 1;');
  await accept(line, ' = 1;');
  ask(line, ' let b', 1);
  expect(shown()).toHaveLength(2);
  expect(accepted()).toEqual([5]);
});

test('after a suggestion was typed to its end, the next one counts separately', () => {
  const line = new Line('let a');
  ask(line, ' = 1;');
  line.text = 'let a = 1;';
  ask(line, ' let b', 1);
  expect(shown()).toHaveLength(2);
});

test('a suggestion that is accepted, undone and accepted again counts as two', async () => {
  const line = new Line('let a');
  for (let i = 0; i < 2; i++) {
    line.text = 'let a';
    ask(line, ' = 1;');
    await accept(line, ' = 1;');
  }
  expect(shown()).toHaveLength(2);
  expect(accepted()).toHaveLength(2);
});

test('accepted characters that replace those of the document do not count', async () => {
  const line = new Line('');
  const start = { line: 0, character: 0 } as Position;
  const range = { start, end: { line: 0, character: 'return a;'.length } } as Range;
  const item = { insertText: 'a += 1;\nreturn a;', range };
  const { command, arguments: values } = onAccept(item, line as unknown as TextDocument, start);
  await commands.executeCommand(command, ...(values ?? []));
  expect(accepted()).toEqual(['a += 1;\n'.length]);
});

test('accepting a suggestion completes the first step of the walkthrough', async () => {
  const keys: unknown[] = [];
  const context = commands.registerCommand('setContext', (...values: unknown[]) => keys.push(values));
  await accept(new Line('let a'), ' = 1;');
  context.dispose();
  const [walkthrough] = contributes.walkthroughs;
  const events = walkthrough?.steps.find(({ id }) => id === 'type')?.completionEvents;
  expect(events).toEqual(keys.map((values) => `onContext:${(values as string[])[0]}`));
  expect(keys).toEqual([['hearth.hasAccepted', true]]);
});

test('a request without a suggestion does not count', () => {
  ask(new Line('let a'), '');
  expect(events).toEqual([]);
});

test('if an item begins before the cursor, only the characters after the cursor count', () => {
  const position = { line: 0, character: 6 } as Position;
  const range = { start: { line: 0, character: 2 }, end: position } as Range;
  const command = onAccept({ insertText: 'push_str(x)', range }, { languageId: 'rust' } as TextDocument, position);
  expect(command.arguments).toEqual(['rust', '_str(x)'.length]);
});
