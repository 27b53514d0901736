// `hearth doctor`: runs the checks of diagnosis/machine.ts on a model that it loads itself. Unlike "Show Status", it
// can also write a trace and a report on the GPUs.
import { addonInfo, type Engine } from '../../native/index.ts';
import { check, reportLines } from '../diagnosis/check.ts';
import { examine } from '../diagnosis/machine.ts';
import { writeOpTrace } from '../diagnosis/op-trace.ts';
import { loadModel } from '../engine/load-model.ts';
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
} from './command.ts';
import { writeGpuReport } from './gpu-report.ts';

export const doctorCommand: Command = {
  summary: 'find out what works on this machine; exit code 1 if something is broken',
  operands: '',
  options: {
    ...engineOptions,
    ...serverOptionsHelp,
    trace: {
      type: 'string',
      value: 'FILE',
      help: "write a timeline of a completion's operations there, to view in a browser",
    },
    'gpu-report': {
      type: 'string',
      value: 'FILE',
      help: 'write there what the GPUs are, whether they compute correctly, and how fast',
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
    const gpu = text(values, 'gpu');
    const timed = { modelPath: modelPath(values), ...cpuOptions(values), ...(gpu !== undefined && { gpu }) };
    if (reportFile !== undefined) checks.push(await check('GPU report', () => writeGpuReport(reportFile, timed)));
    const isOk = checks.every((check) => check.isOk);
    if (values.json) printJson({ isOk, checks });
    else for (const line of reportLines(checks)) print(line);
    if (!isOk) process.exitCode = 1;
  },
};
