// What the rules know about each language: how blocks begin and end, and what comments and strings look like.
import type { Language } from './language.ts';

const literal = /(?:[=(,:[?&|{]|\b(?:return|import|export|const|let|var))\s*\{$/;
// Some of the words are names in other languages: `match := f()`.
const bareHead =
  /^(?:\}\s*)?(?:else\s+)?(?:if|for|guard|loop|match|select|switch|while)\b(?!\s*(?::?=|[.,]))[^{]*$|^(?:\}\s*)?else$/;
const valueless = /^(?:export\s+)?(?:const|final|let|val|var)\b[^=]*$/;
const cLike: Language = {
  family: 'brackets',
  opener: /\{$/,
  literal,
  branch: /^\}?\s*(else|catch|finally)\b/,
  terminatorOf: () => null,
  lineComments: ['//'],
  blockComments: [['/*', '*/']],
  quotes: ['"', "'"],
  multilineQuotes: [],
  rawQuotes: [],
  hasCommandsInStrings: false,
  statementEnd: '',
  semicolons: 'none',
  lastStatement: null,
  endsWithLine: false,
  parent: null,
  entry: null,
  bareHead: null,
  valueless,
  beforeName: null,
  attribute: /^@[\w.]+(?:\(.*\))?$|^#!?\[.*\]$/,
  hasTypedNames: true,
  needsLastComma: false,
  hasObjects: false,
  hasRegexes: false,
  hasBareClasses: false,
  refusesLastComma: false,
  indent: 4,
};
const script: Language = {
  ...cLike,
  opener: /(\{|=>)$/,
  quotes: ['`', '"', "'"],
  multilineQuotes: ['`'],
  endsWithLine: true,
  hasObjects: true,
  hasRegexes: true,
  valueless: new RegExp(`${valueless.source}|^export(?:\\s+\\*[^"']*)?$`),
  hasTypedNames: false,
  indent: 2,
};
// No type is: a keyword with an expression behind it, or one that goes on with a head.
const beforeName =
  /^\s*(?:(?:const|constexpr|final|static)\s+)*(?!(?:await|case|class|delete|do|else|enum|extends|goto|implements|interface|namespace|new|package|record|return|struct|throw|throws|typedef|where|yield)\b)[\w:.]+(?:<[^<>]*>)?(?:\[\])*(?:\s+|\s*[*&]+\s*)$/;
const c: Language = { ...cLike, beforeName, semicolons: 'always', refusesLastComma: true };
const tripleQuoted: Language = { ...cLike, quotes: ['"""', '"', "'"], multilineQuotes: ['"""'] };
const python: Language = {
  ...cLike,
  family: 'indentation',
  parent: /:$/,
  opener: /^((async\s+)?(def|class|if|elif|else|for|while|try|except|finally|with|match|case)\b.*|[)\]}].*):$/,
  branch: /^(else|elif|except|finally)\b/,
  lineComments: ['#'],
  blockComments: [],
  quotes: ['"""', "'''", '"', "'"],
  multilineQuotes: ['"""', "'''"],
  endsWithLine: true,
  hasTypedNames: false,
};
const ruby: Language = {
  ...cLike,
  family: 'ends',
  opener:
    /(^|\s)(do(\s*\|[^|]*\|)?|then|else|begin|ensure)$|^(?!def\s+[\w.?!]+(?:\([^()]*\))?\s+=\s)(def|class|module|if|unless|while|until|case|for|rescue|elsif|when)\b.*[^;]$(?<![\s;]end)|\{(\s*\|[^|]*\|)?$/,
  branch: /^(else|elsif|when|rescue|ensure|in)\b/,
  terminatorOf: (opener) => (/\{(\s*\|[^|]*\|)?$/.test(opener) ? null : 'end'),
  lineComments: ['#'],
  blockComments: [['=begin', '=end']],
  endsWithLine: true,
  hasTypedNames: false,
  indent: 2,
};
const lua: Language = {
  ...ruby,
  // A name alone is no statement.
  endsWithLine: false,
  lastStatement: /^return\b/,
  refusesLastComma: true,
  opener: /\b(do|then|else|repeat)$|\bfunction\b[^()]{0,80}\([^()]*\)$|\{$/,
  branch: /^(else|elseif)\b/,
  terminatorOf: (opener) => (/\{$/.test(opener) ? null : /\brepeat$/.test(opener) ? 'until ' : 'end'),
  lineComments: ['--'],
  blockComments: [
    ['--[[', ']]'],
    // A string of many lines: text, in which nothing is looked for either.
    ['[[', ']]'],
  ],
};
const shellTerminators: readonly [RegExp, string][] = [
  [/\b(then|else)$/, 'fi'],
  [/\bdo$/, 'done'],
  [/\bin$/, 'esac'],
];
const shell: Language = {
  ...ruby,
  opener: /(^|[\s;])(do|then|else)$|^case\b.*\bin$|\{$|^[^\s()|]+(\s*\|\s*[^\s()|]+)*\)$/,
  branch: /^(else|elif)\b/,
  terminatorOf: (opener) => shellTerminators.find(([pattern]) => pattern.test(opener))?.[1] ?? null,
  lineComments: ['#'],
  blockComments: [],
  multilineQuotes: ['"', "'"],
  rawQuotes: ["'"],
  hasCommandsInStrings: true,
};
const julia: Language = {
  ...ruby,
  opener:
    /(^|\s)(do(\s+\w+)?|else|begin|try|finally)$|^(function|if|for|while|struct|module|elseif|let|catch)\b.*[^;]$(?<![\s;]end)/,
  branch: /^(else|elseif|catch|finally)\b/,
  quotes: ['"""', '"'],
  multilineQuotes: ['"""'],
};
const elixir: Language = {
  ...ruby,
  quotes: ['"""', '"', "'"],
  multilineQuotes: ['"""'],
  opener: /(^|\s)(do|else|rescue|after)$|->$/,
  branch: /^(else|rescue|after)\b/,
  // A clause of a case has no end of its own.
  terminatorOf: (opener) => (/(?<!\bfn\b.*)->$/.test(opener) ? null : 'end'),
};
const voidTags = 'area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr';
// Elements whose content stands on lines of its own, and components, which may be such elements.
const container =
  /<(?:[A-Z][\w.]*|article|aside|body|details|div|dl|fieldset|figure|footer|form|head|header|html|main|menu|nav|ol|picture|script|section|select|style|svg|table|tbody|template|tfoot|thead|tr|ul)(?:\s[^<>]*)?>$/;
const openTag = new RegExp(`<(?!(?:${voidTags})\\b)([a-zA-Z][\\w.:-]*)(?:\\s[^<>]*)?(?<![/=-])>$`);
const endTagOf = (tag: RegExp) => (opener: string) => {
  const [, name] = tag.exec(opener) ?? [];
  return name === undefined ? null : `</${name}>`;
};
const html: Language = {
  ...cLike,
  family: 'tags',
  opener: openTag,
  branch: null,
  endsWithLine: true,
  terminatorOf: endTagOf(openTag),
  lineComments: [],
  blockComments: [['<!--', '-->']],
  quotes: ['"', "'"],
  multilineQuotes: ['"', "'"],
  indent: 2,
};
// Behind a name stand type arguments.
const openElement = new RegExp(`(?<![\\w.])${openTag.source}`);
const jsx: Language = {
  ...script,
  opener: new RegExp(`${script.opener?.source}|${openElement.source}`),
  literal: new RegExp(`${literal.source}|(?<!=)>[^<>]*\\{$`),
  terminatorOf: endTagOf(openElement),
};
const data: Language = {
  ...cLike,
  family: 'data',
  opener: null,
  branch: null,
  lineComments: ['#'],
  blockComments: [],
  endsWithLine: true,
  hasTypedNames: false,
  indent: 2,
};
const json: Language = { ...data, endsWithLine: false, opener: /[{[]$/, lineComments: ['//'], quotes: ['"'] };
// A word alone is a value.
const yaml: Language = { ...data, parent: /:(?:\s+[|>][+-]?)?$/, entry: /[^\w.-]/ };
const pairs: Language = { ...data, entry: /=|^\[.*\]$/ };
const prose: Language = { ...data, family: 'prose', lineComments: [], quotes: [] };
const go: Language = {
  ...cLike,
  literal: new RegExp(`${literal.source}|[\\w\\]]\\{$`),
  quotes: ['`', '"', "'"],
  multilineQuotes: ['`'],
  rawQuotes: ['`'],
  bareHead,
  endsWithLine: true,
  // Also a type without its value, names without their values, and what is deferred without its call.
  valueless: new RegExp(
    `${valueless.source}|\\[\\]$|^(?:return\\b|[^=]*=).*(?:\\[\\][\\w.]*|\\bfunc\\([^{}]*)$|^[\\w.]+(?:, [\\w.]+)+$|^(?:defer|go)\\b(?!.*[)}]$)`,
  ),
  needsLastComma: true,
  indent: 0,
};
const css: Language = { ...cLike, semicolons: 'always', lineComments: [], indent: 2 };

const languages: Record<string, Language> = {
  bat: { ...data, lineComments: ['::', 'rem '] },
  c,
  cpp: c,
  csharp: { ...tripleQuoted, beforeName, semicolons: 'always', refusesLastComma: true, attribute: /^\[.*\]$/ },
  css,
  'cuda-cpp': c,
  dart: { ...tripleQuoted, semicolons: 'always', indent: 2 },
  dockercompose: yaml,
  dockerfile: data,
  dotenv: pairs,
  elixir,
  go,
  groovy: { ...tripleQuoted, endsWithLine: true },
  handlebars: html,
  html,
  ini: { ...pairs, lineComments: [';', '#'] },
  java: { ...tripleQuoted, beforeName, semicolons: 'always', refusesLastComma: true },
  javascript: script,
  javascriptreact: jsx,
  json,
  jsonc: json,
  jsonl: json,
  julia,
  kotlin: { ...tripleQuoted, hasBareClasses: true, endsWithLine: true, opener: /(\{|\{[^{}]*->|->)$/ },
  latex: { ...prose, lineComments: ['%'] },
  less: { ...css, lineComments: ['//'] },
  lua,
  makefile: { ...python, parent: null, opener: /^[^\s#=:]+\s*:[^=]*$/, branch: null, quotes: [], indent: 0 },
  markdown: prose,
  'objective-c': c,
  perl: { ...cLike, hasRegexes: true, semicolons: 'between', lineComments: ['#'], blockComments: [] },
  php: { ...cLike, semicolons: 'always', lineComments: ['//', '#'] },
  plaintext: prose,
  powershell: {
    ...cLike,
    endsWithLine: true,
    lineComments: ['#'],
    blockComments: [['<#', '#>']],
    rawQuotes: ['"', "'"],
    refusesLastComma: true,
  },
  properties: data,
  proto3: { ...cLike, semicolons: 'always', indent: 2 },
  python,
  r: { ...cLike, endsWithLine: true, refusesLastComma: true, lineComments: ['#'], blockComments: [], indent: 2 },
  restructuredtext: prose,
  ruby: { ...ruby, hasRegexes: true },
  // No apostrophe: it begins a lifetime as often as a character.
  rust: { ...cLike, semicolons: 'between', opener: /(\{|=>)$/, bareHead, quotes: ['"'], multilineQuotes: ['"'] },
  scala: {
    ...tripleQuoted,
    hasBareClasses: true,
    endsWithLine: true,
    opener: /(\{|=>|=|\b(?:catch|do|else|finally|match|then|try|yield))$/,
    indent: 2,
  },
  scss: { ...css, lineComments: ['//'], literal: new RegExp(`${literal.source}|#\\{$`) },
  shellscript: shell,
  sql: {
    ...c,
    beforeName: null,
    semicolons: 'none',
    statementEnd: ';',
    opener: /\b(begin|then|else)$/i,
    lineComments: ['--'],
  },
  svelte: html,
  swift: { ...tripleQuoted, bareHead, endsWithLine: true, refusesLastComma: true },
  terraform: { ...cLike, lineComments: ['#', '//'], indent: 2 },
  toml: { ...pairs, entry: /=\s*\S|^\[.*\]$/, quotes: ['"""', "'''", '"', "'"], multilineQuotes: ['"""', "'''"] },
  typescript: script,
  typescriptreact: jsx,
  vue: html,
  xml: html,
  yaml,
  zig: { ...cLike, semicolons: 'always', blockComments: [] },
};

/** Unknown languages are treated as C-like, since most use brackets. */
export function languageOf(languageId: string): Language {
  return Object.hasOwn(languages, languageId) ? (languages[languageId] ?? cLike) : cLike;
}

/** Whether an element's content stands in its line: its tag says so, or an element of that kind beside it. */
export function isInlineElement(line: string, neighbours: readonly string[], language: Language): boolean {
  const closer = language.terminatorOf(line.trim());
  if (closer === null || !closer.startsWith('</')) return false;
  const opening = `<${closer.slice(2, -1)}`;
  return !container.test(line) || neighbours.some((each) => each.trim().startsWith(opening) && each.includes(closer));
}

export function hasTags(language: Language): boolean {
  return language.terminatorOf('<a>') === '</a>';
}

/** Whether a bracket that nothing opens ends a pattern, as in a shell. */
export function hasPatterns(language: Language): boolean {
  return language.terminatorOf('case $1 in') === 'esac';
}

export function opensBlock(line: string, language: Language): boolean {
  return !isComment(line, language) && (language.opener?.test(line.trim()) ?? false);
}

/** Whether a line is nothing but a comment that ends with it. */
export function isComment(line: string, { lineComments }: Language): boolean {
  return lineComments.some((token) => line.trim().startsWith(token));
}
