// Compiles kernels/hip for AMD GPUs with hipcc, into one code object per architecture. Checks without a GPU that
// nothing spills or uses scratch memory, and that the machine code has dot-product and matrix instructions.
// Architectures that Debian's hipcc 5.2 does not know need a newer ROCm (kernels/hip/README.md).
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run, ToolError, version } from './tools.mjs';

const bitcode = '/usr/lib/x86_64-linux-gnu/amdgcn/bitcode';

/** If nvcc is installed, hipcc would silently compile for NVIDIA. */
const amd = { HIP_PLATFORM: 'amd' };

/** One architecture of each kind: gfx1030 has only dot products, gfx1100 also has WMMA. */
const kinds = ['gfx1030', 'gfx1100'];
/** All architectures of these kinds that Debian's hipcc knows. A release contains them all. */
const architectures = [
  ...kinds,
  ...['gfx1031', 'gfx1032', 'gfx1033', 'gfx1034', 'gfx1035', 'gfx1036'],
  ...['gfx1101', 'gfx1102', 'gfx1103'],
];

/** The instructions that an architecture's machine code must contain: dot products, and WMMA if it has that. */
function wantedInstructions(architecture) {
  if (/gfx1[12]/.test(architecture)) return [/v_dot4_i32_iu8/, /v_wmma_i32_16x16x16_iu8/];
  return [/v_dot4c?_i32_i8/];
}

/** The name or path of an LLVM program. Debian's names contain the LLVM version, ROCm's do not. */
function tool(name) {
  const names = [`${name}-15`, name, `/opt/rocm/llvm/bin/${name}`];
  const found = names.find(version);
  if (!found) throw new ToolError(`${name} is missing: install llvm-15`);
  return found;
}

const quietly = (command, args, env = {}) =>
  run(command, args, { quiet: true, env }).catch((error) => {
    throw new ToolError(`${error.message}\n${error.output ?? ''}`);
  });

/**
 * Arguments for an architecture whose file is missing in Debian's device libraries, such as gfx1100. The file contains
 * just one number, so this makes it, in a copy of the folder.
 */
async function libraryArgs(architecture, scratch) {
  const number = architecture.replace('gfx', '');
  const name = `oclc_isa_version_${number}.bc`;
  if (!existsSync(bitcode) || existsSync(join(bitcode, name))) return [];
  const folder = join(scratch, 'bitcode');
  mkdirSync(folder);
  for (const file of readdirSync(bitcode)) symlinkSync(join(bitcode, file), join(folder, file));
  const value = Number(number.slice(0, -2)) * 1000 + Number.parseInt(number.slice(-2), 16);
  const source = join(scratch, 'version.ll');
  writeFileSync(source, `@__oclc_ISA_version = linkonce_odr protected addrspace(4) constant i32 ${value}\n`);
  await quietly(tool('llvm-as'), [source, '-o', join(folder, name)]);
  return [`--rocm-device-lib-path=${folder}`];
}

/**
 * Arguments that let Clang 15 use all 256 registers on gfx11. By default it uses only 128, because the short encodings
 * of 16-bit instructions reach no others. Our code uses the long encodings (kernels/hip/gpu_amd.hip.h);
 * checkInstructions() verifies that.
 */
async function registerArgs(architecture) {
  const compiler = await quietly('hipcc', ['--version'], amd);
  const isLimited = architecture.startsWith('gfx11') && compiler.includes('clang version 15.');
  return isLimited ? ['-mllvm', '-amdgpu-limit-to-128-vgprs=0'] : [];
}
const shortForms = /v_\w*(?:f16|[iu]16|b16)\w*_(?:e32|dpp)\b.*\bv\[?(?:12[89]|1[3-9]\d|2\d\d)\b/;

/** The resources of each kernel, from the compiler's remarks: name -> { 'VGPRs': 36, ... }. */
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
  if (kernels.size === 0) throw new ToolError(`${architecture}: the compiler reported no kernel`);
  const wrong = [...kernels].flatMap(([name, use]) =>
    Object.entries(use)
      .filter(([key, value]) => /Scratch|Spill/.test(key) && value !== 0)
      .map(([key, value]) => `${architecture}: ${name} has ${key} ${value}`),
  );
  if (wrong.length > 0) throw new ToolError(wrong.join('\n'));
  const most = Math.max(...[...kernels.values()].map((use) => use.VGPRs ?? 0));
  return `${kernels.size} kernels, at most ${most} VGPRs, no scratch, no spills`;
}

async function checkInstructions(architecture, object, scratch) {
  const elf = join(scratch, 'kernels.elf');
  const target = `--targets=hipv4-amdgcn-amd-amdhsa--${architecture}`;
  await quietly(tool('clang-offload-bundler'), [
    '--unbundle',
    '--type=o',
    target,
    `--input=${object}`,
    `--output=${elf}`,
  ]);
  const code = await quietly(tool('llvm-objdump'), ['-d', `--mcpu=${architecture}`, elf]);
  const missing = wantedInstructions(architecture).find((wanted) => !wanted.test(code));
  if (missing) throw new ToolError(`${architecture}: no ${missing.source} in the machine code`);
  const unreachable = architecture.startsWith('gfx11') && shortForms.exec(code);
  if (unreachable) throw new ToolError(`${architecture}: an operand out of reach in ${unreachable[0]}`);
  const count = (pattern) => code.match(pattern)?.length ?? 0;
  return `${count(/v_dot4/g)} v_dot4, ${count(/v_wmma/g)} v_wmma`;
}

async function build(architecture, output) {
  const scratch = mkdtempSync(join(tmpdir(), 'hearth-hip-'));
  rmSync(join(output, `${architecture}.co`), { force: true }); // may be from older sources
  try {
    const object = join(scratch, `${architecture}.co`);
    const remarks = await quietly(
      'hipcc',
      [
        '--genco',
        `--offload-arch=${architecture}`,
        ...['-std=c++20', '-O3', '-ffp-contract=off', '-Rpass-analysis=kernel-resource-usage'],
        ...['-Ikernels', '-Ikernels/hip', '-x', 'hip', 'kernels/hip/kernels.hip', '-o', object],
        ...(await libraryArgs(architecture, scratch)),
        ...(await registerArgs(architecture)),
      ],
      amd,
    );
    writeFileSync(join(output, `${architecture}.log`), remarks);
    const used = checkResources(architecture, resources(remarks));
    const instructions = await checkInstructions(architecture, object, scratch);
    copyFileSync(object, join(output, `${architecture}.co`));
    console.log(`ok ${architecture}: ${used}; ${instructions}`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Builds and checks each file that ships. Resolves to the numbers of architectures that passed and failed. */
export const buildAmd = (names = architectures) => compile(names, join(root, 'dist/gpu'));

/** Compiles one architecture of each kind, to test that it works. */
export const tryAmd = () => compile(kinds, join(root, 'build/gpu'));

async function compile(names, output) {
  mkdirSync(output, { recursive: true });
  const waiting = [...names];
  let failed = 0;
  const worker = async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) {
      await build(name, output).catch((error) => {
        failed++;
        console.log(`FAIL ${error.message}`);
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, worker));
  return { passed: names.length - failed, failed };
}
