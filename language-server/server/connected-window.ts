// The editor window at the other end of a connection: its open documents, its workspace folders and its related code.
import type { Connection, InitializeParams, TextDocuments } from 'vscode-languageserver';
import type { OpenDocument } from '../documents/open-document.ts';
import type { WorkspaceFolder } from '../prompt/document-path.ts';
import {
  type InitializationOptions,
  type RelatedParams,
  type RelatedResult,
  relatedRequest,
} from '../protocol/messages.ts';
import { request } from '../protocol/wire.ts';
import type { EditorWindow } from '../related-code/related-code.ts';

export class ConnectedWindow implements EditorWindow {
  private workspaceFolders: WorkspaceFolder[] = [];
  private reportsFolderChanges = false;
  private options: Partial<InitializationOptions> = {};
  /** Whether the server must ask the editor for the settings. */
  mustRequestSettings = false;
  /** Whether the server must register for changes of the configuration. */
  mustRegister = false;

  constructor(
    private readonly connection: Connection,
    private readonly documents: TextDocuments<OpenDocument>,
  ) {}

  initialize({ workspaceFolders, capabilities, initializationOptions }: InitializeParams): void {
    this.options = initializationOptions ?? {};
    const { configuration, didChangeConfiguration } = capabilities.workspace ?? {};
    const needsSettings = !this.options.hasOwnSettings;
    this.mustRequestSettings = needsSettings && configuration === true;
    this.mustRegister = needsSettings && didChangeConfiguration?.dynamicRegistration === true;
    this.workspaceFolders = workspaceFolders ?? [];
    this.reportsFolderChanges = capabilities.workspace?.workspaceFolders ?? false;
  }

  initialized(): void {
    if (!this.reportsFolderChanges) return;
    this.connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
      const isGone = ({ uri }: WorkspaceFolder) => removed.some((folder) => folder.uri === uri);
      this.workspaceFolders = [...this.workspaceFolders.filter((folder) => !isGone(folder)), ...added];
    });
  }

  openDocuments(): OpenDocument[] {
    return this.documents.all();
  }

  folders(): WorkspaceFolder[] {
    return this.workspaceFolders;
  }

  related(params: RelatedParams): Promise<RelatedResult> {
    const { sharesCode, sharesOpenDocuments } = this.options;
    if (sharesCode) return request(this.connection, relatedRequest, params);
    return Promise.resolve({ defined: [], shared: sharesOpenDocuments ? params.documents : [] });
  }
}
