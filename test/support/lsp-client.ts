// Language clients for tests and tools. An LspWindow uses any connection; an LspClient is a window that starts its own
// server process and talks to it over stdio, as any editor does.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import {
  CancellationToken,
  createProtocolConnection,
  type InlineCompletionItem,
  type InlineCompletionList,
  type MessageReader,
  type MessageWriter,
  type ProtocolConnection,
  type Registration,
  RegistrationRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type TextDocumentContentChangeEvent,
} from 'vscode-languageserver-protocol/node';
import {
  type CompletionOutcome,
  type CursorParams,
  cursorNotification,
  type InitializationOptions,
  type ServerStatus,
  type Settings,
  settingsNotification,
  statusNotification,
} from '../../language-server/protocol/messages.ts';
import {
  type NextEditAnswer,
  type NextEditParams,
  nextEditRequest,
} from '../../language-server/protocol/next-edit-messages.ts';

type Answer = InlineCompletionList & CompletionOutcome;

export class LspWindow {
  readonly connection: ProtocolConnection;
  readonly statuses: ServerStatus[] = [];
  /** The methods that the server has registered for. */
  readonly registered: Registration[] = [];
  /** Never resolves. Rejects once the server is known to have ended. */
  protected readonly ended: Promise<never> = new Promise(() => {});
  private readonly waiting = new Set<() => void>();
  private readonly versions = new Map<string, number>();

  constructor(reader: MessageReader, writer: MessageWriter) {
    this.connection = createProtocolConnection(reader, writer);
    this.connection.onNotification(statusNotification.method, (status: ServerStatus) => {
      this.statuses.push(status);
      for (const look of this.waiting) look();
    });
    this.connection.listen();
  }

  async initialize(
    settings: Partial<Settings> = {},
    options: Partial<InitializationOptions> = {},
    workspaceFolders: { uri: string; name: string }[] | null = null,
    /** Answers workspace/configuration; absent if the client does not support this request. */
    configuration?: () => unknown,
  ): Promise<void> {
    if (configuration)
      this.connection.onRequest('workspace/configuration', ({ items }: { items: { section: string }[] }) =>
        Promise.all(items.map(async ({ section }) => (section === 'hearth' ? configuration() : null))),
      );
    this.connection.onRequest(RegistrationRequest.type, ({ registrations }) => {
      this.registered.push(...registrations);
    });
    const workspace = {
      workspaceFolders: workspaceFolders !== null,
      ...(configuration && { configuration: true, didChangeConfiguration: { dynamicRegistration: true } }),
    };
    const initialized = this.connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      workspaceFolders,
      capabilities: { workspace },
      initializationOptions: { settings, ...options },
    });
    await Promise.race([initialized, this.ended]);
    await this.connection.sendNotification('initialized', {});
  }

  /** Resolves to the first status, past or future, that meets the condition. */
  status(isWanted: (status: ServerStatus) => boolean): Promise<ServerStatus> {
    const found = new Promise<ServerStatus>((resolve) => {
      const look = () => {
        const status = this.statuses.find(isWanted);
        if (!status) return;
        this.waiting.delete(look);
        resolve(status);
      };
      this.waiting.add(look);
      look();
    });
    return Promise.race([found, this.ended]);
  }

  /** Resolves when the model is loaded or loading has failed. */
  async settled(): Promise<ServerStatus> {
    return this.status(({ health }) => health === 'ready' || health === 'error');
  }

  open(uri: string, text: string, languageId = 'typescript'): Promise<void> {
    this.versions.set(uri, 1);
    const textDocument = { uri, languageId, version: 1, text };
    return this.connection.sendNotification('textDocument/didOpen', { textDocument });
  }

  close(uri: string): Promise<void> {
    return this.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
  }

  /** Sends an incremental change that inserts text and replaces some characters after it. */
  type(uri: string, line: number, character: number, text: string, deleted = 0): Promise<void> {
    const range = { start: { line, character }, end: { line, character: character + deleted } };
    return this.change(uri, { range, text });
  }

  change(uri: string, change: TextDocumentContentChangeEvent): Promise<void> {
    const version = (this.versions.get(uri) ?? 0) + 1;
    this.versions.set(uri, version);
    return this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [change],
    });
  }

  rest(uri: string, line: number, character: number): Promise<void> {
    const params: CursorParams = { uri, position: { line, character } };
    return this.connection.sendNotification(cursorNotification.method, params);
  }

  /** Requests a completion. Resolves to the items in the answer. */
  async complete(
    uri: string,
    line: number,
    character: number,
    token = CancellationToken.None,
  ): Promise<InlineCompletionItem[]> {
    return (await this.answer(uri, line, character, token)).items;
  }

  answer(uri: string, line: number, character: number, token = CancellationToken.None): Promise<Answer> {
    const params = { textDocument: { uri }, position: { line, character }, context: { triggerKind: 2 } };
    return this.connection.sendRequest('textDocument/inlineCompletion', params, token);
  }

  /** Requests the edit that follows from what was typed. */
  nextEdit(uri: string, line: number, character: number, token = CancellationToken.None): Promise<NextEditAnswer> {
    const version = this.versions.get(uri) ?? 1;
    const params: NextEditParams = { uri, version, position: { line, character }, trigger: 'pause' };
    return this.connection.sendRequest(nextEditRequest.method, params, token);
  }

  settings(settings: Partial<Settings>): Promise<void> {
    return this.connection.sendNotification(settingsNotification.method, settings);
  }
}

export class LspClient extends LspWindow {
  protected override readonly ended: Promise<never>;

  private constructor(readonly child: ChildProcessByStdio<Writable, Readable, null>) {
    super(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
    this.ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the language server ended with exit code ${code}`);
    });
    this.ended.catch(() => this.connection.dispose());
  }

  static async start(
    [program = '', ...args]: string[],
    ...options: Parameters<LspWindow['initialize']>
  ): Promise<LspClient> {
    const client = new LspClient(spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
    await client.initialize(...options);
    return client;
  }

  /** Shuts the server down as LSP specifies; resolves to its exit code. */
  async stop(): Promise<number | null> {
    const exited = once(this.child, 'exit');
    await this.connection.sendRequest('shutdown');
    await this.connection.sendNotification('exit');
    const [code] = (await exited) as [number | null];
    this.connection.dispose();
    return code;
  }
}
