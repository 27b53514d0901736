// Activation. The list of features below is the table of contents of this room, the only one that knows VS Code.
import type { ExtensionContext } from 'vscode';
import { Client } from './client.ts';
import { registerCommands } from './commands.ts';
import { sendSettingsOnChange } from './config.ts';
import { followCursor } from './cursor.ts';
import { ExplainSelection } from './explain-selection.ts';
import { showProblems } from './problem-message.ts';
import { StatusBar } from './status-bar.ts';
import { VirtualDocuments } from './virtual-documents.ts';

let client: Client | undefined;

/** What `activate` returns: enough for a test, or another extension, to wait until completions come. */
export interface Api {
  readonly status: Client['status'];
  readonly onStatus: Client['onStatus'];
}

export async function activate(context: ExtensionContext): Promise<Api> {
  client = new Client(context);
  const documents = new VirtualDocuments();
  const explain = new ExplainSelection(client);
  context.subscriptions.push(
    client,
    documents,
    explain,
    new StatusBar(client),
    showProblems(client),
    sendSettingsOnChange(client),
    followCursor(client),
    registerCommands(client, documents, explain),
  );
  await client.start();
  return client;
}

// Subscriptions are disposed synchronously; only here may the editor be asked to wait for the server's farewell.
export async function deactivate(): Promise<void> {
  await client?.stop();
}
