// The row of each language.
import { c, cpp } from './c.ts';
import { go, rust } from './go-and-rust.ts';
import { csharp, java, kotlin } from './java-and-relatives.ts';
import { javascript, tsx, typescript } from './javascript.ts';
import { php, python, ruby } from './python-ruby-php.ts';
import type { NameRow } from './row.ts';

/** By the name of the grammar. */
export const nameRows: Readonly<Record<string, NameRow>> = {
  javascript,
  typescript,
  tsx,
  python,
  go,
  rust,
  java,
  c_sharp: csharp,
  c,
  cpp,
  ruby,
  php,
  kotlin,
};
