// hearth logits --tokens IDS --out FILE
import { writeFileSync } from 'node:fs';
import { type Command, engineOptions, print, printJson, readText, text, UsageError, withEngine } from './command.ts';

export const logitsCommand: Command = {
  summary: 'write the logits after each token as little-endian float32, row by row',
  operands: '',
  options: {
    ...engineOptions,
    tokens: { type: 'string', value: 'IDS', help: 'token ids as "1,2,3", or "@FILE" with a JSON array' },
    out: { type: 'string', value: 'FILE', help: 'file to write' },
  },
  async run(values) {
    const list = text(values, 'tokens');
    const out = text(values, 'out');
    if (list === undefined || out === undefined) throw new UsageError('--tokens and --out are wanted');
    const tokens = tokenIds(list.startsWith('@') ? readText(list.slice(1)) : `[${list}]`);
    await withEngine(values, async (engine) => {
      const logits = await engine.logits(tokens);
      writeFileSync(out, littleEndian(logits));
      const { vocabulary } = engine.info;
      if (values.json) printJson({ tokens: tokens.length, vocabulary, file: out });
      else print(`${out}: ${tokens.length} rows of ${vocabulary}`);
    });
  },
};

function tokenIds(json: string): Uint32Array {
  const ids: unknown = JSON.parse(json);
  const isId = (id: unknown): id is number => Number.isInteger(id) && Number(id) >= 0;
  if (Array.isArray(ids) && ids.length > 0 && ids.every(isId)) return Uint32Array.from(ids);
  throw new Error('the token ids are not an array of numbers from 0');
}

function littleEndian(values: Float32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.byteLength));
  for (const [i, value] of values.entries()) view.setFloat32(i * 4, value, true);
  return new Uint8Array(view.buffer);
}
