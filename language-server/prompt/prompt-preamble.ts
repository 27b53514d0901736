// The preamble of a prompt: what precedes the document's text. It names the repository, contains code from other files,
// and ends with the document's path, in qwen2.5-coder's repository format. It is empty for models that lack the tokens
// of that format.
//   [<|repo_name|>NAME\n [<|file_sep|>PATH\nCODE\n]...] <|file_sep|>PATH\n
import type { Completer } from '../../native/index.ts';
import type { PromptPlace } from './document-path.ts';
import { concatTokens, tokenizeText } from './fim-prompt.ts';

/** A piece of another file, or of a part of this file that is not in the prompt anyway. */
export interface Snippet {
  /** The path in the workspace. */
  path: string;
  /** The number of its first line. */
  line: number;
  text: string;
}

/** How many characters before and after the cursor the prompt contains anyway. */
export interface PromptReach {
  before: number;
  after: number;
}

export interface PromptPreamble {
  path: string;
  tokens: Uint32Array;
  /** The texts of its snippets, most useful first. */
  texts: string[];
  /** The paths of its snippets. */
  sources: ReadonlySet<string>;
}

// Of a longer path, only the end is used.
const maxPathChars = 200;
/** If a snippet does not fit, at least this many of its lines must, since fewer say too little. */
const minLines = 3;

/** Takes as many snippets as fit into maxSnippetTokens. They must come most useful first. */
export function promptPreamble(
  engine: Completer,
  { path, repository }: PromptPlace,
  snippets: Snippet[] = [],
  maxSnippetTokens = 0,
): PromptPreamble {
  const { fileSep, repoName } = engine.info.special;
  if (fileSep < 0) return { path, tokens: new Uint32Array(), texts: [], sources: new Set() };
  const chosen = withinBudget(engine, snippets, maxSnippetTokens);
  // In training, a single file comes after its path alone; the repository is named only before several files.
  const isNamed = chosen.length > 0 && repository !== '' && repoName >= 0;
  const tokens = concatTokens(
    ...(isNamed ? [repoName, tokenizeText(engine, `${repository}\n`)] : []),
    ...byFile(chosen).flatMap((file) => [fileSep, tokenizeText(engine, file)]),
    fileSep,
    tokenizeText(engine, `${path.slice(-maxPathChars)}\n`),
  );
  const sources = new Set(chosen.map((snippet) => snippet.path));
  return { path, tokens, texts: chosen.map(({ text }) => text), sources };
}

/** Whether the other preamble lacks the most useful snippet of this one. */
export function hasNews(preamble: PromptPreamble, other: PromptPreamble): boolean {
  const [best] = preamble.texts;
  return best !== undefined && !other.texts.includes(best);
}

function withinBudget(engine: Completer, snippets: Snippet[], maxTokens: number): Snippet[] {
  const chosen: Snippet[] = [];
  let left = maxTokens;
  for (const snippet of snippets) {
    // A snippet this long cannot fit, as ten characters of code make at least one token.
    const cost = snippet.text.length > left * 10 ? Number.POSITIVE_INFINITY : costOf(engine, snippet);
    if (cost > left) continue;
    chosen.push(snippet);
    left -= cost;
  }
  const [best] = snippets;
  // Rounded, as the measured speed varies a little and each different text would need a new anchor.
  const roundedMax = maxTokens - (maxTokens % 32);
  const beginning = chosen.length === 0 && best ? beginningWithin(engine, best, roundedMax) : null;
  return beginning ? [beginning] : chosen;
}

/** As many of the snippet's first lines as fit; null if fewer than three do. */
function beginningWithin(engine: Completer, snippet: Snippet, maxTokens: number): Snippet | null {
  const lines = snippet.text.slice(0, maxTokens * 10).split('\n');
  for (let count = lines.length - 1; count >= minLines; count--) {
    const beginning = { ...snippet, text: lines.slice(0, count).join('\n') };
    if (costOf(engine, beginning) <= maxTokens) return beginning;
  }
  return null;
}

function costOf(engine: Completer, snippet: Snippet): number {
  return tokenizeText(engine, fileText(snippet.path, [snippet])).length + 1;
}

/** One text for each file, with its snippets in the order of their lines. The most useful file comes last. */
function byFile(snippets: Snippet[]): string[] {
  const paths = new Set(snippets.map(({ path }) => path));
  const snippetsFrom = (path: string) => snippets.filter((snippet) => snippet.path === path);
  return [...paths].reverse().map((path) => fileText(path, snippetsFrom(path)));
}

function fileText(path: string, snippets: Snippet[]): string {
  const texts = snippets.toSorted((a, b) => a.line - b.line).map(({ text }) => `${text.trimEnd()}\n`);
  return `${path.slice(-maxPathChars)}\n${texts.join('')}`;
}
