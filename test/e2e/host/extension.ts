// Tests inside the extension host, which see Hearth through VS Code's API, as another extension does.
import assert from 'node:assert/strict';
import { commands, extensions, Selection, window, workspace } from 'vscode';
import type { Api } from '../../../extension/extension.ts';
import { defaultSettings } from '../../../language-server/protocol/settings.ts';
import { accept } from './accept.ts';
import { it, type Test } from './suite.ts';

const hearth = extensions.getExtension<Api>('hearth.hearth');

async function ready(): Promise<Api> {
  assert.ok(hearth);
  const api = await hearth.activate();
  if (api.status.health !== 'ready') {
    await new Promise<void>((resolve, reject) => {
      const listening = api.onStatus(({ health, message }) => {
        if (health !== 'ready' && health !== 'error') return;
        listening.dispose();
        if (health === 'ready') resolve();
        else reject(new Error(message));
      });
    });
  }
  return api;
}

export const tests: Test[] = [
  it('activates and loads the bundled model', async () => {
    const api = await ready();
    assert.match(api.status.model?.path ?? '', /starter\.gguf$/);
  }),

  it('registers every command of its manifest', async () => {
    const contributed: { command: string }[] = hearth?.packageJSON.contributes.commands;
    const registered = new Set(await commands.getCommands(true));
    assert.deepEqual(
      contributed.map(({ command }) => command).filter((command) => !registered.has(command)),
      [],
    );
  }),

  it('has the default settings that the server knows', () => {
    const config = workspace.getConfiguration('hearth');
    for (const [key, value] of Object.entries(defaultSettings)) assert.deepEqual(config.get(key), value, key);
  }),

  it('completes in a document that was never saved', async () => {
    await ready();
    const text =
      'function add(a: number, b: number) {\n  return a + b;\n}\n\nfunction multiply(a: number, b: number) {\n  ret';
    const document = await workspace.openTextDocument({ language: 'typescript', content: text });
    const editor = await window.showTextDocument(document);
    const end = document.positionAt(text.length);
    editor.selection = new Selection(end, end);
    await accept(document);
    assert.ok(document.getText().startsWith(text));
    assert.ok(document.getText().length > text.length, 'no ghost text was accepted');
  }),

  it('shows the full status as a read-only document', async () => {
    await ready();
    await commands.executeCommand('hearth.showStatus');
    const document = window.activeTextEditor?.document;
    assert.equal(document?.uri.scheme, 'hearth');
    assert.notEqual(document?.getText().trim(), '');
  }),
];
