// Activation. The list of features below is the table of contents of this room, the only one that knows VS Code.
import { join } from 'node:path';
import type { ExtensionContext } from 'vscode';
import { Client } from './client.ts';
import { registerCommands } from './commands.ts';
import { DocumentModes } from './document-mode.ts';
import { ExplainSelection } from './explain-selection.ts';
import { GhostText } from './ghost-text.ts';
import { noticeOtherProviders } from './other-providers.ts';
import { showProblems } from './problem-message.ts';
import { RecentRequests } from './recent-requests.ts';
import { RequestCounter } from './request-counter.ts';
import { StatisticsFile } from './statistics-file.ts';
import { StatisticsPanel } from './statistics-panel.ts';
import { StatusBar } from './status-bar.ts';
import { canTriggerAlone } from './trigger-alone.ts';
import { VirtualDocuments } from './virtual-documents.ts';

let client: Client | undefined;

/** What `activate` returns: enough for a test, or another extension, to wait until suggestions come. */
export interface Api {
  readonly status: Client['status'];
  readonly onStatus: Client['onStatus'];
}

/** Does not wait for the server: the editor goes on painting, and keys are answered as soon as there is a model. */
export function activate(context: ExtensionContext): Api {
  client = new Client(context, canTriggerAlone);
  const { log } = client;
  const modes = new DocumentModes();
  const documents = new VirtualDocuments();
  const requests = new RecentRequests(documents);
  const explain = new ExplainSelection(client);
  const statisticsFile = new StatisticsFile(join(context.globalStorageUri.fsPath, 'statistics'), (message) =>
    log.warn(message),
  );
  const counter = new RequestCounter(statisticsFile);
  const statistics = new StatisticsPanel(statisticsFile);
  context.subscriptions.push(
    // Before the client, whose log it writes to.
    statisticsFile,
    client,
    modes,
    documents,
    requests,
    explain,
    counter,
    statistics,
    new GhostText(client, modes, (request) => {
      requests.add(request);
      counter.add(request);
    }),
    new StatusBar(client, modes),
    showProblems(client),
    registerCommands({ context, client, modes, documents, explain, requests, statistics }),
  );
  void client.start();
  void noticeOtherProviders(context);
  return client;
}

// Subscriptions are disposed synchronously; only here may the editor be asked to wait for the server's farewell.
export async function deactivate(): Promise<void> {
  await client?.stop();
}
