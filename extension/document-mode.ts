// When text is offered in a document: what the settings say of it, unless the user has paused everything for a while or
// the machine runs on battery.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Disposable, EventEmitter, languages, type TextDocument, workspace } from 'vscode';
import type { Mode, Reason } from '../language-server/protocol.ts';
import { section } from './config.ts';

const batteryCheckMs = 30_000;
const powerSupplies = '/sys/class/power_supply';

export interface DocumentMode {
  mode: Mode;
  /** Why it is not automatic. */
  reason: Extract<Reason, 'shown' | 'off' | 'manual' | 'excluded' | 'snoozed' | 'on-battery'>;
}

export class DocumentModes implements Disposable {
  private snoozedUntil = 0;
  private isOnBattery = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly batteryTimer: NodeJS.Timeout;
  private readonly changeEmitter = new EventEmitter<void>();
  /** Something changed for all documents. */
  readonly onChange = this.changeEmitter.event;

  constructor() {
    const look = () => this.lookAtBattery();
    this.batteryTimer = setInterval(look, batteryCheckMs).unref();
    look();
  }

  of(document: TextDocument): DocumentMode {
    const config = workspace.getConfiguration(section, document);
    const mode = config.get<Mode>('mode', 'automatic');
    if (mode === 'off') return { mode, reason: 'off' };
    const excluded = config.get<string[]>('exclude', []);
    if (excluded.some((pattern) => languages.match({ pattern }, document) > 0))
      return { mode: 'off', reason: 'excluded' };
    if (this.isSnoozed) return { mode: 'manual', reason: 'snoozed' };
    if (this.isOnBattery && config.get('pauseOnBattery', false)) return { mode: 'manual', reason: 'on-battery' };
    return { mode, reason: mode === 'manual' ? 'manual' : 'shown' };
  }

  get isSnoozed(): boolean {
    return performance.now() < this.snoozedUntil;
  }

  /** Zero minutes end the pause. */
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

  private lookAtBattery(): void {
    const isOnBattery = runsOnBattery();
    if (isOnBattery === this.isOnBattery) return;
    this.isOnBattery = isOnBattery;
    this.changeEmitter.fire();
  }
}

/** As the Linux kernel says; elsewhere nothing that needs no program of its own does, and the answer is no. */
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
