// The part "webgpu" of test/run.mjs: tests the WGSL kernels with Mesa's lavapipe, a Vulkan driver that computes on the
// processor.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildNative, buildWebgpuTests } from '../../scripts/build-native.mjs';
import { requireFiles, root, run } from '../../scripts/tools.mjs';
import { wgpuNative } from '../../scripts/wgpu-native.mjs';
import { add, nothing, program, vitest } from '../support/results.mjs';

const folder = join(root, 'build/native/webgpu_tests');
const families = ['llama', 'qwen3', 'granite'].map((name) => `test/fixtures/reference/tiny-${name}.gguf`);

/** editorTests: a function that runs files of test/e2e with environment variables. */
export async function webgpuTests(editorTests) {
  await requireFiles({
    '/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so': 'mesa-vulkan-drivers',
    '/usr/lib/x86_64-linux-gnu/libvulkan.so.1': 'libvulkan1',
  });
  const HEARTH_WGPU_LIBRARY = await wgpuNative();
  await buildNative({ addon: true });
  await buildWebgpuTests();
  const XDG_CACHE_HOME = mkdtempSync(join(tmpdir(), 'hearth-webgpu-')); // so that the self-test runs only once
  const env = {
    ...{ HEARTH_WGPU_LIBRARY, XDG_CACHE_HOME, HEARTH_WEBGPU_ANY_ADAPTER: '1', XDG_RUNTIME_DIR: '/tmp' },
    // The driver takes a third of a second to compile each of 470 kernels, so it keeps them for the next run.
    MESA_SHADER_CACHE_DIR: join(root, '.cache/mesa'),
  };
  const sums = await Promise.all([
    ops(env),
    models(env).then(async (sum) => add(sum, await engines(env, editorTests))),
  ]);
  rmSync(XDG_CACHE_HOME, { recursive: true });
  return sums.reduce(add);
}

/** The op suite, in two processes of low priority, because the tests that run meanwhile expect answers in seconds. */
async function ops(env) {
  const half = (part) => program('nice', [join(folder, 'webgpu_tests'), '--share', part], env);
  return add(...(await Promise.all(['0/2', '1/2'].map(half))));
}

/** Small models that together have matrices of every type. */
async function models(env) {
  let sum = nothing;
  for (const name of ['tiny:q4_k_m', 'tiny:q8_0', ...families]) sum = add(sum, await model(name, env));
  return sum;
}

async function model(name, env) {
  try {
    await run(join(folder, 'webgpu_model_test'), [name], { quiet: true, env });
    return { ...nothing, passed: 1 };
  } catch (error) {
    console.log(error.output);
    return { ...nothing, failed: 1, names: [`${name} with WebGPU`] };
  }
}

/** Tests of the engine, and of a real VS Code. */
async function engines(env, editorTests) {
  const files = ['webgpu', 'reference'].map((name) => `test/native/${name}.test.ts`);
  const sum = await vitest('webgpu', ['--project', 'engine', ...files, '-t', '^webgpu '], env);
  return add(sum, await editorTests(['webgpu.test.ts'], env));
}
