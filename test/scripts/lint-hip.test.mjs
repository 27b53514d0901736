import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { deviceWideWaits } from '../../scripts/lint-hip.mjs';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'hearth-lint-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['hipDeviceSynchronize();', 'hipDeviceSynchronize waits without bound'],
  ['check(hipStreamSynchronize(stream), "");', 'hipStreamSynchronize waits without bound'],
  ['get("hipEventSynchronize", api_.wait);', 'hipEventSynchronize waits without bound'],
  ['hipMemcpy(a, b, n, kind);', 'waits for the device'],
  ['get("hipMemcpyDtoH", api_.copy);', 'waits for the device'],
  ['hipMemset (a, 0, n);', 'waits for the device'],
  ['hipStreamCreate(&stream);', 'waits for the default one'],
  ['kernel<<<grid, block>>>(p);', 'launches on the default stream'],
  ['api_.copy(to, from,\n  n_bytes, kind, nullptr);', 'uses the default stream'],
  ['api_.record_event(event_, 0);', 'uses the default stream'],
])('the lint refuses %s', (code, reason) => {
  expect(deviceWideWaits(`int x;\n${code}\n`)).toEqual([[2, expect.stringContaining(reason)]]);
});

test('the lint allows asynchronous calls on the stream, and comments that name refused calls', () => {
  expect(
    deviceWideWaits(`
      // hipDeviceSynchronize() waits for the desktop, too.
      get("hipMemcpyAsync", api_.copy);
      check(api_.fill(data, 0, n_bytes, stream_), "clearing memory");
      hipMemcpyAsync(to, from, n, kind, stream);
      hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
    `),
  ).toEqual([]);
});

function lint(...files) {
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'scripts/lint-hip.mjs'), ...files], {
    encoding: 'utf8',
  });
  return { status, stdout };
}

test('the program fails, and names the file and line of a refused call', () => {
  const file = join(folder, 'a.cc');
  writeFileSync(file, 'int x;\nhipDeviceSynchronize();\n');
  expect(lint(file)).toEqual({ status: 1, stdout: expect.stringMatching(/a\.cc:2: hipDeviceSynchronize waits/) });
});

test('no host code for GPUs waits for the whole device', () => {
  const files = ['kernels/hip', 'native/gpu'].flatMap((room) =>
    readdirSync(join(root, room)).map((name) => join(root, room, name)),
  );
  expect(files.length).toBeGreaterThan(10);
  expect(lint(...files)).toEqual({ status: 0, stdout: '' });
});
