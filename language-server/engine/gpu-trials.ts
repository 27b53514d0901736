// Finds out whether a GPU is faster than the CPU, if it should be used only then. The trial runs while nobody types.
import type { Engine, ModelInfo } from '../../native/index.ts';
import { freeMemoryBytes } from '../models/estimate.ts';
import { errorText, type Log } from '../protocol/log.ts';

/** After this long without a request, the user is probably doing something else. */
const quietMs = 30_000;

export class GpuTrials {
  private running: AbortController | undefined;
  private readonly done = new WeakSet<Engine>();

  constructor(
    private readonly log: Log,
    private readonly onChange: () => void,
    private readonly freeBytes = freeMemoryBytes,
  ) {}

  /**
   * Call every few seconds. Starts a trial if this is a good time for one. quietForMs: the time since the last request.
   */
  look(engine: Engine | null, quietForMs: number): void {
    if (engine?.tryGpu === undefined || this.running !== undefined || this.done.has(engine)) return;
    if (quietForMs < quietMs || engine.status().state !== 'idle') return;
    // The trial loads the model a second time, perhaps into the same memory: the GPU might have none of its own.
    const { cache } = engine.status();
    if (this.freeBytes() < engine.info.weightBytes + cache.pagesTotal * cache.pageBytes) return;
    void this.run(engine, engine.tryGpu);
  }

  /** Call at each request, and before the engine is closed. */
  interrupt(): void {
    this.running?.abort();
  }

  private async run(engine: Engine, tryGpu: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    this.running = controller;
    try {
      await tryGpu(signal);
    } catch (error) {
      if (!signal.aborted) this.log.error(`the GPU cannot be tried: ${errorText(error)}`);
    }
    this.running = undefined;
    if (signal.aborted) return;
    this.done.add(engine);
    const line = trialLine(engine.info);
    if (line !== null) this.log.info(line);
    this.onChange();
  }
}

/** The result of the trial, for the log; null if no GPU was tried. */
export function trialLine({ gpuTrial, device }: ModelInfo): string | null {
  if (gpuTrial === undefined) return null;
  const { gpu, figures, problem } = gpuTrial;
  if (figures === undefined) return `${gpu || 'the GPU'} was tried and is not in use: ${problem}`;
  const { reading, writing, isFaster } = figures;
  const use = device === 'gpu' ? 'in use' : isFaster ? 'in use from the next start' : 'not in use';
  return `${gpu} was tried: reading ${times(reading)}, writing ${times(writing)} the CPU's speed: ${use}`;
}

const times = (factor: number) => `${factor.toFixed(1)} times`;
