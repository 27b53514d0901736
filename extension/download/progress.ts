// The progress of a download, its speed, and the time left.
import { l10n } from 'vscode';

export interface Progress {
  receivedBytes: number;
  totalBytes: number;
  /** The average over the last seconds; null at the beginning. */
  bytesPerSecond: number | null;
}

/** The speed is the average over this time. */
const windowMs = 5000;
/** While the samples cover less time, there is no speed. */
const minMs = 500;

/** Measures the speed of a download. */
export class SpeedMeter {
  private samples: { atMs: number; bytes: number }[] = [];

  /** bytes: the number of bytes received so far. Only a few samples per second are kept. */
  add(bytes: number, atMs: number): void {
    const last = this.samples.at(-1);
    if (last && atMs - last.atMs < minMs / 4) return;
    this.samples.push({ atMs, bytes });
    while (this.samples.length > 2 && atMs - (this.samples[0]?.atMs ?? atMs) > windowMs) this.samples.shift();
  }

  get bytesPerSecond(): number | null {
    const [first, last] = [this.samples[0], this.samples.at(-1)];
    if (!first || !last || last.atMs - first.atMs < minMs) return null;
    return ((last.bytes - first.bytes) * 1000) / (last.atMs - first.atMs);
  }
}

/** "1.24 of 4.68 GB, 23 MB/s, 2 min left" */
export function progressText({ receivedBytes, totalBytes, bytesPerSecond }: Progress): string {
  const [unit, bytesPerUnit, digits] = totalBytes < 1e9 ? ['MB', 1e6, 0] : ['GB', 1e9, 2];
  const number = (bytes: number) => (bytes / bytesPerUnit).toFixed(digits);
  const parts = [l10n.t('{0} of {1} {2}', number(receivedBytes), number(totalBytes), unit)];
  if (bytesPerSecond !== null) parts.push(`${(bytesPerSecond / 1e6).toFixed(bytesPerSecond < 10e6 ? 1 : 0)} MB/s`);
  if (bytesPerSecond) parts.push(l10n.t('{0} left', durationText((totalBytes - receivedBytes) / bytesPerSecond)));
  return parts.join(', ');
}

function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
