// Asks the server which edit follows from the user's last edits. A new question cancels the one before it.
import {
  CancellationTokenSource,
  DiagnosticSeverity,
  languages,
  type TextDocument,
  type TextEditor,
  window,
  workspace,
} from 'vscode';
import {
  type NextEdit,
  type NextEditTrigger,
  nextEditRequest,
} from '../../language-server/protocol/next-edit-messages.ts';
import type { Client } from '../connection/client.ts';
import type { AnsweredRequest } from '../ghost-text/ghost-text.ts';
import { section } from '../settings/config.ts';
import type { DocumentModes } from '../settings/document-mode.ts';

export function isTurnedOn(): boolean {
  return workspace.getConfiguration(section).get('nextEdit') !== 'off';
}

export class Questions {
  private request: CancellationTokenSource | null = null;
  /** The number of errors in each document at the last call of hasMoreErrors(). */
  private readonly errors = new WeakMap<TextDocument, number>();
  /** How long the last answer took. */
  latencyMs = 0;

  constructor(
    private readonly client: Client,
    private readonly modes: DocumentModes,
    private readonly onAnswer: (request: AnsweredRequest) => void,
  ) {}

  /** Resolves to the edit, if any; to undefined if this question was cancelled, for example by a newer one. */
  async ask(trigger: NextEditTrigger): Promise<NextEdit | null | undefined> {
    this.cancel();
    const request = new CancellationTokenSource();
    this.request = request;
    const edit = await this.answerTo(trigger, request).catch((error: unknown) => {
      if (this.request === request)
        this.client.log.warn(`A request for a next edit was not answered: ${String(error)}`);
      return null;
    });
    if (this.request !== request) return undefined;
    return edit && isCurrent(edit) ? edit : null;
  }

  cancel(): void {
    this.request?.cancel();
    this.request = null;
  }

  /** Whether the active document has more errors than at the last call. */
  hasMoreErrors(): boolean {
    const document = window.activeTextEditor?.document;
    if (!document) return false;
    const problems = languages.getDiagnostics(document.uri);
    const errors = problems.filter(({ severity }) => severity === DiagnosticSeverity.Error).length;
    const before = this.errors.get(document) ?? errors;
    this.errors.set(document, errors);
    return errors > before;
  }

  private async answerTo(trigger: NextEditTrigger, { token }: CancellationTokenSource): Promise<NextEdit | null> {
    const editor = window.activeTextEditor;
    if (!editor || !this.mayAsk(editor)) return null;
    const { document, selection } = editor;
    const { line, character } = selection.active;
    const { mode } = this.modes.of(document);
    const place = { uri: document.uri.toString(), version: document.version, position: { line, character } };
    const asked = { document, position: selection.active, time: new Date() };
    const { edit, reason, latencyMs } = await this.client.request(nextEditRequest, { ...place, trigger, mode }, token);
    if (!token.isCancellationRequested) this.onAnswer({ ...asked, reason, latencyMs });
    this.latencyMs = latencyMs;
    return edit;
  }

  /** Nothing is asked with several cursors, with a selection, or in a document without automatic suggestions. */
  private mayAsk({ document, selections }: TextEditor): boolean {
    const { health, problem } = this.client.status;
    const isReady = problem !== 'server' && health !== 'starting';
    const isOneCursor = selections.length === 1 && selections.every(({ isEmpty }) => isEmpty);
    return isTurnedOn() && isReady && isOneCursor && this.modes.of(document).mode === 'automatic';
  }
}

/** Whether the document has not changed since the edit was found. */
function isCurrent({ uri, version }: NextEdit): boolean {
  return workspace.textDocuments.some((document) => document.uri.toString() === uri && document.version === version);
}
