// The reasons why a request got its answer, and the sentences that tell the user. The extension translates them.

/** How a text misfits the rest of the cursor's line. */
export type Misfit = 'does-not-fit-rest' | 'splits-word' | 'leaves-bracket-open' | 'nothing-to-add';

/** Why no part of the model's text may be shown. */
export type RuleReason =
  | 'model-wrote-nothing'
  | 'special-token'
  | 'conflict-marker'
  | 'repeats-itself'
  | 'leaves-block'
  | 'closes-too-much'
  | 'repeats-line'
  | 'invents-link'
  | Misfit
  | 'fragment'
  | 'cut-off'
  | 'unsure';

/** Why a completion has no text. */
export type EmptyReason = RuleReason | 'cancelled' | 'model-cannot-fill-in';

/** Why a next edit is offered or not. */
export type EditReason =
  | 'edit-offered'
  | 'no-edits'
  | 'nothing-follows'
  | 'edit-unsure'
  | 'edit-dismissed'
  | 'bulk-change'
  | 'too-long'
  | 'only-space'
  | 'only-imports'
  | 'changes-too-much'
  | 'only-literals'
  | 'breaks-syntax';

/** Whether a document is a message: in VS Code's boxes for commit messages and chat, or in git's file. */
export function isMessage(languageId: string): boolean {
  return ['scminput', 'chatinput', 'git-commit', 'gitcommit'].includes(languageId);
}

/** The outcome of a request. */
export type Reason =
  | EmptyReason
  | EditReason
  | 'shown'
  | 'typed-along'
  | 'still-growing'
  | 'off'
  | 'manual'
  | 'secrets-file'
  | 'message'
  | 'dismissed'
  | 'superseded'
  | 'still-loading'
  | 'no-model'
  | 'failed'
  // The extension itself gives these reasons, without asking the server.
  | 'excluded'
  | 'snoozed'
  | 'no-server';

export const reasonTexts: Record<Reason, string> = {
  shown: 'A suggestion was shown.',
  'typed-along': 'The suggestion was there already: you typed what it says, or accepted the one before it.',
  'still-growing': 'The beginning of a suggestion was shown while the model was still generating.',
  off: 'Suggestions are turned off for this file ("hearth.mode").',
  manual: 'Suggestions come only when you ask for them ("hearth.mode" is "manual").',
  excluded: 'This file matches a pattern of "hearth.exclude".',
  snoozed: 'Suggestions are snoozed.',
  'secrets-file': 'Nothing is suggested here, since this file may hold secrets.',
  message: 'Commit messages and chat get no suggestions, since the model does not see what they are about.',
  dismissed: 'You dismissed the suggestion at this place.',
  superseded: 'You typed or moved on before the answer came.',
  'still-loading': 'The model was still loading.',
  'no-model': 'No model could be loaded.',
  'no-server': 'The Hearth server is not running.',
  failed: 'The request failed. The log says why.',
  cancelled: 'You typed or moved on before the answer came.',
  'model-cannot-fill-in':
    'This model only explains code: it was not trained to fill in the middle of a file. Choose a base model.',
  'model-wrote-nothing': 'The model had nothing to add here.',
  'special-token': 'The model generated a control token instead of text.',
  'conflict-marker': 'The model wrote a marker of a merge conflict, which belongs to Git.',
  'repeats-itself': 'The model repeated itself.',
  'leaves-block': 'The model left the block around the cursor instead of adding to it.',
  'closes-too-much': 'The model closed a bracket that is already closed.',
  'repeats-line': 'The model repeated a line that is already above or below the cursor.',
  'invents-link': 'The model made up an address that is not in this file.',
  'does-not-fit-rest': 'The text would not fit the code to the right of the cursor.',
  'splits-word': 'The cursor is inside a word, and the text does not end with the rest of that word.',
  'leaves-bracket-open': 'The text opens a bracket that the code to the right of the cursor does not close.',
  'nothing-to-add': 'The model only repeated the code to the right of the cursor.',
  fragment: 'The text was only a fragment, such as a bracket or the head of a block.',
  'cut-off': 'The text ended before anything in it was complete.',
  unsure: 'The model was not sure enough.',
  'edit-offered': 'A next edit was offered.',
  'no-edits': 'Nothing has been edited from which another edit could follow.',
  'nothing-follows': 'Nothing follows from the last edits.',
  'edit-unsure': 'An edit may follow from the last ones, but that is not likely enough ("hearth.nextEdit").',
  'edit-dismissed': 'You dismissed this edit.',
  'bulk-change': 'Much was changed at once, as an agent or a formatter does it.',
  'too-long': 'This file is too long for next edits.',
  'only-space': 'The edit would only change white space.',
  'only-imports': 'The edit would only add or remove imports.',
  'changes-too-much': 'The edit would delete or change too many lines.',
  'only-literals': 'The edit would only put one number or truth value in the place of another.',
  'breaks-syntax': 'The edit would leave a syntax error.',
};
