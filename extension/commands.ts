// The commands of the palette. What they do is elsewhere; here they get their names.
import { commands, Disposable, window } from 'vscode';
import { doctorRequest } from '../language-server/protocol.ts';
import type { Client } from './client.ts';
import { readSettings, updateSetting } from './config.ts';
import type { ExplainSelection } from './explain-selection.ts';
import type { VirtualDocuments } from './virtual-documents.ts';

export function registerCommands(client: Client, documents: VirtualDocuments, explain: ExplainSelection): Disposable {
  const handlers: Record<string, () => Promise<void> | void> = {
    'hearth.toggle': toggle,
    'hearth.explainSelection': () => explain.run(),
    'hearth.selectModel': selectModel,
    'hearth.showLog': () => client.log.show(),
    'hearth.restartServer': () => client.restart(),
    'hearth.showStatus': () => showStatus(client, documents),
  };
  return Disposable.from(...Object.entries(handlers).map(([id, run]) => commands.registerCommand(id, run)));
}

async function toggle(): Promise<void> {
  const enabled = !readSettings().enabled;
  await updateSetting('enabled', enabled);
  // Ghost text that is already shown would otherwise stay until the next key.
  if (!enabled) await commands.executeCommand('editor.action.inlineSuggest.hide');
}

async function selectModel(): Promise<void> {
  const files = await window.showOpenDialog({
    title: 'Choose a Model for Hearth',
    openLabel: 'Use This Model',
    filters: { 'GGUF models': ['gguf'] },
  });
  if (files?.[0]) await updateSetting('model.path', files[0].fsPath);
}

async function showStatus(client: Client, documents: VirtualDocuments): Promise<void> {
  const report = await client.request<string>(doctorRequest).catch((error: Error) => error.message);
  const uri = documents.set('Hearth Status.txt', `${report.trimEnd()}\n`);
  await window.showTextDocument(uri, { preview: true });
}
