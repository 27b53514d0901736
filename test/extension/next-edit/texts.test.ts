// The texts about an edit, and the position of the cursor after it.
import { expect, test } from 'vitest';
import { endOfEdit } from '../../../extension/next-edit/apply.ts';
import { announcement, difference, hint, inline, isTiny, summary } from '../../../extension/next-edit/texts.ts';
import type { NextEdit } from '../../../language-server/protocol/next-edit-messages.ts';
import { contributes } from '../../../package.json';

/** An edit of whole lines from line 83 on. changes: each with its start and end within the line, and its text. */
function edit(oldText: string, newText: string, ...changes: [number, number, number, string][]): NextEdit {
  const lines = oldText.split('\n');
  return {
    ...{ uri: 'file:///w/a.ts', version: 1, probability: 0.9, oldText, newText },
    range: {
      start: { line: 83, character: 0 },
      end: { line: 82 + lines.length, character: lines.at(-1)?.length ?? 0 },
    },
    changes: changes.map(([line, from, to, text]) => ({
      range: { start: { line: 83 + line, character: from }, end: { line: 83 + line, character: to } },
      text,
    })),
  };
}

const renamed = edit('log(name);', 'log(path);', [0, 4, 8, 'path']);

test('the hint names the line, and also the file if it is not the current one', () => {
  expect(hint(renamed, undefined)).toBe('⇥ line 84: name → path'.replaceAll(' ', '\u00a0'));
  expect(hint(renamed, 'b.ts')).toBe('⇥ b.ts, line 84: name → path'.replaceAll(' ', '\u00a0'));
});

test('the hint has the number of other lines in which the name is also replaced', () => {
  const change = (line: number) => ({
    range: { start: { line, character: 4 }, end: { line, character: 8 } },
    text: 'path',
  });
  expect(summary({ ...renamed, otherChanges: [change(90)] })).toBe('name → path, and in 1 other line');
  expect(summary({ ...renamed, otherChanges: [change(90), change(91), change(91)] })).toBe(
    'name → path, and in 2 other lines',
  );
});

test('the text for screen readers has the key and its effect at the cursor', () => {
  const said = 'Next edit in b.ts, line 84: name → path.';
  expect(announcement(renamed, 'b.ts', 'Tab', 'go')).toBe(`${said} Tab goes there.`);
  expect(announcement(renamed, 'b.ts', 'Alt+Enter', 'go')).toBe(`${said} Alt+Enter goes there.`);
  expect(announcement(renamed, undefined, 'Tab', 'apply')).toBe('Next edit in line 84: name → path. Tab applies it.');
});

test('Tab keeps its usual meaning if VS Code has detected a screen reader, which extensions are not told', () => {
  const { when } = contributes.keybindings.find(({ command, key }) => command === 'hearth.takeEdit' && key === 'tab')!;
  expect(when).toContain("&& (!accessibilityModeEnabled || config.editor.accessibilitySupport == 'on') &&");
});

test('with a Vim extension, Esc belongs to Vim', () => {
  const escapeBindings = contributes.keybindings.filter(({ key }) => key === 'escape');
  expect(escapeBindings.map(({ command }) => command)).toContain('hearth.dismiss');
  for (const { when } of escapeBindings) expect(when).toMatch(/ && !vim\.active && !neovim\.init$/);
});

test('the summary of insertions and deletions has a sign', () => {
  expect(summary(edit('f(a);', 'f(a, b);', [0, 3, 3, ', b']))).toBe('+ , b');
  expect(summary(edit('f(a, b);', 'f(a);', [0, 3, 6, '']))).toBe('− , b');
  expect(summary(edit('x', 'y'.repeat(100), [0, 0, 1, 'y'.repeat(100)]))).toMatch(/^x → y{39}…$/);
});

test('the summary of a change in the second line has the words of that line', () => {
  expect(summary(edit('first\nlog(name);', 'first\nlog(path);', [1, 4, 8, 'path']))).toBe('name → path');
});

test('the difference shows each line before and after', () => {
  expect(difference(renamed)).toBe('- log(name);\n+ log(path);');
  expect(difference(edit('a\nb', 'c', [0, 0, 1, 'c']))).toBe('- a\n- b\n+ c');
  expect(difference(edit('gone();\n', ''))).toBe('- gone();');
  expect(difference(edit('', '\nnew();'))).toBe('+ new();');
  expect(difference(edit('\n  ', '\n  typed();'))).toBe('+   typed();');
});

test('text beside the code is one line, with its spaces kept', () => {
  expect(inline('a  b')).toBe('a\u00a0\u00a0b');
  expect(inline('a\nb\nc')).toBe('a\u00a0+2\u00a0lines');
  expect(inline('\n')).toBe('\u00a0⏎\u00a0');
  expect(inline('\n  a {\n  }')).toBe('\u00a0⏎\u00a0a\u00a0{\u00a0+1\u00a0line');
  expect(inline('a\nb\n')).toBe('a\u00a0+1\u00a0line\u00a0⏎\u00a0');
});

test('only edits of single characters are tiny', () => {
  expect(isTiny(edit('a < b', 'a > b', [0, 2, 3, '>']))).toBe(true);
  expect(isTiny(renamed)).toBe(false);
});

test('the cursor goes after the last changed word', () => {
  expect(endOfEdit(renamed)).toEqual({ line: 83, character: 8 });
  expect(endOfEdit(edit('f(a, b);', 'f(b);', [0, 2, 5, '']))).toEqual({ line: 83, character: 2 });
  const two = edit('a + a\nb + a', 'sum + sum\nb + sum', [0, 0, 1, 'sum'], [0, 4, 5, 'sum'], [1, 4, 5, 'sum']);
  expect(endOfEdit(two)).toEqual({ line: 84, character: 7 });
  expect(endOfEdit(edit('f();', 'f();\ng();', [0, 4, 4, '\ng();']))).toEqual({ line: 84, character: 4 });
});

test('the cursor goes after an edit that begins in the middle of a line', () => {
  const at = { line: 83, character: 10 };
  const inserted = (newText: string): NextEdit => ({
    ...{ uri: 'file:///a.ts', version: 1, oldText: '', newText, probability: 0.9 },
    range: { start: at, end: at },
    changes: [{ range: { start: at, end: at }, text: newText }],
  });
  expect(endOfEdit(inserted('foo'))).toEqual({ line: 83, character: 13 });
  expect(endOfEdit(inserted('foo {\n  bar'))).toEqual({ line: 84, character: 5 });
});
