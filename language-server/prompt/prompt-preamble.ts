// The preamble: the part of a prompt before the document's text. It has the format that qwen2.5-coder uses for
// repositories: the repository's name, code from other files, and the document's path.
//
//   [<|repo_name|>NAME\n [<|file_sep|>PATH\nCODE\n]...] <|file_sep|>PATH\n
//
// It is empty for models that lack these tokens.
import type { Completer } from '../../native/index.ts';
import type { PromptPlace } from './document-path.ts';
import { concatTokens, tokenizeText } from './fim-prompt.ts';

/** A piece of another file, or of a distant part of the same file. */
export interface Snippet {
  /** The path in the workspace. */
  path: string;
  /** The number of its first line. */
  line: number;
  text: string;
}

/** How many characters before and after the cursor the prompt contains without snippets. */
export interface PromptReach {
  before: number;
  after: number;
}

export interface PromptPreamble {
  path: string;
  tokens: Uint32Array;
  /** The texts of the snippets, most useful first. */
  texts: string[];
  /** The paths of the snippets. */
  sources: ReadonlySet<string>;
}

// A longer path is cut at its beginning.
const maxPathChars = 200;
/** A snippet may be cut to at least this many lines: fewer say too little. */
const minLines = 3;

/** Takes as many snippets as fit into maxSnippetTokens. snippets: most useful first. */
export function promptPreamble(
  engine: Completer,
  { path, repository }: PromptPlace,
  snippets: Snippet[] = [],
  maxSnippetTokens = 0,
): PromptPreamble {
  const { fileSep, repoName } = engine.info.special;
  if (fileSep < 0) return { path, tokens: new Uint32Array(), texts: [], sources: new Set() };
  const chosen = withinBudget(engine, snippets, maxSnippetTokens);
  // As in training: the repository's name precedes several files, but not a single one.
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
export function hasNewSnippet(preamble: PromptPreamble, other: PromptPreamble): boolean {
  const [best] = preamble.texts;
  return best !== undefined && !other.texts.includes(best);
}

function withinBudget(engine: Completer, snippets: Snippet[], maxTokens: number): Snippet[] {
  const chosen: Snippet[] = [];
  let left = maxTokens;
  for (const snippet of snippets) {
    // A snippet this long cannot fit: ten characters of code make at least one token.
    const cost = snippet.text.length > left * 10 ? Number.POSITIVE_INFINITY : costOf(engine, snippet);
    if (cost > left) continue;
    chosen.push(snippet);
    left -= cost;
  }
  const [best] = snippets;
  // Rounded: maxTokens varies a little with the measured speed, and a snippet of another length needs a new anchor.
  const roundedMax = maxTokens - (maxTokens % 32);
  const beginning = chosen.length === 0 && best ? beginningWithin(engine, best, roundedMax) : null;
  return beginning ? [beginning] : chosen;
}

/** As many of the snippet's first lines as fit; null if fewer than minLines fit. */
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
