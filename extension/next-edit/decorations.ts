// Draws an offered edit into the editors. It strikes the old words through and shows the new ones beside them. Hovering
// shows the whole difference. A gutter icon marks the line. If the edit is out of sight, a hint at the cursor says
// where it is.
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

/** Very small edits get a border, so that they are not overlooked. */
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
   * Draws the edit; null removes what was drawn. onlyMark: whether to draw nothing but the line mark, because ghost
   * text already shows the insertion.
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
