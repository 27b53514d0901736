// Finds keywords in the regular expressions of language-server/shape/. A keyword means different things in different
// languages, so only the syntax tree and the rows of syntax/grammars.ts may know it.

const keywords = new Set(
  (
    'abstract async await begin break case catch class const continue def default defer do done elif else elsif end ensure ' +
    'enum esac except export extends extern fi final finally fn for foreach from func function goto if impl implements ' +
    'import in include interface is lambda let loop match module mut namespace new nil not null of or package pass private ' +
    'protected pub public raise rescue return self static struct super switch then this throw throws trait try type typedef ' +
    'typeof unless until use using val var void when where while with yield'
  ).split(' '),
);
const literal = /(?<=(?:^|[=(,:?|&!>{;[]|return|=>)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;

/** A sentence for each keyword in a regular expression of a file. */
export function keywordsIn(path, text) {
  return text.split('\n').flatMap((line, i) =>
    [...line.matchAll(literal)].flatMap(([pattern]) => {
      const words = pattern.replace(/\\(?:p\{[^}]*\}|.)/g, ' ').match(/[A-Za-z_]+/g) ?? [];
      const found = words.filter((word) => keywords.has(word));
      return found.map((word) => `${path}:${i + 1}: the keyword ${word} belongs to a row of syntax/grammars.ts`);
    }),
  );
}
