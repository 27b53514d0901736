// The entry point: activate() creates every feature of the extension. Only this folder uses the VS Code API.
import { join } from 'node:path';
import { commands, type ExtensionContext } from 'vscode';
import { modelHost, registerCommands } from './commands.ts';
import { Client } from './connection/client.ts';
import { ExplainSelection } from './explain/explain-selection.ts';
import { type EditsAtCursor, GhostText } from './ghost-text/ghost-text.ts';
import { canTriggerOnlyOurs } from './ghost-text/trigger-only-ours.ts';
import { hasOffered, offerRecommended } from './models/recommended-model.ts';
import { EditView } from './next-edit/edit-view.ts';
import { insertionAt } from './next-edit/insertion.ts';
import { NextEdits } from './next-edit/next-edit.ts';
import { EditOffer } from './next-edit/offered-edit.ts';
import { VirtualDocuments } from './pages/virtual-documents.ts';
import { DocumentModes } from './settings/document-mode.ts';
import { RequestCounter } from './statistics/request-counter.ts';
import { isFamiliar, Statistics } from './statistics/statistics.ts';
import { StatisticsPanel } from './statistics/statistics-panel.ts';
import { noticeOtherProviders } from './status/other-providers.ts';
import { showProblems } from './status/problem-message.ts';
import { RecentRequests } from './status/recent-requests.ts';
import { StatusBar } from './status/status-bar.ts';

let running: Client | undefined;

/** The extension's API: a test or another extension can wait until suggestions are available. */
export interface Api {
  readonly status: Client['status'];
  readonly onStatus: Client['onStatus'];
}

/** Does not wait for the server, so the window opens at once. Requests are answered as soon as a model is loaded. */
export function activate(context: ExtensionContext): Api {
  const client = new Client(context, canTriggerOnlyOurs);
  running = client;
  const { log } = client;
  const modes = new DocumentModes();
  const documents = new VirtualDocuments();
  const requests = new RecentRequests(client, documents);
  const explain = new ExplainSelection(client);
  const statistics = new Statistics(join(context.globalStorageUri.fsPath, 'statistics'), (message) =>
    log.warn(message),
  );
  const statisticsPanel = new StatisticsPanel(statistics);
  const offer = new EditOffer();
  const edits: EditsAtCursor = {
    insertionAt: (document, position) => insertionAt(offer, document, position),
    isChained: () => offer.isChained,
  };
  const counter = new RequestCounter(statistics, () => {
    nextEdits.accepted();
    offerBetterModel().catch((error: unknown) => log.warn(`No model could be recommended: ${String(error)}`));
  });
  const offerBetterModel = async () => {
    const { globalState } = context;
    if (!client.status.isStarter || hasOffered(globalState) || !isFamiliar(statistics.read(), new Date())) return;
    await offerRecommended(modelHost(context, client), globalState);
  };
  const ghostText = new GhostText(client, modes, edits, (request) => {
    requests.add(request);
    counter.add(request);
  });
  const editView = new EditView(context.asAbsolutePath('media/next-edit.svg'));
  const nextEdits = new NextEdits(client, modes, ghostText, offer, editView, {
    asked: (request) => requests.addEdit(request),
    shown: (languageId, latencyMs) =>
      void statistics.add(new Date(), { languageId, latencyMs: Math.round(latencyMs), isEdit: true }),
    applied: (languageId, characters) => {
      void statistics.add(new Date(), { languageId, characters, isEdit: true });
      void commands.executeCommand('setContext', 'hearth.hasAppliedEdit', true); // a step of the walkthrough
    },
  });
  context.subscriptions.push(
    client,
    modes,
    documents,
    requests,
    explain,
    counter,
    statisticsPanel,
    ghostText,
    nextEdits,
    new StatusBar(client, modes, requests),
    showProblems(client),
    registerCommands({ context, client, modes, documents, explain, requests, statistics: statisticsPanel }),
  );
  void client.start();
  void noticeOtherProviders(context);
  return client;
}

// The server is stopped here because VS Code waits for the promise of deactivate(), but not for one from dispose().
export async function deactivate(): Promise<void> {
  await running?.stop();
}
