// Decides whether a language server that has crashed or hung is started again, and whether on the GPU or in safe mode.
// Without a limit, a crash loop would keep the processor busy and hide the cause.

/** If a server has been ready before, this many crashes within the time window are followed by a restart. */
const crashesWhenReady = 4;
/**
 * If no server has been ready yet (broken model, unsupported processor), only this many crashes are followed by a
 * restart, since the next server would probably crash, too.
 */
const crashesBeforeReady = 1;
const windowMs = 3 * 60 * 1000;
/** After this many crashes on the GPU, the CPU is used until the user restarts the server or reloads the window. */
const crashesOnGpu = 2;
/** After this many crashes within the time window, the server starts in safe mode. */
const crashesBeforeSafe = 3;

export class RestartPolicy {
  private wasReady = false;
  private isOnGpu = false;
  private crashes: { time: number; isHang: boolean }[] = [];
  private gpuCrashes = 0;

  get avoidsGpu(): boolean {
    return this.gpuCrashes >= crashesOnGpu;
  }

  /** Safe mode: the CPU, no draft model, none of Hearth's own adapters, no disk cache. */
  get isSafeMode(): boolean {
    return this.crashes.length >= crashesBeforeSafe;
  }

  /**
   * The factor for all time limits. Each recent hang doubles it: the server might not have hung, but just been slow.
   */
  get timeoutFactor(): number {
    return 2 ** this.crashes.filter(({ isHang }) => isHang).length;
  }

  recordReady(isOnGpu: boolean): void {
    this.wasReady = true;
    this.isOnGpu = isOnGpu;
  }

  /** Records a crash or a hang. Returns whether to start the server again. now: the time of performance.now(). */
  recordCrash(now: number, isHang = false): boolean {
    if (this.isOnGpu) this.gpuCrashes++;
    this.crashes = [...this.crashes.filter(({ time }) => now - time < windowMs), { time: now, isHang }];
    return this.crashes.length <= (this.wasReady ? crashesWhenReady : crashesBeforeReady);
  }
}
