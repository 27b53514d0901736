// Draws an offered edit in the editors: the old words are struck through, the new ones are beside them, and an icon in
// the gutter marks the line. The hover shows the whole difference. If the edit is out of sight, a hint at the cursor
// says where it is.
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

/** A border keeps very small edits from being overlooked. */
const tinyBorder = { border: '1px solid', borderColor: new ThemeColor('editorInfo.foreground') };

export class EditDecorations implements Disposable {
  private readonly removed = window.createTextEditorDecorationType({
    backgroundColor: new ThemeColor('diffEditor.removedTextBackground'),
    textDecoration: 'line-through',
  });
  private readonly inserted = window.createTextEditorDecorationType({});
  private readonly lineMark: ReturnType<typeof window.createTextEditorDecorationType>;
  private readonly hint = window.createTextEditorDecorationType({
    after: { color: new ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 3ch' },
  });

  /** icon: the path of the gutter icon. */
  constructor(icon: string) {
    this.lineMark = window.createTextEditorDecorationType({
      gutterIconPath: Uri.file(icon),
      gutterIconSize: 'contain',
      overviewRulerColor: new ThemeColor('editorOverviewRuler.modifiedForeground'),
      overviewRulerLane: OverviewRulerLane.Full,
    });
  }

  /**
   * Draws the edit. Null removes the last drawing. onlyMark: whether to draw only the icon in the gutter, because the
   * edit is shown as ghost text.
   */
  showEdit(editor: TextEditor, edit: NextEdit | null, onlyMark: boolean): void {
    const removed: DecorationOptions[] = [];
    const inserted: DecorationOptions[] = [];
    const marked: DecorationOptions[] = [];
    if (edit) {
      const border = isTiny(edit) ? tinyBorder : {};
      const hoverMessage = new MarkdownString().appendCodeblock(difference(edit), 'diff');
      for (const { range, text } of onlyMark ? [] : allChanges(edit)) {
        const { start, end } = range;
        const replaced = new Range(start.line, start.character, end.line, end.character);
        if (!replaced.isEmpty) removed.push({ range: replaced, hoverMessage, renderOptions: border });
        if (text === '') continue;
        const backgroundColor = new ThemeColor('diffEditor.insertedTextBackground');
        const margin = replaced.isEmpty ? '0' : '0 0 0 3px';
        const after = { contentText: inline(text), backgroundColor, margin, ...border };
        inserted.push({ range: new Range(replaced.end, replaced.end), hoverMessage, renderOptions: { after } });
      }
      const { range, otherChanges = [] } = edit;
      const lines = new Set([range.start.line, ...otherChanges.map((change) => change.range.start.line)]);
      for (const line of lines) marked.push({ range: new Range(line, 0, line, 0), hoverMessage });
    }
    editor.setDecorations(this.removed, removed);
    editor.setDecorations(this.inserted, inserted);
    editor.setDecorations(this.lineMark, marked);
  }

  /** Shows a hint after the end of the cursor's line; '' removes it. */
  showHint(editor: TextEditor, text: string): void {
    const { document, selection } = editor;
    const { end } = document.lineAt(document.validatePosition(selection.active)).range;
    const options = { range: new Range(end, end), renderOptions: { after: { contentText: text } } };
    editor.setDecorations(this.hint, text === '' ? [] : [options]);
  }

  dispose(): void {
    for (const type of [this.removed, this.inserted, this.lineMark, this.hint]) type.dispose();
  }
}
