import { frames } from './frames.ts';
import { generatedEdits } from './generated-edits.ts';
import { markdown } from './markdown.ts';
import { responses } from './responses.ts';
import { serverEvents } from './server-events.ts';
import { trees } from './trees.ts';

export const claims = {
  frames,
  'server-events': serverEvents,
  responses,
  markdown,
  'generated-edits': generatedEdits,
  trees,
};
