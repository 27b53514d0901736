// The prompt that asks what becomes of some lines: the last edits, each with the lines before and after, and then the
// lines in question as if they had been edited, too.
import type { Engine } from '../../native/index.ts';
import { concatTokens, tokenizeText } from '../prompt/fim-prompt.ts';
import type { PastEdit } from './text-edit.ts';

const mostEdits = 3;
const mostLines = 40;

/** The newest edits, oldest first. */
export function editsHead(engine: Engine, history: readonly PastEdit[]): Uint32Array {
  const { bosToken } = engine.info;
  const records = history
    .slice(-mostEdits)
    .map((each) => record(engine, each.path, `${shortened(each.before)}\nupdated:\n${shortened(each.after)}\n`));
  return concatTokens(...(bosToken < 0 ? [] : [bosToken]), ...records);
}

/** Up to the place where the new lines begin. */
export function question(engine: Engine, path: string, lines: string): Uint32Array {
  return record(engine, path, `${lines}\nupdated:\n`);
}

function record(engine: Engine, path: string, lines: string): Uint32Array {
  const { fileSep } = engine.info.special;
  const text = tokenizeText(engine, `${path}.diff\noriginal:\n${lines}`);
  return fileSep < 0 ? text : concatTokens(fileSep, text);
}

/** The beginning and the end of a long text. */
function shortened(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= mostLines) return text;
  return [...lines.slice(0, mostLines / 2), '...', ...lines.slice(1 - mostLines / 2)].join('\n');
}
