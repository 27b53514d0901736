// A text that can be shown as ghost text.

export interface Suggestion {
  /** Inserted at the cursor; lines end in "\n". */
  text: string;
  /** How many UTF-16 units after the cursor the text replaces. */
  replaces: number;
  /** Joint probability of the shown text under the model, from 0 to 1. */
  probability: number;
}

/** Without those that differ from an earlier one only in white space. */
export function distinct(suggestions: Suggestion[]): Suggestion[] {
  const essence = ({ text }: Suggestion) => text.replace(/\s/g, '');
  return suggestions.filter((each, i) => suggestions.findIndex((other) => essence(other) === essence(each)) === i);
}
