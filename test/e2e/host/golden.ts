// The golden cases in the real editor: it must show each text, and accepting it must give the expected document.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConfigurationTarget,
  commands,
  type Disposable,
  InlineCompletionItem,
  languages,
  Range,
  Selection,
  type TextDocument,
  window,
  workspace,
} from 'vscode';
import { LongText } from '../../../language-server/documents/long-text.ts';
import { generate, resultOf } from '../../../language-server/offers/complete.ts';
import { Anchors } from '../../../language-server/prompt/anchors.ts';
import { type GoldenCase, goldenCases } from '../../golden/golden-cases.ts';
import { maxTokensOf, scripted } from '../../golden/scripted.ts';
import { cursorIn } from '../../language-server/cursor.ts';
import { it, type Test } from './suite.ts';

const shownWithinMs = 10_000;
const folder = join(__dirname, '../../../test/golden');

/** A provider that offers the case's text in one document. */
async function offer(golden: GoldenCase, document: TextDocument, offset: number): Promise<Disposable | null> {
  const { languageId, multiline } = golden;
  const options = { maxTokens: maxTokensOf(golden), multiline };
  const engine = scripted(golden);
  const place = { uri: 'file:///golden', languageId, text: LongText.of(document.getText()), offset };
  const { suggestions } = await resultOf(generate(engine, new Anchors(engine), place, options));
  const [first] = suggestions;
  if (!first) return null;
  const range = new Range(document.positionAt(offset), document.positionAt(offset + first.replaces));
  const items = [new InlineCompletionItem(first.text, range)];
  return languages.registerInlineCompletionItemProvider(
    { scheme: 'untitled' },
    {
      provideInlineCompletionItems: (asked) => (asked === document ? items : []),
    },
  );
}

/** The editor gives a new document the name of one just closed, and sometimes that one itself while it is being closed. */
async function newDocument(languageId: string, text: string): Promise<TextDocument> {
  for (let tries = 1; ; tries++) {
    const document = await workspace.openTextDocument({ language: languageId, content: text });
    if (document.getText() === text || tries === 10) return document;
    await window.showTextDocument(document);
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
}

/** The document after the text was accepted; as it was if none was shown. */
async function acceptedIn(golden: GoldenCase): Promise<string | null> {
  const { text, offset } = cursorIn(golden.document);
  const document = await newDocument(golden.languageId, text);
  const provider = await offer(golden, document, offset);
  if (!provider) return null;
  try {
    const editor = await window.showTextDocument(document);
    const cursor = document.positionAt(offset);
    editor.selection = new Selection(cursor, cursor);
    await commands.executeCommand('editor.action.inlineSuggest.trigger');
    // No event tells that ghost text is shown; without any, accepting it does nothing.
    for (const end = Date.now() + shownWithinMs; document.getText() === text && Date.now() < end; await sleep(10))
      await commands.executeCommand('editor.action.inlineSuggest.commit');
    return document.getText();
  } finally {
    provider.dispose();
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
}

export const tests: Test[] = [
  it('the editor shows the text of each golden case, and accepts it as the case says', async () => {
    const config = workspace.getConfiguration('hearth');
    await config.update('mode', 'off', ConfigurationTarget.Global);
    const wrong: string[] = [];
    let shown = 0;
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md')) {
      for (const golden of goldenCases(readFileSync(join(folder, file), 'utf8'))) {
        const accepted = await acceptedIn(golden);
        if (accepted === null) continue;
        shown++;
        if (accepted !== golden.accepted)
          wrong.push(`${golden.languageId}: ${golden.title}\n--- expected\n${golden.accepted}\n--- got\n${accepted}`);
      }
    }
    await config.update('mode', undefined, ConfigurationTarget.Global);
    console.log(`${shown} golden texts`);
    assert.ok(shown > 100);
    assert.equal(wrong.join('\n'), '');
  }),
];
