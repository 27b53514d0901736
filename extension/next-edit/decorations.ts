// Draws an offered edit into the editors: the old words struck through with the new ones beside them and the whole
// difference on hover, a mark beside the line, and at the cursor a hint to a place that is out of sight.
import {
  type DecorationOptions,
  type Disposable,
  MarkdownString,
  OverviewRulerLane,
  Range,
  type TextEditor,
  ThemeColor,
  Uri,
  window,
} from 'vscode';
import type { NextEdit } from '../../language-server/protocol/next-edit-messages.ts';
import { allChanges } from './rebase.ts';
import { difference, inline, isTiny } from './texts.ts';

const tinyBorder = { border: '1px solid', borderColor: new ThemeColor('editorInfo.foreground') };

export class EditDecorations implements Disposable {
  private readonly removed = window.createTextEditorDecorationType({
    backgroundColor: new ThemeColor('diffEditor.removedTextBackground'),
    textDecoration: 'line-through',
  });
  private readonly inserted = window.createTextEditorDecorationType({});
  private readonly target: ReturnType<typeof window.createTextEditorDecorationType>;
  private readonly hint = window.createTextEditorDecorationType({
    after: { color: new ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 3ch' },
  });

  /** icon: the path of the mark beside the line. */
  constructor(icon: string) {
    this.target = window.createTextEditorDecorationType({
      gutterIconPath: Uri.file(icon),
      gutterIconSize: 'contain',
      overviewRulerColor: new ThemeColor('editorOverviewRuler.modifiedForeground'),
      overviewRulerLane: OverviewRulerLane.Full,
    });
  }

  /** edit: null if there is none in the editor's document. isOnlyMarked: whether something else shows what it inserts. */
  showEdit(editor: TextEditor, edit: NextEdit | null, isOnlyMarked: boolean): void {
    const removed: DecorationOptions[] = [];
    const inserted: DecorationOptions[] = [];
    const marked: DecorationOptions[] = [];
    if (edit) {
      const border = isTiny(edit) ? tinyBorder : {};
      const hoverMessage = new MarkdownString().appendCodeblock(difference(edit), 'diff');
      for (const { range, text } of isOnlyMarked ? [] : allChanges(edit)) {
        const { start, end } = range;
        const replaced = new Range(start.line, start.character, end.line, end.character);
        if (!replaced.isEmpty) removed.push({ range: replaced, hoverMessage, renderOptions: border });
        if (text === '') continue;
        const backgroundColor = new ThemeColor('diffEditor.insertedTextBackground');
        const margin = replaced.isEmpty ? '0' : '0 0 0 3px';
        const after = { contentText: inline(text), backgroundColor, margin, ...border };
        inserted.push({ range: new Range(replaced.end, replaced.end), hoverMessage, renderOptions: { after } });
      }
      const lines = new Set(
        [edit.range.start, ...(edit.also ?? []).map(({ range }) => range.start)].map(({ line }) => line),
      );
      for (const line of lines) marked.push({ range: new Range(line, 0, line, 0), hoverMessage });
    }
    editor.setDecorations(this.removed, removed);
    editor.setDecorations(this.inserted, inserted);
    editor.setDecorations(this.target, marked);
  }

  /** Behind the line of the cursor; '' for none. */
  showHint(editor: TextEditor, text: string): void {
    const { document, selection } = editor;
    const { end } = document.lineAt(document.validatePosition(selection.active)).range;
    const options = { range: new Range(end, end), renderOptions: { after: { contentText: text } } };
    editor.setDecorations(this.hint, text === '' ? [] : [options]);
  }

  dispose(): void {
    for (const type of [this.removed, this.inserted, this.target, this.hint]) type.dispose();
  }
}
