// Records the results of GPU trials by model, in a file in the cache folder. Each build of Hearth has its own file.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { addon } from './addon.ts';
import type { GpuTrial } from './model-types.ts';

interface Entry {
  trial?: GpuTrial | undefined;
  /** The number of trials that have begun since the last one that ended. */
  begun: number;
  /** When the last one began or ended, in ms since 1970. */
  at: number;
}

const rememberedMs = 24 * 3_600_000;
/**
 * After this many trials in a row that never ended, we assume that they crash the computer. (A single trial might have
 * been killed.)
 */
const maxBegun = 2;

/** The trials of a model. The key contains everything that the model's speed depends on. */
export class GpuRecord {
  constructor(
    private readonly key: string,
    private readonly file = addon().gpuDriver('webgpu').trialsFile,
  ) {}

  get trial(): GpuTrial | undefined {
    return this.entry.trial;
  }

  /** False for a day after a trial has failed, or after two in a row have never ended. */
  get mayBegin(): boolean {
    const { trial, begun, at } = this.entry;
    const isOver = Date.now() - at >= rememberedMs;
    return this.file !== '' && (isOver || (begun < maxBegun && trial?.problem === undefined));
  }

  begin(): void {
    const { trial, begun, at } = this.entry;
    this.write({ trial, begun: Date.now() - at >= rememberedMs ? 1 : begun + 1, at: Date.now() });
  }

  /** trial: absent if it was aborted, which says nothing about the GPU. */
  end(trial = this.entry.trial): void {
    this.write({ trial, begun: 0, at: Date.now() });
  }

  private get entry(): Entry {
    return this.readAll()[this.key] ?? { begun: 0, at: 0 };
  }

  private readAll(): Record<string, Entry> {
    try {
      return JSON.parse(readFileSync(this.file, 'utf8')) as Record<string, Entry>;
    } catch {
      return {}; // nothing is known, or the file is damaged
    }
  }

  private write(entry: Entry): void {
    try {
      mkdirSync(dirname(this.file), { recursive: true });
      writeFileSync(this.file, JSON.stringify({ ...this.readAll(), [this.key]: entry }));
    } catch {
      // The next start tries the GPU again.
    }
  }
}
