// npm run tool -- replay TRACE: types a trace into the real language server and times its answers.
import { type Command, count, onlyOperand, printJson, text, UsageError } from '../../language-server/cli/command.ts';
import { acceptGhostTexts } from './replay-accept.ts';
import { ReplayEditor, serverOptions } from './replay-editor.ts';
import { printReport, summarize } from './replay-report.ts';
import { soak } from './replay-soak.ts';
import { typeAndWait, typeLive } from './replay-typing.ts';
import { readTrace } from './trace.ts';

export const replayCommand: Command = {
  summary: 'type the session of a trace into the language server and time the answers',
  operands: 'TRACE.jsonl',
  options: {
    ...serverOptions(16),
    mode: {
      type: 'string',
      value: 'MODE',
      help: 'wait for each answer before the next key, or live: type at the recorded speed; default: wait',
    },
    rest: { type: 'boolean', help: 'in mode wait: rest in each new line until the server has read the prompt' },
    whole: { type: 'boolean', help: 'take only complete answers; otherwise also text that still grows' },
    accept: { type: 'string', value: 'N', help: 'at the end, accept N ghost texts and time that' },
    minutes: { type: 'string', value: 'N', help: 'type the trace live over and over; print the memory every minute' },
    keys: { type: 'boolean', help: 'also print a line of JSON for each key' },
  },
  async run(values, operands) {
    const trace = readTrace(onlyOperand(operands, 'TRACE.jsonl'));
    const mode = text(values, 'mode') ?? 'wait';
    if (mode !== 'wait' && mode !== 'live') throw new UsageError(`--mode is wait or live, not "${mode}"`);
    const minutes = text(values, 'minutes');
    if (minutes !== undefined && !(Number(minutes) > 0))
      throw new UsageError(`--minutes must be a number, not "${minutes}"`);
    const editor = await ReplayEditor.start(trace, values, values.whole !== true);
    try {
      const [first] = trace.edits;
      if (!first) throw new Error(`${trace.name}: the trace has no edits`);
      await editor.rest({ line: first.line, character: first.character });
      if (minutes !== undefined) return await soak(editor, trace, Number(minutes), values.json === true);
      const evaluatedBefore = editor.status.engine?.cache.missTokens ?? 0;
      const keys = await (mode === 'wait' ? typeAndWait(editor, trace, values.rest === true) : typeLive(editor, trace));
      if (values.keys) for (const [i, key] of keys.entries()) printJson({ insert: trace.edits[i]?.insert, ...key });
      const report = summarize(editor, keys, evaluatedBefore);
      const accept = count(values, 'accept');
      if (accept !== undefined) report.accepting = await acceptGhostTexts(editor, trace, accept);
      if (values.json) printJson(report);
      else printReport(report);
    } finally {
      await editor.close();
    }
  },
};
