// What the rules know about a language.

/** How blocks are delimited. Data and prose have none; a completion in them is one line. */
export type Family = 'brackets' | 'indentation' | 'ends' | 'tags' | 'data' | 'prose';

export interface Language {
  family: Family;
  /** Matches a line that opens a block, without its comment and trailing white space. */
  opener: RegExp | null;
  /** Matches a line whose last brace holds a value, or names, and no statements. */
  literal: RegExp;
  /** Matches a line at the opener's depth that continues the statement: `else`, `except`. */
  branch: RegExp | null;
  /** The line, other than a bracket, that closes the block opened by this line: `end`, `fi`, `</div>`. */
  terminatorOf: (opener: string) => string | null;
  lineComments: readonly string[];
  blockComments: readonly (readonly [begin: string, end: string])[];
  /** Longer quotes before those that they begin with. */
  quotes: readonly string[];
  /** The quotes whose strings may span lines. */
  multilineQuotes: readonly string[];
  /** The quotes in whose strings a backslash is a character like others. */
  rawQuotes: readonly string[];
  /** Whether `$(` begins a command in a string, in which quotes begin strings of their own. */
  hasCommandsInStrings: boolean;
  /** What every statement ends with; often ''. */
  statementEnd: string;
  /** Whether a semicolon ends every statement that has no braces, or only those with another one behind them. */
  semicolons: 'always' | 'between' | 'none';
  /** Matches a statement behind which its block ends; null if there is none. */
  lastStatement: RegExp | null;
  /** Whether a statement can end with its line, without a mark of its own. */
  endsWithLine: boolean;
  /** Matches a line that has deeper ones below, where blocks are known by their indentation; null elsewhere. */
  parent: RegExp | null;
  /** Matches a line that is whole, of data outside of brackets; null if every line is. */
  entry: RegExp | null;
  /** Matches the head of a block that still lacks its brace, where conditions stand without parentheses. */
  bareHead: RegExp | null;
  /** Matches a declaration without its value, or an export without its source. */
  valueless: RegExp;
  /** Matches what stands before a name with which no line ends: a type, or the keyword of an import. */
  beforeName: RegExp | null;
  /** Matches a line that belongs to the declaration below it. */
  attribute: RegExp;
  /** Whether two words may stand next to each other that are no keywords: a type and a name. */
  hasTypedNames: boolean;
  /** Whether the last of several elements must end with a comma if a line break follows. */
  needsLastComma: boolean;
  /** Whether a brace among the arguments of a call begins an object, in which commas separate. */
  hasObjects: boolean;
  /** Whether a slash may begin a regular expression. */
  hasRegexes: boolean;
  /** Whether a class may do without a body. */
  hasBareClasses: boolean;
  /** Whether no comma may stand before a closing parenthesis. */
  refusesLastComma: boolean;
  /** Spaces per level if the document itself does not show it; 0 means a tab. */
  indent: number;
}
