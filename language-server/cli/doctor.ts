// `hearth doctor`: the checks of diagnosis/machine.ts for a model that it loads itself, and what only a terminal gets.
import { writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { addonInfo, describeModel, type Engine, gpuReport, timeGpu } from '../../native/index.ts';
import { version } from '../../package.json';
import { check, reportLines } from '../diagnosis/check.ts';
import { examine } from '../diagnosis/machine.ts';
import { writeOpTrace } from '../diagnosis/op-trace.ts';
import { loadModel } from '../engine/load-model.ts';
import { homeFolder } from '../protocol/system.ts';
import {
  type Command,
  cpuOptions,
  engineOptions,
  loadFrom,
  modelPath,
  print,
  printJson,
  serverFrom,
  serverOptionsHelp,
  text,
  type Values,
} from './command.ts';

export const doctorCommand: Command = {
  summary: 'find out what works on this machine; exit code 1 if something is broken',
  operands: '',
  options: {
    ...engineOptions,
    ...serverOptionsHelp,
    trace: {
      type: 'string',
      value: 'FILE',
      help: 'writes there when each operation of a completion ran, for a browser',
    },
    'gpu-report': {
      type: 'string',
      value: 'FILE',
      help: 'writes there what the GPUs are, whether they are right, and how fast',
    },
  },
  async run(values) {
    const loaded: { engine?: Engine } = {};
    const server = serverFrom(values);
    const checks = await examine({
      ...(server && { server }),
      addonInfo,
      modelPath: modelPath(values),
      engine: async () => {
        loaded.engine = (await loadFrom(values)).engine;
        return loaded.engine;
      },
      loadModel,
      cpu: cpuOptions(values),
    });
    const { engine } = loaded;
    const traceFile = text(values, 'trace');
    if (traceFile !== undefined && engine) checks.push(await check('trace', () => writeOpTrace(engine, traceFile)));
    await engine?.close();
    const reportFile = text(values, 'gpu-report');
    if (reportFile !== undefined) checks.push(await check('GPU report', () => writeGpuReport(reportFile, values)));
    const isOk = checks.every((check) => check.isOk);
    if (values.json) printJson({ isOk, checks });
    else for (const line of reportLines(checks)) print(line);
    if (!isOk) process.exitCode = 1;
  },
};

async function writeGpuReport(file: string, values: Values): Promise<string> {
  const header = `Hearth ${version}, ${process.platform} ${process.arch} ${release()}, ${cpus()[0]?.model.trim()}`;
  const parts = [header, (await gpuReport()).trimEnd(), await raceText(values)];
  writeFileSync(file, `${withoutHome(parts.join('\n\n'))}\n`);
  return `written to ${file}; docs/gpu-report.md says how to read it`;
}

/** What is wrong with a GPU may name a file. */
function withoutHome(report: string): string {
  const home = homeFolder();
  return home.length > 1 ? report.replaceAll(home, '~') : report;
}

/** The model is named by what its file says, not by its path. */
async function raceText(values: Values): Promise<string> {
  const gpu = text(values, 'gpu');
  const { threads } = cpuOptions(values);
  const options = { modelPath: modelPath(values), ...(gpu !== undefined && { gpu }), ...(threads && { threads }) };
  const trial = await timeGpu(options);
  if (trial === undefined) return 'No GPU by WebGPU was timed.';
  const { parameters, quantization } = await describeModel(options.modelPath);
  const model = `a model of ${(parameters / 1e9).toFixed(2)}B parameters, ${quantization}`;
  const { figures } = trial;
  if (figures === undefined) return `${trial.gpu || 'The GPU'} fails with ${model}: ${trial.problem}`;
  const line = (name: string, values: readonly number[]) =>
    [name.padEnd(8), ...values.map((value) => value.toFixed(1).padStart(10))].join(' ');
  return [
    `${trial.gpu} and the CPU with ${model}, tokens per second`,
    `${'speed'.padEnd(8)} ${'reading'.padStart(10)} ${'writing'.padStart(10)}`,
    line('CPU', [figures.cpu.reading, figures.cpu.writing]),
    line('GPU', [figures.gpu.reading, figures.gpu.writing]),
    line('times', [figures.reading, figures.writing]),
    `The GPU is ${figures.isFaster ? '' : 'not '}worth using.`,
  ].join('\n');
}
