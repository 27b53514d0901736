// Whether a document gets suggestions automatically, only on request or never: by the settings, and while suggestions
// are snoozed or the computer runs on battery.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Disposable, EventEmitter, type TextDocument, workspace } from 'vscode';
import type { Mode } from '../language-server/protocol/messages.ts';
import type { Reason } from '../language-server/protocol/reasons.ts';
import { hasSecretName } from '../language-server/protocol/secret-names.ts';
import { modeFor, section } from './config.ts';
import { isExcluded } from './exclusions.ts';

const batteryCheckMs = 30_000;
const powerSupplies = '/sys/class/power_supply';

export interface DocumentMode {
  mode: Mode;
  /** Why the mode is not automatic; 'shown' if it is. */
  reason: Extract<Reason, 'shown' | 'off' | 'manual' | 'excluded' | 'secrets-file' | 'snoozed' | 'on-battery'>;
}

export class DocumentModes implements Disposable {
  private snoozedUntil = 0;
  private isOnBattery = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly batteryTimer: NodeJS.Timeout;
  private readonly changeEmitter = new EventEmitter<void>();
  /** Fires when the modes of all documents may have changed. */
  readonly onChange = this.changeEmitter.event;

  constructor() {
    const check = () => this.checkBattery();
    this.batteryTimer = setInterval(check, batteryCheckMs).unref();
    check();
  }

  of(document: TextDocument): DocumentMode {
    const mode = modeFor(document);
    if (mode === 'off') return { mode, reason: 'off' };
    if (isExcluded(document.uri)) return { mode: 'off', reason: 'excluded' };
    if (hasSecretName(document.uri.toString())) return { mode: 'off', reason: 'secrets-file' };
    if (this.snoozeEnd) return { mode: 'manual', reason: 'snoozed' };
    if (this.isOnBattery && workspace.getConfiguration(section).get('pauseOnBattery', false))
      return { mode: 'manual', reason: 'on-battery' };
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
    if (minutes > 0) this.timer = setTimeout(() => this.changeEmitter.fire(), minutes * 60_000).unref();
    this.changeEmitter.fire();
  }

  dispose(): void {
    clearTimeout(this.timer);
    clearInterval(this.batteryTimer);
    this.changeEmitter.dispose();
  }

  private checkBattery(): void {
    const isOnBattery = runsOnBattery();
    if (isOnBattery === this.isOnBattery) return;
    this.isOnBattery = isOnBattery;
    this.changeEmitter.fire();
  }
}

/** Asks the Linux kernel. On other systems this is always false, as finding out would take a helper program. */
export function runsOnBattery(folder = powerSupplies): boolean {
  const read = (supply: string, file: string) => {
    try {
      return readFileSync(join(folder, supply, file), 'utf8').trim();
    } catch {
      return '';
    }
  };
  try {
    const supplies = readdirSync(folder);
    return supplies.some((supply) => read(supply, 'type') === 'Battery' && read(supply, 'status') === 'Discharging');
  } catch {
    return false;
  }
}
