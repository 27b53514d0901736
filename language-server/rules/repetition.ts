// Cuts the text where the model begins to repeat itself. Not even the first copy is kept, as it is as likely to be
// wrong as the others.

const minLoopChars = 4;
const maxLoopChars = 60;
// A line may well repeat something several times, as in `false, false, false`.
const maxCopies = 8;

/** Where the repetition begins; text.length if there is none. */
export function repetitionStart(text: string): number {
  return Math.min(repeatedLines(text), repeatedWords(text));
}

/** Where one to four lines begin that occur three times in a row. */
function repeatedLines(text: string): number {
  const split = text.split('\n');
  // The first line has no indentation, since it begins at the cursor.
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
