// Reads golden cases; test/golden/README.md says how they are written.

export interface GoldenCase {
  languageId: string;
  title: string;
  why: string;
  /** With $0 at the cursor. */
  document: string;
  /** The model's text, and the probabilities of the characters that are marked with one. */
  model: string;
  probabilities: ReadonlyMap<number, number>;
  isCutOff: boolean;
  multiline: 'auto' | 'always' | 'never';
  /** The document after the suggestion was accepted, or "silent: REASON". */
  accepted: string;
}

export function goldenCases(markdown: string): GoldenCase[] {
  const [head = '', ...sections] = markdown.split(/^## /m);
  const languageId = /^# (\S+)/.exec(head)?.[1] ?? '';
  return sections.map((section) => goldenCase(languageId, section));
}

function goldenCase(languageId: string, section: string): GoldenCase {
  const [title = '', ...lines] = section.split('\n');
  const body = lines.join('\n');
  const why = body.slice(0, body.indexOf('```')).trim();
  const silent = /^Silent: `([\w-]+)`$/m.exec(body)?.[1];
  const accepted = silent === undefined ? block(body, 'accepted') : `silent: ${silent}`;
  const multiline = /^Multiline: (always|never)$/m.exec(body)?.[1];
  return {
    languageId,
    title,
    why,
    document: block(body, 'document'),
    ...withProbabilities(block(body, 'model')),
    isCutOff: /^Cut off/m.test(body),
    multiline: multiline === 'always' || multiline === 'never' ? multiline : 'auto',
    accepted,
  };
}

function block(body: string, name: string): string {
  const found = new RegExp(`^(\`{3,})${name}\\n(.*?)\\n?\\1$`, 'ms').exec(body);
  if (!found) throw new Error(`a case has no ${name}: ${body.slice(0, 80)}`);
  return found[2] ?? '';
}

/** `⟨.2⟩` before a character gives its probability. */
function withProbabilities(marked: string): Pick<GoldenCase, 'model' | 'probabilities'> {
  const probabilities = new Map<number, number>();
  const [first = '', ...rest] = marked.split('⟨');
  let model = first;
  for (const part of rest) {
    const end = part.indexOf('⟩');
    probabilities.set([...model].length, Number(part.slice(0, end)));
    model += part.slice(end + 1);
  }
  return { model, probabilities };
}
