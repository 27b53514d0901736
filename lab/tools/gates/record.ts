// npm run tool -- record FOLDER --out FILE: records what a model writes at the folder's places.
import { appendFileSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, count, onlyOperand } from '../../../language-server/cli/command.ts';
import { GrowingText } from '../../../language-server/offers/growing-text.ts';
import { Anchors } from '../../../language-server/prompt/anchors.ts';
import { placeAt } from '../../../language-server/shape/place.ts';
import type { Completer } from '../../../native/index.ts';
import { completerOptions, withCompleter } from '../completer.ts';
import { required } from '../input.ts';
import {
  cursorDocument,
  loadGrammars,
  maxTokens,
  type RecordedPlace,
  type Recording,
  readCuts,
  readRecordings,
  readSessions,
} from './recording.ts';

const noGate = { line: 0, beginning: 1 };
// The recording continues for some tokens after the rules would end the text, since the rules may change.
const tokensAfterEnd = 6;

export const recordCommand: Command = {
  summary: 'record what a model writes at places, for `gates` and `eval --recorded`; a stopped run can continue',
  operands: 'FOLDER or CASES.jsonl',
  options: {
    ...completerOptions,
    out: { type: 'string', value: 'FILE', help: 'the recordings are appended to it, one line of JSON each' },
    cuts: { type: 'string', value: 'N', help: 'only the first N places cut out of files' },
    sessions: { type: 'string', value: 'N', help: 'only the first N sessions' },
    window: {
      type: 'string',
      value: 'N',
      help: 'only N characters before the cursor, and a third of that after it; default: all',
    },
  },
  async run(values, operands) {
    await loadGrammars();
    const out = required(values, 'out', 'FILE');
    const path = onlyOperand(operands, 'FOLDER');
    const isFolder = statSync(path).isDirectory();
    const cuts = readCuts(isFolder ? join(path, 'cuts.jsonl') : path).slice(0, count(values, 'cuts'));
    const sessions = isFolder ? readSessions(path).slice(0, count(values, 'sessions')) : [];
    const earlier = existsSync(out) ? readRecordings(out) : null;
    const window = count(values, 'window') ?? Number.POSITIVE_INFINITY;
    await withCompleter(values, async (engine) => {
      const { name } = engine.info;
      if (earlier === null) appendFileSync(out, `${JSON.stringify({ name })}\n`);
      else if (earlier.model.name !== name)
        throw new Error(`${out} has recordings of ${earlier.model.name}, not of ${name}`);
      const anchors = new Anchors(engine);
      for (const place of [...cuts, ...sessions.flat()]) {
        if (earlier?.recordings.has(place.id)) continue;
        const recording = await record(engine, anchors, within(place, window));
        appendFileSync(out, `${JSON.stringify({ id: place.id, ...recording })}\n`);
        if (place.kind !== 'typed') anchors.forgetAll();
      }
    });
  },
};

/**
 * The place, if its text fits in the window. Otherwise only the lines before the cursor that fit in it, and a third as
 * much text after the cursor.
 */
export function within<T extends Pick<RecordedPlace, 'prefix' | 'suffix'>>(place: T, window: number): T {
  const { prefix, suffix } = place;
  if (prefix.length + suffix.length <= window) return place;
  const from = prefix.length <= window ? 0 : prefix.indexOf('\n', prefix.length - window - 1) + 1;
  return { ...place, prefix: prefix.slice(from), suffix: suffix.slice(0, window / 3) };
}

async function record(engine: Completer, anchors: Anchors, place: RecordedPlace): Promise<Recording> {
  const at = placeAt(cursorDocument(place), 'auto');
  const growing = new GrowingText(at, noGate, maxTokens);
  const pieces: Recording['pieces'] = [];
  let afterEnd = 0;
  const { finishReason } = await engine.generate(
    { ...anchors.prompt(at.document), maxTokens },
    (piece, logProbability) => {
      pieces.push([piece, logProbability]);
      growing.add(piece, logProbability);
      return growing.isEnough && ++afterEnd > tokensAfterEnd;
    },
  );
  return {
    lineBreak: at.lineBreak,
    pieces,
    isEnded: finishReason === 'stop' && !(growing.isEnough && afterEnd > tokensAfterEnd),
  };
}
