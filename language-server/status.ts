// Puts together what the editor is told about the server.
import type { Timings } from '../native/index.ts';
import type { EngineHost } from './engine-host.ts';
import type { ServerStatus, Settings } from './protocol.ts';
import { Throughput } from './throughput.ts';

export class StatusReporter {
  private readonly throughput = new Throughput();
  private last: ServerStatus['last'];
  private alarm: string | null = null;

  constructor(
    private readonly host: EngineHost,
    private readonly settings: () => Settings,
    private readonly send: (status: ServerStatus) => void,
  ) {}

  answered(timings: Timings, latencyMs: number): void {
    this.throughput.add(timings);
    this.last = { ...timings, latencyMs };
    this.report();
  }

  /** What the watchdog says; null when the engine moves again. */
  setAlarm(message: string | null): void {
    this.alarm = message;
    this.report();
  }

  report(): void {
    this.send(this.status());
  }

  private status(): ServerStatus {
    const { state } = this.host;
    if (this.alarm !== null) return { health: 'error', message: this.alarm };
    if (!this.settings().enabled) return { health: 'off', ...this.figures() };
    if (state.kind === 'failed') return { health: 'error', message: state.message };
    if (state.kind === 'loading') return { health: 'loading', progress: state.progress };
    if (state.kind === 'unloaded') return { health: 'starting' };
    return { health: 'ready', ...this.figures() };
  }

  private figures(): Omit<ServerStatus, 'health'> {
    const { engine } = this.host;
    const { decodeTokensPerSecond, prefillTokensPerSecond } = this.throughput;
    return {
      ...(engine && { model: engine.info, engine: engine.status() }),
      ...(decodeTokensPerSecond !== undefined && { decodeTokensPerSecond }),
      ...(prefillTokensPerSecond !== undefined && { prefillTokensPerSecond }),
      ...(this.last && { last: this.last }),
    };
  }
}
