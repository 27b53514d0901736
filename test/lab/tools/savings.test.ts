import { expect, test } from 'vitest';
import { makeTrace } from '../../../lab/tools/make-trace.ts';
import type { Pending, ReplayEditor } from '../../../lab/tools/replay-editor.ts';
import { restInNewLine } from '../../../lab/tools/replay-typing.ts';
import { typeAndAccept } from '../../../lab/tools/savings.ts';
import { cursorAfter, type Position } from '../../../lab/tools/trace.ts';

/** Types a line. The keys of ghost texts are the beginnings of the line at which each is offered. */
async function session(ghosts: Record<string, string>) {
  const line = 'let total = sum;';
  const trace = makeTrace('a.ts', `begin\n${line}\nend\n`, { line: 2, lines: 1, intervalMs: 1, autoClose: false });
  const asked: string[] = [];
  const complete: ReplayEditor['complete'] = ({ character }): Pending => {
    const left = line.slice(0, character);
    asked.push(left);
    const times = { isCancelled: false, firstTextMs: 0, fullMs: 0 };
    return { answer: Promise.resolve({ text: ghosts[left] ?? null, replaces: 0, ...times }), cancel: () => {} };
  };
  const goTo: ReplayEditor['goTo'] = (trace, edit) => cursorAfter(trace.edits[edit]!);
  const type: ReplayEditor['type'] = (edit) => complete(cursorAfter(edit));
  const rested: Position[] = [];
  const rest: ReplayEditor['rest'] = async (position) => void rested.push(position);
  const savings = await typeAndAccept({ status: { health: 'ready' }, complete, goTo, type }, trace, ({ edit }) =>
    restInNewLine({ rest }, edit),
  );
  return { savings, asked, rested };
}

test('without ghost text, every character is typed', async () => {
  const { savings, asked } = await session({});
  expect(asked).toHaveLength(17);
  expect(savings).toMatchObject({ keys: 17, keysTyped: 17, ghostTexts: 0, keystrokesSaved: 0 });
});

test('right ghost text is accepted, and none of it is typed', async () => {
  const { savings, asked } = await session({ let: ' total = sum;' });
  expect(asked).toEqual(['', 'l', 'le', 'let', 'let total = sum;']);
  expect(savings).toMatchObject({ keysTyped: 4, charactersAccepted: 13, charactersWrong: 0, keystrokesSaved: 13 });
});

test('if ghost text becomes wrong, its right words are accepted', async () => {
  const { savings, asked } = await session({ let: ' total = suffix();' });
  expect(asked[4]).toBe('let total = ');
  expect(savings).toMatchObject({ charactersAccepted: 9, charactersWrong: 7, keystrokesSaved: 2 });
});

test("text that stays while it is typed counts once, and text beyond the session's end counts as wrong", async () => {
  const { savings } = await session({ l: 'ex', le: 'x', 'let total = su': 'm;\nend' });
  expect(savings).toMatchObject({ ghostTexts: 2, charactersAccepted: 0, charactersWrong: 5, keystrokesSaved: -5 });
});

test('the cursor rests only in a new line after Enter', async () => {
  const { rested } = await session({});
  expect(rested).toEqual([{ line: 1, character: 0 }]);
});
