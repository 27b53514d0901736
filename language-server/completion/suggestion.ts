// What a completion is made of once it can be shown.

export interface Suggestion {
  /** Inserted at the cursor; lines end in "\n". */
  text: string;
  /** Length in UTF-16 units of what stands right of the cursor and gives way to the text. */
  replaces: number;
  /** Joint probability of the shown text under the model, from 0 to 1. */
  probability: number;
}
