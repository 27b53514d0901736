// A model that has lost the thread writes the same again and again. Not even its first copy is shown: it is as likely to
// be wrong as the others.

const minLoopChars = 4;
const maxLoopChars = 60;
// Within a line a list may say the same several times over: `false, false, false`.
const maxCopies = 8;

/** Where the loop begins; the text's length if there is none. */
export function repetitionStart(text: string): number {
  return Math.min(repeatedLines(text), repeatedWords(text));
}

/** The same lines, up to four of them, three times over. */
function repeatedLines(text: string): number {
  const split = text.split('\n');
  // The first line stands behind the indentation that the others begin with.
  const lines = split.map((line) => line.trim());
  const isCopy = (i: number, length: number) =>
    lines.slice(i, i + length).every((line, j) => line === lines[i + length + j] && line === lines[i + 2 * length + j]);
  let begin = 0;
  for (const i of lines.keys()) {
    for (let length = 1; length <= 4 && i + 3 * length <= lines.length; length++) {
      const hasWords = /[\p{L}]{3}/u.test(lines.slice(i, i + length).join(''));
      if (hasWords && isCopy(i, length)) return begin;
    }
    begin += (split[i]?.length ?? 0) + 1;
  }
  return text.length;
}

function repeatedWords(text: string): number {
  for (const loop of text.matchAll(new RegExp(`([^\\n]{${minLoopChars},${maxLoopChars}}?)\\1{${maxCopies},}`, 'g'))) {
    if (/\p{L}/u.test(loop[1] ?? '')) return loop.index;
  }
  return text.length;
}
