// What a model has said about cases, kept in a file as it is said: asking takes minutes, and what was stopped goes on. The
// first line says what the others are of; each of them is a case.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { AskedCase } from './asked-cases.ts';

export class AskedFile {
  readonly cases: AskedCase[];

  /** of: what the answers depend on, in short. Throws if the file has answers of something else. */
  constructor(
    private readonly path: string,
    of: string,
  ) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    // What was being written when the tool was stopped has no line feed.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const [head, ...lines] = whole.split('\n').slice(0, -1);
    const heading = JSON.stringify({ of });
    if (head !== undefined && head !== heading)
      throw new Error(`${path} has what was said of other cases, by another model or before the evidence changed`);
    if (head === undefined) writeFileSync(path, `${heading}\n`);
    else if (whole !== text) writeFileSync(path, whole);
    this.cases = lines.map((line) => JSON.parse(line) as AskedCase);
  }

  add(asked: AskedCase): void {
    appendFileSync(this.path, `${JSON.stringify(asked)}\n`);
    this.cases.push(asked);
  }
}

/** parts: texts, numbers of cases, or what is in a file. */
export function shortOf(parts: readonly (string | Uint8Array | readonly number[])[]): string {
  const hash = createHash('sha256');
  for (const part of parts)
    hash.update(typeof part === 'string' || part instanceof Uint8Array ? part : Float64Array.from(part));
  return hash.digest('hex').slice(0, 16);
}
