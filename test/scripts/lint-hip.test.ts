import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

function lint(...files: string[]): string {
  return spawnSync(process.execPath, [join(root, 'scripts/lint-hip.mjs'), ...files], { encoding: 'utf8' }).stdout;
}

function lintText(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-lint-'));
  const file = join(folder, 'a.cc');
  writeFileSync(file, text);
  const output = lint(file).replaceAll(`${file}:`, '');
  rmSync(folder, { recursive: true });
  return output;
}

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
  expect(lintText(`int x;\n${code}\n`)).toMatch(/^2: /);
  expect(lintText(code)).toContain(reason);
});

test('the lint grants asynchronous calls on the stream, and talk of the others', () => {
  expect(
    lintText(`
      // hipDeviceSynchronize() waits for the desktop, too.
      get("hipMemcpyAsync", api_.copy);
      check(api_.fill(data, 0, n_bytes, stream_), "clearing memory");
      hipMemcpyAsync(to, from, n, kind, stream);
      hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
    `),
  ).toBe('');
});

test('no host code of the GPU waits for the whole device', () => {
  const files = ['kernels/hip', 'native/gpu'].flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name)),
  );
  expect(files.length).toBeGreaterThan(10);
  expect(lint(...files)).toBe('');
});
