export const closers = ')]}"\'`';
const openerOf: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

// The bracket or quote right of the cursor closes something left of it; the text may open and close its own pairs,
// but the first that it closes without having opened it is that one.
export function closingIndex(text: string, closer: string): number {
  const opener = openerOf[closer];
  if (opener === undefined) return text.search(new RegExp(`(?<!\\\\)${closer}`));
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === opener) depth++;
    if (text[i] === closer && depth-- === 0) return i;
  }
  return -1;
}
