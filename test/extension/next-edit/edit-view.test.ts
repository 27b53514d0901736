// Whether Tab acts on the edit, by the position of the cursor.
import { expect, test, vi } from 'vitest';
import type { TextEditor } from 'vscode';
import { EditView, isTabFree } from '../../../extension/next-edit/edit-view.ts';
import { EditOffer } from '../../../extension/next-edit/offered-edit.ts';

const editor = vi.hoisted(() => ({ lines: [] as string[], line: 0, character: 0, hints: [] as unknown[] }));
vi.mock('vscode', async (original) => {
  const active = {
    document: {
      uri: { toString: () => 'file:///a.ts' },
      lineAt: (place: number | { line: number }) => {
        const line = typeof place === 'number' ? place : place.line;
        const text = editor.lines[line];
        if (text === undefined) throw new Error('Illegal value for `line`');
        return { text, range: { end: { line, character: text.length } } };
      },
      validatePosition: ({ line, character }: { line: number; character: number }) => ({
        line: Math.min(line, editor.lines.length - 1),
        character,
      }),
    },
    get selection() {
      return { active: { line: editor.line, character: editor.character } };
    },
    visibleRanges: [],
    setDecorations: (_: unknown, drawn: { renderOptions?: { after?: { contentText: string } } }[]) => {
      for (const { renderOptions } of drawn)
        if (renderOptions?.after) editor.hints.push(renderOptions.after.contentText);
    },
  };
  return {
    ...(await original<typeof import('../../support/vscode.ts')>()),
    MarkdownString: class {
      readonly appendCodeblock = () => this;
    },
    OverviewRulerLane: {},
    ThemeColor: class {},
    Uri: { file: () => undefined },
    window: {
      activeTextEditor: active,
      visibleTextEditors: [active],
      createTextEditorDecorationType: () => ({ dispose: () => undefined }),
    },
  };
});

const { window } = await import('vscode');
const active = window.activeTextEditor as TextEditor;

test.each([
  ['after a word', 'return x', 8, true],
  ['in leading white space', '    return x', 2, false],
  ['in an empty line', '', 0, false],
])('says whether Tab is for the edit %s: %s', (_, text, character, isFree) => {
  Object.assign(editor, { lines: [text], line: 0, character });
  expect(isTabFree(new EditOffer(), active)).toBe(isFree);
});

test('an edit is shown after lines were deleted, even while VS Code reports an old position of the cursor', () => {
  const at = (line: number) => ({ line, character: 0 });
  const range = { start: at(0), end: at(0) };
  const offer = new EditOffer();
  const changes = [{ range, text: 'x' }];
  const uri = 'file:///a.ts';
  offer.set({ uri, version: 1, range, oldText: '', newText: 'x', changes, probability: 1 }, { uri, ...at(5) });
  offer.release();
  Object.assign(editor, { lines: ['first', 'last'], line: 9 });
  new EditView('').show(offer);
  expect(editor.hints.at(-1)).toContain('line');
});
