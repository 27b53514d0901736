// A file with a model's answers about cases. Asking takes minutes, so each answer is written as soon as it arrives, and
// a stopped tool can continue. The first line is a digest of everything that the answers depend on; each other line is
// a case.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

export class AskedFile<Asked> {
  readonly cases: Asked[];

  /** digest: of everything that the answers depend on. Throws if the file has answers with another digest. */
  constructor(
    private readonly path: string,
    digest: string,
  ) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    // If the tool was stopped while it wrote a line, that line has no line feed.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const [head, ...lines] = whole.split('\n').slice(0, -1);
    const heading = JSON.stringify({ of: digest });
    if (head !== undefined && head !== heading)
      throw new Error(`${path} has answers about other cases, of another model, or from before the evidence changed`);
    if (head === undefined) writeFileSync(path, `${heading}\n`);
    else if (whole !== text) writeFileSync(path, whole);
    this.cases = lines.map((line) => JSON.parse(line) as Asked);
  }

  add(asked: Asked): void {
    appendFileSync(this.path, `${JSON.stringify(asked)}\n`);
    this.cases.push(asked);
  }
}

/** A short digest of all parts: texts, lists of numbers, or the contents of files. */
export function shortOf(parts: readonly (string | Uint8Array | readonly number[])[]): string {
  const hash = createHash('sha256');
  for (const part of parts)
    hash.update(typeof part === 'string' || part instanceof Uint8Array ? part : Float64Array.from(part));
  return hash.digest('hex').slice(0, 16);
}
