// Why there is no ghost text.

/** Each with a sentence for "Why No Suggestion?". */
export const silences = {
  'model-wrote-nothing': 'The model ended at once: it sees nothing missing here.',
  'special-token': 'The model wrote a control token where text was expected.',
  'repeats-itself': 'The model wrote the same again and again.',
  'statement-finished': 'The statement is finished, and the model is not sure that another line follows.',
  unreachable: 'The code would stand behind a return or a break and never run.',
  'leaves-block': 'The model ended the block that the cursor is in instead of adding to it.',
  'closes-too-much': 'The model closed a bracket that is closed already.',
  'repeats-line-below': 'The model wrote a line that stands below the cursor.',
  'repeats-line-above': 'The model wrote the line above the cursor once more.',
  'invents-link': 'The model wrote an address that the document does not have.',
  'does-not-fit-rest': 'The text would not fit what stands right of the cursor.',
  'splits-word': 'The cursor is inside a word, and the text does not end with the rest of it.',
  'leaves-bracket-open': 'The text opens a bracket that what stands right of the cursor does not close.',
  'nothing-to-add': 'The model wrote only what stands right of the cursor.',
  fragment: 'The model only began something: a bracket alone, for example.',
  'cut-off': 'The text reached its longest allowed length within its first word.',
  unsure: 'The model was not sure enough of its text.',
} as const satisfies Record<string, string>;

export type EmptyReason = keyof typeof silences;
