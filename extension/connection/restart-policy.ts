// Decides whether a language server that has crashed or hung is started again, on the GPU or not, in safe mode or not.
// Without a limit, endless crashes would keep the processor busy and hide their cause.

/** If a server has been ready, servers are restarted after up to this many crashes within the time window. */
const crashesWhenReady = 4;
/**
 * The limit if no server has been ready yet (broken model, unsupported processor): the next one would probably crash,
 * too.
 */
const crashesBeforeReady = 1;
const windowMs = 3 * 60 * 1000;
/** After this many crashes on the GPU, servers use the CPU until the user restarts the server or reloads the window. */
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

  /** The factor of all time limits. Each recent hang doubles it: perhaps the server was only slow. */
  get timeoutFactor(): number {
    return 2 ** this.crashes.filter(({ isHang }) => isHang).length;
  }

  recordReady(isOnGpu: boolean): void {
    this.wasReady = true;
    this.isOnGpu = isOnGpu;
  }

  /** Records a crash or a hang. Returns whether to start the server again. now: by performance.now(). */
  recordCrash(now: number, isHang = false): boolean {
    if (this.isOnGpu) this.gpuCrashes++;
    this.crashes = [...this.crashes.filter(({ time }) => now - time < windowMs), { time: now, isHang }];
    return this.crashes.length <= (this.wasReady ? crashesWhenReady : crashesBeforeReady);
  }
}
