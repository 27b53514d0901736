// Draws an offered edit into the editors: the old words struck through with the new ones beside them and the whole
// difference on hover, a mark beside the line, and at the cursor a hint to a place that is out of sight.
import {
  type DecorationOptions,
  type Disposable,
  MarkdownString,
  OverviewRulerLane,
  Position,
  Range,
  type TextEditor,
  ThemeColor,
  Uri,
  window,
} from 'vscode';
import type { NextEdit } from '../../language-server/protocol/next-edit.ts';
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

  /** The edit, in an editor of its document; with only the mark if something else shows what it inserts. */
  showEdit(editor: TextEditor, edit: NextEdit, isOnlyMarked: boolean): void {
    const border = isTiny(edit) ? tinyBorder : {};
    const hoverMessage = new MarkdownString().appendCodeblock(difference(edit), 'diff');
    const removed: DecorationOptions[] = [];
    const inserted: DecorationOptions[] = [];
    for (const { range, text } of isOnlyMarked ? [] : edit.changes) {
      const { start, end } = range;
      const replaced = new Range(start.line, start.character, end.line, end.character);
      if (!replaced.isEmpty) removed.push({ range: replaced, hoverMessage, renderOptions: border });
      if (text === '') continue;
      const backgroundColor = new ThemeColor('diffEditor.insertedTextBackground');
      const margin = replaced.isEmpty ? '0' : '0 0 0 3px';
      const after = { contentText: inline(text), backgroundColor, margin, ...border };
      inserted.push({ range: new Range(replaced.end, replaced.end), hoverMessage, renderOptions: { after } });
    }
    editor.setDecorations(this.removed, removed);
    editor.setDecorations(this.inserted, inserted);
    const { line } = edit.range.start;
    editor.setDecorations(this.target, [{ range: new Range(line, 0, line, 0), hoverMessage }]);
  }

  /** Behind the line of the cursor. */
  showHint(editor: TextEditor, text: string): void {
    const end = editor.document.lineAt(editor.selection.active.line).range.end;
    const at = new Range(new Position(end.line, end.character), end);
    editor.setDecorations(this.hint, [{ range: at, renderOptions: { after: { contentText: text } } }]);
  }

  clear(editor: TextEditor): void {
    for (const type of this.all) editor.setDecorations(type, []);
  }

  clearHint(editor: TextEditor): void {
    editor.setDecorations(this.hint, []);
  }

  dispose(): void {
    for (const type of this.all) type.dispose();
  }

  private get all() {
    return [this.removed, this.inserted, this.target, this.hint];
  }
}
