// Decides whether a document gets suggestions automatically, only on request or never, by the settings, the document's
// name, and the snooze.
import { type Disposable, EventEmitter, type TextDocument, workspace } from 'vscode';
import type { Mode } from '../../language-server/protocol/messages.ts';
import { isMessage, type Reason } from '../../language-server/protocol/reasons.ts';
import { hasSecretName } from '../../language-server/protocol/secret-names.ts';
import { modeFor, section } from './config.ts';
import { isExcluded } from './exclusions.ts';

export interface DocumentMode {
  mode: Mode;
  /** Why the mode is not automatic; 'shown' if it is. */
  reason: Extract<Reason, 'shown' | 'off' | 'manual' | 'excluded' | 'secrets-file' | 'message' | 'snoozed'>;
}

export class DocumentModes implements Disposable {
  private snoozedUntil = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly changeEmitter = new EventEmitter<void>();
  /** Fires when the mode of a document may have changed. */
  readonly onChange = this.changeEmitter.event;
  private readonly settingsListener = workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(section)) this.changeEmitter.fire();
  });

  /** The mode of documents whose language has no mode of its own. */
  get general(): Mode {
    return modeFor();
  }

  of(document: TextDocument): DocumentMode {
    const mode = modeFor(document);
    if (mode === 'off') return { mode, reason: 'off' };
    if (isMessage(document.languageId)) return { mode: 'off', reason: 'message' };
    if (isExcluded(document.uri)) return { mode: 'off', reason: 'excluded' };
    if (hasSecretName(document.uri.toString())) return { mode: 'off', reason: 'secrets-file' };
    if (this.snoozeEnd) return { mode: 'manual', reason: 'snoozed' };
    return { mode, reason: mode === 'manual' ? 'manual' : 'shown' };
  }

  /** When the snooze ends; null if there is none. */
  get snoozeEnd(): Date | null {
    const leftMs = this.snoozedUntil - performance.now();
    return leftMs > 0 ? new Date(Date.now() + leftMs) : null;
  }

  /** snooze(0) ends the snooze. */
  snooze(minutes: number): void {
    clearTimeout(this.timer);
    this.snoozedUntil = performance.now() + minutes * 60_000;
    // The timer may fire a fraction of a millisecond before snoozedUntil. snooze(0) ends the snooze all the same.
    if (minutes > 0) this.timer = setTimeout(() => this.snooze(0), minutes * 60_000).unref();
    this.changeEmitter.fire();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.settingsListener.dispose();
    this.changeEmitter.dispose();
  }
}
