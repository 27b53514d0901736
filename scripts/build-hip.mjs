// Compiles kernels/hip for AMD GPUs with hipcc, one code object an architecture, and proves what can be
// proven without one: no spills, no scratch memory, and the dot-product instructions in the machine code.
//   build-hip.mjs                          dist/hip/<architecture>.co for those that Debian's hipcc 5.2 knows
//   build-hip.mjs gfx942 gfx1201           these instead (needs a ROCm that knows them)
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(fileURLToPath(import.meta.url), '..', '..');
const output = join(root, 'dist', 'hip');
const defaultArchitectures = ['gfx906', 'gfx90a', 'gfx1030', 'gfx1100'];
const bitcode = '/usr/lib/x86_64-linux-gnu/amdgcn/bitcode';

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (result.error) throw new Error(`${command} cannot run: ${result.error.message}`);
  if (result.status !== 0) throw new Error(`${command} failed:\n${result.stderr || result.stdout}`);
  return result;
}

/** The first of these programs that is there: Debian names LLVM's by version, ROCm does not. */
function tool(name) {
  const names = [`${name}-15`, name, `/opt/rocm/llvm/bin/${name}`];
  const found = names.find((candidate) => !spawnSync(candidate, ['--version']).error);
  if (!found) throw new Error(`${name} is missing: install llvm-15`);
  return found;
}

/** Debian's device libraries lack the one file that names gfx1100; it holds a single number. */
function libraryArgs(architecture, scratch) {
  const number = architecture.replace('gfx', '');
  if (!existsSync(bitcode) || existsSync(join(bitcode, `oclc_isa_version_${number}.bc`))) return [];
  const folder = join(scratch, 'bitcode');
  mkdirSync(folder);
  for (const name of readdirSync(bitcode)) symlinkSync(join(bitcode, name), join(folder, name));
  const value = Number(number.slice(0, -2)) * 1000 + Number.parseInt(number.slice(-2), 16);
  const source = `@__oclc_ISA_version = linkonce_odr protected addrspace(4) constant i32 ${value}\n`;
  run(tool('llvm-as'), ['-', '-o', join(folder, `oclc_isa_version_${number}.bc`)], { input: source });
  return [`--rocm-device-lib-path=${folder}`];
}

/** Kernel name -> { 'VGPRs': 36, ... } from the compiler's remarks. */
function resources(remarks) {
  const kernels = new Map();
  let current = {};
  for (const [, key, value] of remarks.matchAll(/remark:\s+([^:\n]+): (\S+) \[-Rpass/g)) {
    if (key === 'Function Name') {
      current = {};
      kernels.set(value, current);
    } else {
      current[key] = Number(value);
    }
  }
  return kernels;
}

function checkResources(architecture, kernels) {
  if (kernels.size === 0) throw new Error(`${architecture}: the compiler reported no kernel`);
  for (const [name, use] of kernels) {
    for (const [key, value] of Object.entries(use)) {
      if (/Scratch|Spill/.test(key) && value !== 0) throw new Error(`${architecture}: ${name} has ${key} ${value}`);
    }
  }
  const most = Math.max(...[...kernels.values()].map((use) => use.VGPRs ?? 0));
  return `${kernels.size} kernels, at most ${most} VGPRs, no scratch, no spills`;
}

function countInstructions(architecture, object, scratch) {
  const elf = join(scratch, 'kernels.elf');
  const target = `--targets=hipv4-amdgcn-amd-amdhsa--${architecture}`;
  run(tool('clang-offload-bundler'), ['--unbundle', '--type=o', target, `--input=${object}`, `--output=${elf}`]);
  const text = run(tool('llvm-objdump'), ['-d', `--mcpu=${architecture}`, elf]).stdout;
  const count = (pattern) => text.match(pattern)?.length ?? 0;
  return { dot4: count(/v_dot4/g), matrix: count(/v_mfma|v_wmma/g) };
}

function build(architecture) {
  const scratch = mkdtempSync(join(tmpdir(), 'hearth-hip-'));
  try {
    const object = join(output, `${architecture}.co`);
    const flags = ['-std=c++20', '-O3', '-ffp-contract=off', '-Rpass-analysis=kernel-resource-usage'];
    const includes = ['-Ikernels', '-Ikernels/hip'];
    const args = [
      '--genco',
      `--offload-arch=${architecture}`,
      ...flags,
      ...includes,
      ...libraryArgs(architecture, scratch),
    ];
    // With nvcc installed hipcc would quietly compile for NVIDIA.
    const env = { ...process.env, HIP_PLATFORM: 'amd' };
    const { stderr } = run('hipcc', [...args, '-x', 'hip', 'kernels/hip/kernels.hip', '-o', object], {
      cwd: root,
      env,
    });
    writeFileSync(join(output, `${architecture}.log`), stderr);
    const report = checkResources(architecture, resources(stderr));
    const { dot4, matrix } = countInstructions(architecture, object, scratch);
    if (dot4 + matrix === 0) throw new Error(`${architecture}: no dot-product instruction in the machine code`);
    console.log(`${architecture}: ${report}; ${dot4} v_dot4, ${matrix} v_mfma/v_wmma`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

mkdirSync(output, { recursive: true });
try {
  const architectures = process.argv.slice(2);
  for (const architecture of architectures.length ? architectures : defaultArchitectures) build(architecture);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
