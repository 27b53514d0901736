// What people read about a request: why it was answered as it was. The extension translates these sentences.
import type { Reason } from './protocol.ts';

export const reasonTexts: Record<Reason, string> = {
  shown: 'A suggestion was shown.',
  'typed-along': 'You typed what the suggestion says: the rest of it was shown, from memory.',
  'still-growing': 'The beginning of a suggestion was shown while the model was still writing.',
  off: 'Suggestions are turned off for this file ("hearth.mode").',
  manual: 'Suggestions come only when you ask for them ("hearth.mode" is "manual").',
  excluded: 'This file matches a pattern of "hearth.exclude".',
  snoozed: 'Suggestions are snoozed.',
  'on-battery': 'Suggestions are paused while the computer runs on battery ("hearth.pauseOnBattery").',
  'secrets-file': 'This file may hold secrets, so nothing of it is read.',
  dismissed: 'You dismissed the suggestion at this place.',
  superseded: 'You went on before the answer came.',
  'still-loading': 'The model was still loading.',
  'no-model': 'No model could be loaded.',
  'no-server': 'The Hearth server is not running.',
  failed: 'The request failed. The log says why.',
  cancelled: 'You went on before the answer came.',
  'model-cannot-fill-in': 'This model cannot fill in text between two others.',
  'model-wrote-nothing': 'The model had nothing to add here.',
  'repeats-next-line': 'The model repeated a line that is already there.',
  'nothing-to-add': 'What the model wrote is already there.',
};
