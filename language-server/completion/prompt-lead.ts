// What a prompt says before the document's own text, in qwen2.5-coder's repository format: the repository, code of other
// files, and last the document's path. A model without the tokens for it gets nothing.
//   [<|repo_name|>NAME\n [<|file_sep|>PATH\nCODE\n]...] <|file_sep|>PATH\n
import type { Engine } from '../../native/index.ts';
import type { PromptPlace } from '../context/document-path.ts';
import { concatTokens, tokenizeText } from './fim-prompt.ts';

/** A piece of another file, or of a part of this one that the prompt does not reach. */
export interface Snippet {
  /** In the workspace. */
  path: string;
  /** Of its first line. */
  line: number;
  text: string;
}

export interface PromptLead {
  path: string;
  tokens: Uint32Array;
  /** The texts of the snippets in it, the most useful first. */
  texts: string[];
}

// A path longer than this says no more.
const maxPathChars = 200;

/** As many of the snippets, given the most useful first, as there is room for. */
export function promptLead(
  engine: Engine,
  { path, repository }: PromptPlace,
  snippets: Snippet[] = [],
  maxSnippetTokens = 0,
): PromptLead {
  const { fileSep, repoName } = engine.info.special;
  if (fileSep < 0) return { path, tokens: new Uint32Array(), texts: [] };
  const chosen = withinBudget(engine, snippets, maxSnippetTokens);
  // Without code of other files it would be no repository: a model sees a lone file behind its path only.
  const named = chosen.length > 0 && repository !== '' && repoName >= 0;
  const tokens = concatTokens(
    ...(named ? [repoName, tokenizeText(engine, `${repository}\n`)] : []),
    ...byFile(chosen).flatMap((file) => [fileSep, tokenizeText(engine, file)]),
    fileSep,
    tokenizeText(engine, `${path.slice(-maxPathChars)}\n`),
  );
  return { path, tokens, texts: chosen.map(({ text }) => text) };
}

/** Whether the most useful code in this lead is news to the other one. */
export function hasNews(lead: PromptLead, other: PromptLead): boolean {
  const [best] = lead.texts;
  return best !== undefined && !other.texts.includes(best);
}

function withinBudget(engine: Engine, snippets: Snippet[], maxTokens: number): Snippet[] {
  const chosen: Snippet[] = [];
  let left = maxTokens;
  for (const snippet of snippets) {
    // No tokenizer makes less than a token of ten characters of code, so this one cannot fit.
    if (snippet.text.length > left * 10) continue;
    const cost = tokenizeText(engine, fileText(snippet.path, [snippet])).length + 1;
    if (cost > left) continue;
    chosen.push(snippet);
    left -= cost;
  }
  return chosen;
}

/** One text a file, its snippets in their own order; the file of the most useful snippet is the last. */
function byFile(snippets: Snippet[]): string[] {
  const paths = new Set(snippets.map(({ path }) => path));
  const ofFile = (path: string) => snippets.filter((snippet) => snippet.path === path);
  return [...paths].reverse().map((path) => fileText(path, ofFile(path)));
}

function fileText(path: string, snippets: Snippet[]): string {
  const texts = snippets.toSorted((a, b) => a.line - b.line).map(({ text }) => `${text.trimEnd()}\n`);
  return `${path.slice(-maxPathChars)}\n${texts.join('')}`;
}
