// Why nothing of the model's text is shown; language-server/reason-texts.ts has a sentence for each.

export type EmptyReason =
  | 'model-wrote-nothing'
  | 'special-token'
  | 'repeats-itself'
  | 'statement-finished'
  | 'unreachable'
  | 'leaves-block'
  | 'closes-too-much'
  | 'repeats-line-below'
  | 'repeats-line-above'
  | 'invents-link'
  | 'does-not-fit-rest'
  | 'splits-word'
  | 'leaves-bracket-open'
  | 'nothing-to-add'
  | 'fragment'
  | 'cut-off'
  | 'unsure';
