// The golden cases in the real editor: it must show each text, and accepting it must give the expected document.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ConfigurationTarget,
  commands,
  type Disposable,
  InlineCompletionItem,
  languages,
  Range,
  Selection,
  type TextDocument,
  type TextEditor,
  window,
  workspace,
} from 'vscode';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { generate } from '../../../language-server/offers/complete.ts';
import { Anchors } from '../../../language-server/prompt/anchors.ts';
import { type GoldenCase, goldenCases } from '../../golden/golden-cases.ts';
import { maxTokensOf, scripted } from '../../golden/scripted.ts';
import { cursorIn } from '../../language-server/cursor.ts';
import { accept } from './accept.ts';
import { it, type Test } from './suite.ts';

const folder = join(__dirname, '../../../test/golden');

/** The case's text as an item for the document; null if there is none. */
async function itemOf(
  golden: GoldenCase,
  document: TextDocument,
  offset: number,
): Promise<InlineCompletionItem | null> {
  const { languageId, multiline } = golden;
  const options = { maxTokens: maxTokensOf(golden), multiline };
  const engine = scripted(golden);
  const place = { uri: 'file:///golden', languageId, text: LongText.of(document.getText()), offset };
  const { suggestions } = await generate(engine, new Anchors(engine), place, options);
  const [first] = suggestions;
  if (!first) return null;
  const range = new Range(document.positionAt(offset), document.positionAt(offset + first.replaces));
  return new InlineCompletionItem(first.text, range);
}

/** An editor that offers one case after another. A language's cases share one, since opening an editor takes long. */
class OneEditor {
  private item: InlineCompletionItem | null = null;
  private readonly provider: Disposable;

  private constructor(private readonly editor: TextEditor) {
    const { document } = editor;
    this.provider = languages.registerInlineCompletionItemProvider(
      { scheme: 'untitled' },
      { provideInlineCompletionItems: (asked) => (asked === document && this.item ? [this.item] : []) },
    );
  }

  static async open(language: string): Promise<OneEditor> {
    return new OneEditor(await window.showTextDocument(await workspace.openTextDocument({ language })));
  }

  /** The document after accepting the text, or unchanged if no text was shown; null if the case has no text to show. */
  async accept(golden: GoldenCase): Promise<string | null> {
    const { editor } = this;
    const { document } = editor;
    const { text, offset } = cursorIn(golden.document);
    const all = new Range(document.positionAt(0), document.positionAt(document.getText().length));
    this.item = null;
    await editor.edit((edit) => edit.replace(all, text));
    assert.equal(document.getText(), text);
    this.item = await itemOf(golden, document, offset);
    if (!this.item) return null;
    const cursor = document.positionAt(offset);
    editor.selection = new Selection(cursor, cursor);
    await accept(document);
    return document.getText();
  }

  async close(): Promise<void> {
    this.provider.dispose();
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
}

export const tests: Test[] = [
  it('the editor shows the text of each golden case, and accepts it as the case says', async () => {
    const config = workspace.getConfiguration('hearth');
    await config.update('mode', 'off', ConfigurationTarget.Global);
    const wrong: string[] = [];
    let shown = 0;
    const files = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
    const all = files.flatMap((file) => goldenCases(readFileSync(join(folder, file), 'utf8')));
    for (const language of new Set(all.map(({ languageId }) => languageId))) {
      const editor = await OneEditor.open(language);
      for (const golden of all.filter(({ languageId }) => languageId === language)) {
        const accepted = await editor.accept(golden);
        if (accepted === null) continue;
        shown++;
        if (accepted !== golden.accepted)
          wrong.push(`${language}: ${golden.title}\n--- expected\n${golden.accepted}\n--- got\n${accepted}`);
      }
      await editor.close();
    }
    await config.update('mode', undefined, ConfigurationTarget.Global);
    console.log(`${shown} golden texts`);
    assert.ok(shown > 100);
    assert.equal(wrong.join('\n'), '');
  }),
];
