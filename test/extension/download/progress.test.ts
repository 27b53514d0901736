import { expect, test } from 'vitest';
import { progressText, SpeedMeter } from '../../../extension/download/progress.ts';

test('progress shows the bytes received, the speed and the time left', () => {
  const progress = { receivedBytes: 1.2e9, totalBytes: 4.7e9, bytesPerSecond: 23e6 };
  expect(progressText(progress)).toBe('1.20 of 4.70 GB, 23 MB/s, 3 min left');
  expect(progressText({ ...progress, bytesPerSecond: 250e6 })).toBe('1.20 of 4.70 GB, 250 MB/s, 14 s left');
  expect(progressText({ ...progress, bytesPerSecond: 0.2e6 })).toBe('1.20 of 4.70 GB, 0.2 MB/s, 4.9 h left');
});

test('progress leaves out an unknown speed', () => {
  expect(progressText({ receivedBytes: 5e8, totalBytes: 9e8, bytesPerSecond: null })).toBe('500 of 900 MB');
  expect(progressText({ receivedBytes: 0, totalBytes: 1e9, bytesPerSecond: 0 })).toBe('0.00 of 1.00 GB, 0.0 MB/s');
});

test('the speed is that of the last seconds', () => {
  const meter = new SpeedMeter();
  meter.add(0, 0);
  expect(meter.bytesPerSecond).toBeNull();
  for (let ms = 100; ms <= 10_000; ms += 100) meter.add(ms <= 4000 ? ms * 1000 : 4e6 + (ms - 4000) * 10_000, ms);
  expect((meter.bytesPerSecond ?? 0) / 1e6).toBeCloseTo(10, 1);
});

test('the speed of a stalled download drops', () => {
  const meter = new SpeedMeter();
  for (let ms = 0; ms <= 10_000; ms += 200) meter.add(Math.min(ms, 1000), ms);
  expect(meter.bytesPerSecond).toBe(0);
});
