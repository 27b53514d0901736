// The format of each family of models that were trained on next edits.
import type { EditFormatName } from '../../models/model-traits.ts';
import type { EditFormat } from './edit-question.ts';
import { sweepFormat } from './sweep-format.ts';
import { zetaFormat } from './zeta-format.ts';

const formats: Record<EditFormatName, EditFormat> = {
  'sweep-1': sweepFormat(1),
  'sweep-2': sweepFormat(2),
  'zeta-2.1': zetaFormat,
};

export function editFormat(name: EditFormatName): EditFormat {
  return formats[name];
}
