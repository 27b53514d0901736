// hearth replay: types a trace into the real language server and tells how it kept up.
import { bundledModelPath } from '../bundled-model.ts';
import type { Settings } from '../protocol.ts';
import { defaultSettings } from '../settings.ts';
import { type Command, count, languageIdOf, onlyOperand, printJson, text, UsageError } from './command.ts';
import { acceptGhostTexts } from './replay-accept.ts';
import { printReport, summarize } from './replay-report.ts';
import { ReplayServer } from './replay-server.ts';
import { soak } from './replay-soak.ts';
import { typeAndWait, typeLive } from './replay-typing.ts';
import { readTrace } from './trace.ts';

export const replayCommand: Command = {
  summary: 'type a recorded trace into the language server and time the answers',
  operands: 'TRACE.jsonl',
  options: {
    model: { type: 'string', value: 'FILE', help: 'GGUF file; without it the bundled starter model' },
    threads: { type: 'string', short: 't', value: 'N', help: 'threads; without it one a core, at most 8' },
    mode: { type: 'string', value: 'MODE', help: 'wait: for each answer; live: type at the recorded speed; wait' },
    'max-tokens': { type: 'string', short: 'n', value: 'N', help: 'longest completion; 16' },
    cache: { type: 'string', value: 'MIB', help: 'memory for what was read; without it as in the editor' },
    whole: { type: 'boolean', help: 'wait for whole answers; without it, as in the editor, take what there is early' },
    accept: { type: 'string', value: 'N', help: 'at the end accept N ghost texts, and time that too' },
    minutes: {
      type: 'string',
      value: 'N',
      help: 'type the trace live, again and again, and tell each minute of memory',
    },
    keys: { type: 'boolean', help: 'also print a line of JSON for each key' },
  },
  async run(values, operands) {
    const trace = readTrace(onlyOperand(operands, 'TRACE.jsonl'));
    const mode = text(values, 'mode') ?? 'wait';
    if (mode !== 'wait' && mode !== 'live') throw new UsageError(`--mode is wait or live, not "${mode}"`);
    const minutes = text(values, 'minutes');
    if (minutes !== undefined && !(Number(minutes) > 0))
      throw new UsageError(`--minutes wants a number, not "${minutes}"`);
    const settings: Settings = {
      ...defaultSettings,
      'model.path': text(values, 'model') ?? '',
      'engine.threads': count(values, 'threads') ?? 0,
      'cache.memoryMiB': count(values, 'cache') ?? 0,
      'completion.maxTokens': count(values, 'max-tokens') ?? 16,
    };
    const options = { settings, bundledModel: bundledModelPath(), asksAgain: values.whole !== true };
    const server = await ReplayServer.start(trace, languageIdOf(trace.name), options);
    try {
      const [first] = trace.edits;
      if (!first) throw new Error(`${trace.name}: the trace has no edits`);
      await server.rest({ line: first.line, character: first.character });
      if (minutes !== undefined) return await soak(server, trace, Number(minutes), values.json === true);
      const evaluatedBefore = server.status.engine?.cache.missTokens ?? 0;
      const keys = await (mode === 'wait' ? typeAndWait(server, trace) : typeLive(server, trace));
      if (values.keys) for (const [i, key] of keys.entries()) printJson({ insert: trace.edits[i]?.insert, ...key });
      const report = summarize(server, keys, evaluatedBefore);
      const accept = count(values, 'accept');
      if (accept !== undefined) report.accepting = await acceptGhostTexts(server, trace, accept);
      if (values.json) printJson(report);
      else printReport(report);
    } finally {
      await server.close();
    }
  },
};
