// What a completion is made of once it can be shown.

export interface Suggestion {
  /** Inserted at the cursor; lines end in "\n". */
  text: string;
  /** Length in UTF-16 units of what stands right of the cursor and gives way to the text. */
  replaces: number;
  /** Joint probability of the shown text under the model, from 0 to 1. */
  probability: number;
}

/** Those that differ from all before them in more than white space. */
export function distinct(suggestions: Suggestion[]): Suggestion[] {
  const essence = ({ text }: Suggestion) => text.replace(/\s/g, '');
  return suggestions.filter((each, i) => suggestions.findIndex((other) => essence(other) === essence(each)) === i);
}
