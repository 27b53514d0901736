// Handles the messages about next edits in one window, and records the changes of the window's documents.
import type { Connection, TextDocumentContentChangeEvent } from 'vscode-languageserver';
import { type DocumentChange, OpenDocument } from '../documents/open-document.ts';
import { type EngineSource, NextEdits } from '../edits/next-edits.ts';
import { errorText, type Log, placeName } from '../protocol/log.ts';
import type { CursorParams, Settings } from '../protocol/messages.ts';
import {
  dismissEditNotification,
  type NextEditAnswer,
  type NextEditParams,
  nextEditRequest,
} from '../protocol/next-edit-messages.ts';
import * as wire from '../protocol/wire.ts';
import type { EditorWindow } from '../related-code/related-code.ts';

interface Parts {
  engines: EngineSource;
  settings: () => Settings;
  log: Log;
}

export class EditRequests {
  private readonly edits: NextEdits;

  constructor(
    connection: Connection,
    window: EditorWindow,
    private readonly parts: Parts,
  ) {
    this.edits = new NextEdits(window, parts.engines, parts.settings);
    wire.onNotification(connection, dismissEditNotification, (edit) => this.edits.dismiss(edit));
    wire.onRequest(connection, nextEditRequest, (params, token) => this.provide(params, wire.abortSignal(token)));
  }

  /** Like OpenDocument.update(), but also records the changes. If that fails, the document is still updated. */
  update(document: OpenDocument, changes: TextDocumentContentChangeEvent[], version: number): OpenDocument {
    if (this.parts.settings().nextEdit === 'off') return OpenDocument.update(document, changes, version);
    const made: DocumentChange[] = [];
    const updated = OpenDocument.update(document, changes, version, (change) => made.push(change));
    this.attempt(() => this.edits.changed(updated, made));
    return updated;
  }

  /** Call when the cursor rests. */
  rest(params: CursorParams): void {
    this.attempt(() => this.edits.rest(params));
  }

  /** Call when the settings have changed. */
  configured(): void {
    if (this.parts.settings().nextEdit === 'off') this.edits.clear();
  }

  forget(uri: string): void {
    this.edits.forget(uri);
  }

  /** Call when the window has closed. */
  close(): void {
    this.edits.clear();
  }

  private async provide(params: NextEditParams, signal: AbortSignal): Promise<NextEditAnswer> {
    const { log } = this.parts;
    const startedAt = performance.now();
    const failed = (error: unknown) => {
      log.error(`a next edit failed: ${errorText(error)}`);
      return { reason: 'failed' as const, edit: null };
    };
    const answer = await this.edits.provide(params, signal).catch(failed);
    const latencyMs = performance.now() - startedAt;
    if (answer.reason !== 'superseded')
      log.info(`next edit at ${placeName(params.uri, params.position)}: ${answer.reason}; ${latencyMs.toFixed(0)} ms`);
    return { ...answer, latencyMs };
  }

  private attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.parts.log.error(`an edit could not be remembered: ${errorText(error)}`);
    }
  }
}
