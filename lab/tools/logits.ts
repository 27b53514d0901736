// npm run tool -- logits --tokens IDS --out FILE: writes a model's logits, to compare them with another engine's.
import { writeFileSync } from 'node:fs';
import {
  type Command,
  engineOptions,
  print,
  printJson,
  readText,
  text,
  UsageError,
  withEngine,
} from '../../language-server/cli/command.ts';

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
    if (list === undefined || out === undefined)
      throw new UsageError('--tokens and --out are missing: both are needed');
    const tokens = list.startsWith('@')
      ? tokenIds(readText(list.slice(1)), list.slice(1))
      : tokenIds(`[${list}]`, `--tokens "${list}"`);
    await withEngine(values, async (engine) => {
      const logits = await engine.logits(tokens);
      writeFileSync(out, littleEndian(logits));
      const { vocabulary } = engine.info;
      if (values.json) printJson({ tokens: tokens.length, vocabulary, file: out });
      else print(`${out}: ${tokens.length} rows of ${vocabulary}`);
    });
  },
};

function tokenIds(json: string, source: string): Uint32Array {
  const isId = (id: unknown): id is number => Number.isInteger(id) && Number(id) >= 0 && Number(id) < 2 ** 32;
  try {
    const ids: unknown = JSON.parse(json);
    if (Array.isArray(ids) && ids.length > 0 && ids.every(isId)) return Uint32Array.from(ids);
  } catch {
    // The error is thrown below.
  }
  throw new Error(`${source}: these are not token ids; write them as 1,2,3, or put [1, 2, 3] in a file`);
}

function littleEndian(values: Float32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.byteLength));
  for (const [i, value] of values.entries()) view.setFloat32(i * 4, value, true);
  return new Uint8Array(view.buffer);
}
