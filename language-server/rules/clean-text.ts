// Removes from a model's text what a person would not see but a compiler would.
import type { Text } from '../documents/long-text.ts';

/** Control characters except tab and line feed, bidirectional and zero-width ones, separators, lone surrogates. */
const invisible = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Keeps invisible characters that the text around the cursor has, too. Lines end with "\n" in the result. */
export function cleanText(text: string, around: Text): string {
  const isWanted = (character: string) =>
    character !== '\r' && !/\p{Cs}/u.test(character) && around.includes(character);
  return text.replace(invisible, (character) => (isWanted(character) ? character : ''));
}
