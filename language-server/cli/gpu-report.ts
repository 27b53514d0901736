// Writes the file of `hearth doctor --gpu-report`. People send it to us, so it contains no paths and not their name.
import { writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import {
  describeModel,
  type GpuTrial,
  gpuReport,
  type LoadOptions,
  type ModelDescription,
  timeGpu,
} from '../../native/index.ts';
import { version } from '../../package.json';
import { homeFolder } from '../protocol/system.ts';

/**
 * options: the model to time on the first GPU that WebGPU finds and on the CPU. Resolves to a sentence for the user.
 */
export async function writeGpuReport(file: string, options: LoadOptions): Promise<string> {
  const header = `Hearth ${version}, ${process.platform} ${process.arch} ${release()}, ${cpus()[0]?.model.trim()}`;
  const gpus = (await gpuReport()).trimEnd();
  const trial = trialText(await timeGpu(options), await describeModel(options.modelPath));
  writeFileSync(file, `${withoutHome([header, gpus, trial].join('\n\n'), homeFolder())}\n`);
  return `written to ${file}; docs/gpu-report.md says how to read it`;
}

/** The report without the name of the home folder: the message about a GPU's problem may contain a path. */
export function withoutHome(report: string, home: string): string {
  return home.length > 1 ? report.replaceAll(home, '~') : report;
}

/** Names the model by its size, not by its path, since the path may contain the user's name. */
export function trialText(trial: GpuTrial | undefined, { parameters, quantization }: ModelDescription): string {
  if (trial === undefined) return 'No GPU was timed with WebGPU.';
  const model = `a model of ${(parameters / 1e9).toFixed(2)}B parameters, ${quantization}`;
  const { gpu, figures, problem } = trial;
  if (figures === undefined) return `${gpu || 'The GPU'} fails with ${model}: ${problem}`;
  const row = (name: string, cells: string[]) => [name.padEnd(8), ...cells.map((cell) => cell.padStart(10))].join(' ');
  const numbers = (name: string, { reading, writing }: { reading: number; writing: number }) =>
    row(name, [reading.toFixed(1), writing.toFixed(1)]);
  return [
    `${gpu} and the CPU with ${model}, in tokens per second`,
    row('', ['reading', 'writing']),
    numbers('CPU', figures.cpu),
    numbers('GPU', figures.gpu),
    numbers('times', figures),
    `The GPU is ${figures.isFaster ? '' : 'not '}worth using.`,
  ].join('\n');
}
