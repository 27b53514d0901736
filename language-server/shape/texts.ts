// Whether the cursor is in a comment or a string.
import type { Node } from 'web-tree-sitter';
import { faultsOf } from '../syntax/faults.ts';
import { isComment, isInterpolation, isString } from '../syntax/grammars.ts';
import type { SyntaxTree } from '../syntax/syntax-tree.ts';
import { leafBefore } from './blocks.ts';
import type { Code } from './embedded.ts';
import type { Mend } from './mend.ts';

export interface TextAround {
  /** A string that is a statement of its own is a comment. */
  within: 'code' | 'string' | 'comment';
  /** What ends the comment or the string; '' if the end of the line does. */
  closer: string;
  /** Whether the closer is in the document already, after the cursor. */
  isClosed: boolean;
}

/** The cursor is in neither a comment nor a string. */
const inCode: TextAround = { within: 'code', closer: '', isClosed: false };
/** Prose counts as a comment. */
export const inProse: TextAround = { ...inCode, within: 'comment' };

const blockComment = /^(?:\/\*[\s\S]*(\*\/)|<!--[\s\S]*(-->)|--\[\[[\s\S]*(\]\]))$/;
const opener: Readonly<Record<string, string>> = { '*/': '/*', '-->': '<!--' };
const searchedChars = 4000;

/** The comment or string around the cursor, or inCode. tree: that of the code; null: none. */
export function textAt(tree: SyntaxTree | null, { text, offset: at, mend }: Code): TextAround {
  for (let node = tree && leafBefore(tree.root, at); node; node = node.parent) {
    if (isInterpolation(node.type) && node.endIndex > at) return inCode;
    if (isComment(node.type) && !isComment(node.parent?.type ?? '')) return commentAround(node, at);
    if (node.childCount > 0 && isString(node.type) && !isString(node.parent?.type ?? '')) {
      const found = stringAround(node, at, mend);
      if (found) return found;
    }
  }
  if (tree && faultsOf(tree).length === 0) return inCode;
  return openText(text.slice(Math.max(0, at - searchedChars), at), tree !== null);
}

function commentAround(node: Node, at: number): TextAround {
  const closer = blockComment.exec(node.text)?.slice(1).find(Boolean) ?? '';
  if (closer !== '' && node.endIndex <= at) return inCode;
  // If another comment begins before the closer, the closer belongs to that one.
  const belongsToNext = node.text.slice(at - node.startIndex).includes(opener[closer] ?? '\0');
  return { within: 'comment', closer, isClosed: closer !== '' && !belongsToNext };
}

function stringAround(node: Node, at: number, mend: Mend | null): TextAround | null {
  const last = node.lastChild;
  const isOpen = node.endIndex > at || last?.isMissing || node.childCount < 2;
  if (!isOpen) return null;
  const isAdded = last !== null && mend?.hasAdded(last.startIndex) === true;
  const isClosed = node.endIndex > at && !last?.isMissing && !isAdded;
  const closer = (isClosed || isAdded) && last ? last.text : (node.firstChild?.text ?? '');
  const within = node.parent?.type === 'expression_statement' ? 'comment' : 'string';
  return { within, closer: closer.length > 3 ? closer.slice(-1) : closer, isClosed };
}

/** The comment or string that the text before the cursor leaves open, if no tree or only a broken one tells. */
function openText(text: string, hasTree: boolean): TextAround {
  // In a language without a grammar, a path may contain "/*".
  const before = hasTree ? text : text.replace(/(?<=\S)\/\*/g, '');
  const isOpen = (begin: string, end: string) => before.lastIndexOf(begin) > before.lastIndexOf(end);
  if (isOpen('/*', '*/')) return { within: 'comment', closer: '*/', isClosed: false };
  if (isOpen('<!--', '-->')) return { within: 'comment', closer: '-->', isClosed: false };
  if (isOpen('[[', ']]') && !/\w\[\[/.test(before)) return { within: 'string', closer: ']]', isClosed: false };
  if (before.split('"""').length % 2 === 0) return { within: 'comment', closer: '"""', isClosed: false };
  const line = before.slice(before.lastIndexOf('\n') + 1).replace(/(["'`])(?:\\.|(?!\1).)*\1/g, '');
  // A tree shows comments of one line even if it is broken.
  if (!hasTree && /(?:^|\s)(?:\/\/|--|#\s)/.test(line)) return { ...inCode, within: 'comment' };
  // In a language without a grammar, other quotes may be part of a name.
  const [quote] = (hasTree ? /["`]|(?<!\w)'/ : /"/).exec(line) ?? [];
  return quote === undefined ? inCode : { within: 'string', closer: quote, isClosed: false };
}
