// Finds out whether GPU drivers can be called. A broken driver might hang, or end the process that calls it, so a
// separate process calls it first. A file in the cache folder records the result. A failure is believed for a day. A
// success is believed for one call: `rememberThatItWorks()` records it again once that call has returned.
import { type ExecFileException, execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { addon, addonPath, EngineError, gpuKernels } from './addon.ts';
import type { LoadOptions } from './types.ts';

/** The backends to choose from. Each except 'cpu' needs a driver; 'auto' can use several. */
export type Backend = Exclude<NonNullable<LoadOptions['backend']>, 'webgpu-if-faster'>;

const vendors = { hip: "AMD's driver", cuda: "NVIDIA's driver", webgpu: 'the driver behind WebGPU' } as const;
type Vendor = keyof typeof vendors;

/** Waking several large GPUs takes seconds. */
const answerMs = 20_000;
const maxTextBytes = 2 ** 16;
const rememberedMs = 24 * 3_600_000;
/**
 * Ends when its parent ends, even if the driver hangs. NULs enclose the answer, since a driver might print something,
 * or exit with status 0.
 */
const program = `
  process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();
  require(process.argv[1]).gpus(process.argv[2], process.argv[3]).then((text) => {
    process.stdout.write('\\0' + text + '\\0', () => process.exit(0));
  });
`;
const advice = 'update it or restart the computer; "hearth doctor" tries it again, and so does Hearth after a day';

/** The drivers that a backend calls; with 'auto', only drivers that seem to be installed. */
const driversOf = (backend: Backend): Vendor[] => {
  if (backend === 'cpu') return [];
  if (backend !== 'auto') return [backend];
  return (['hip', 'cuda'] as const).filter((vendor) => addon().gpuDriver(vendor).isThere);
};

/** The backend to use so that no failing driver is called, and why drivers fail ('' if none fails). */
export async function usableBackend(
  backend: Backend,
  limitMs = answerMs,
): Promise<{ backend: Backend; problem: string }> {
  const drivers = driversOf(backend);
  const problems = await Promise.all(drivers.map((vendor) => problemOf(vendor, limitMs)));
  const problem = problems.filter((each) => each !== '').join('; ');
  const usable = drivers.filter((_, i) => problems[i] === '');
  return { backend: problem === '' ? backend : (usable[0] ?? 'cpu'), problem };
}

/** Call it when a model has been loaded onto a GPU. */
export function rememberThatItWorks(backend: Backend): void {
  for (const vendor of driversOf(backend)) remember(vendor, '');
}

/** The text of `hearth doctor` about all GPUs. Calls every driver again. */
export async function describeGpus(limitMs = answerMs): Promise<string> {
  const drivers = driversOf('auto');
  const [webgpu, ...asked] = await Promise.all(
    (['webgpu', ...drivers] as const).map(async (vendor) => (await askAnew(vendor, limitMs)).text),
  );
  if (asked.length === 0) asked.push(await addon().gpus('auto', gpuKernels())); // calls no driver; names what is missing
  return `${asked.join(', ')}; ${webgpu}`;
}

/** '' if the driver may be called. */
async function problemOf(vendor: Vendor, limitMs: number): Promise<string> {
  const file = addon().gpuDriver(vendor).recordFile;
  try {
    const problem = readFileSync(file, 'utf8');
    if (problem === '') rmSync(file);
    if (problem === '' || Date.now() - statSync(file).mtimeMs < rememberedMs) return problem;
  } catch {
    // No record yet.
  }
  const { text, works } = await askAnew(vendor, limitMs);
  return works ? '' : text;
}

async function askAnew(vendor: Vendor, limitMs: number): Promise<{ text: string; works: boolean }> {
  const path = addonPath();
  if (path === undefined) throw new EngineError('addon-missing', 'hearth.node is missing');
  const options = { timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: maxTextBytes, windowsHide: true } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, ['-e', program, path, vendor, gpuKernels()], options, (error, output) => {
      const [, text, end] = output.split('\0');
      if (error === null && text !== undefined && end !== undefined) {
        forget(vendor);
        return resolve({ text, works: true });
      }
      const problem = driverFault(vendor, error ?? { code: 0 }, limitMs);
      remember(vendor, problem);
      resolve({ text: problem, works: false });
    });
  });
}

/** Describes a driver's fault, from the way in which the process that called it has failed. */
export function driverFault(
  vendor: Vendor,
  { killed = false, signal, code }: Pick<ExecFileException, 'killed' | 'signal' | 'code'>,
  limitMs: number,
): string {
  const fault = killed
    ? `has not answered for ${limitMs / 1000} s`
    : `ends the process that calls it (${signal ?? code})`;
  return `${vendors[vendor]} ${fault}: ${advice}`;
}

function remember(vendor: Vendor, problem: string): void {
  const file = addon().gpuDriver(vendor).recordFile;
  try {
    if (file !== '') mkdirSync(dirname(file), { recursive: true });
    if (file !== '') writeFileSync(file, problem);
  } catch {
    // The next start asks the driver again.
  }
}

function forget(vendor: Vendor): void {
  rmSync(addon().gpuDriver(vendor).recordFile, { force: true });
}
