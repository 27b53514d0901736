// Reads the head of a GGUF file for the list of models. The engine checks a file thoroughly when it loads it; here, an
// unreadable file is merely left out. No library is used, because this reader skips large arrays without decoding them:
// a vocabulary has 150,000 strings.
import { open } from 'node:fs/promises';

export interface GgufHeader {
  /** Strings and integers; nothing else is needed to choose a model. */
  metadata: Map<string, string | number>;
  /** Entries of the vocabulary that look like special tokens: "<|fim_prefix|>", "▁<PRE>", "[PREFIX]". */
  specialTokens: Set<string>;
  tensors: Tensor[];
  fileBytes: number;
}

export interface Tensor {
  name: string;
  elements: number;
  bytes: number;
}

/** The heads of models that the engine runs have at most 6 MB. */
const firstReadBytes = 8 * 2 ** 20;
const mostHeadBytes = 64 * 2 ** 20;
/** Longer strings in an array are ordinary text, not names of special tokens. */
const mostTokenBytes = 32;
const endsOfNames = new Set<number | undefined>([...Buffer.from('>]')]);

export async function readGgufHeader(path: string): Promise<GgufHeader> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    for (let length = Math.min(firstReadBytes, size); ; length = Math.min(2 * length, size)) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
      try {
        return parse(new Cursor(buffer.subarray(0, bytesRead)), size);
      } catch (error) {
        if (!(error instanceof RangeError) || length >= Math.min(size, mostHeadBytes)) throw error;
      }
    }
  } finally {
    await file.close();
  }
}

function parse(cursor: Cursor, fileBytes: number): GgufHeader {
  if (cursor.text(4) !== 'GGUF') throw new Error('this is not a GGUF file');
  const version = cursor.u32();
  if (version !== 2 && version !== 3) throw new Error(`GGUF version ${version} is not supported`);
  const nTensors = cursor.u64();
  const nPairs = cursor.u64();
  const metadata: GgufHeader['metadata'] = new Map();
  const specialTokens = new Set<string>();
  for (let i = 0; i < nPairs; i++) {
    const key = cursor.string();
    const type = cursor.u32();
    if (type === arrayType) skipArray(cursor, specialTokens);
    else {
      const value = scalar(cursor, type);
      if (value !== undefined) metadata.set(key, value);
    }
  }
  const infos: { name: string; elements: number; offset: number }[] = [];
  for (let i = 0; i < nTensors; i++) {
    const name = cursor.string();
    let elements = 1;
    for (let dimensions = cursor.u32(); dimensions > 0; dimensions--) elements *= cursor.u64();
    cursor.u32();
    infos.push({ name, elements, offset: cursor.u64() });
  }
  return { metadata, specialTokens, tensors: withBytes(infos, fileBytes - cursor.at), fileBytes };
}

/** The size of a tensor is the distance between its offset and the next one's. */
function withBytes(infos: { name: string; elements: number; offset: number }[], dataBytes: number): Tensor[] {
  const sorted = infos.toSorted((a, b) => a.offset - b.offset);
  return sorted.map(({ name, elements, offset }, i) => ({
    name,
    elements,
    bytes: (sorted[i + 1]?.offset ?? dataBytes) - offset,
  }));
}

const stringType = 8;
const arrayType = 9;
/** Sizes of the other types by their number: u8, i8, u16, i16, u32, i32, f32, bool, then u64, i64, f64. */
const typeBytes = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];

function scalar(cursor: Cursor, type: number): string | number | undefined {
  if (type === stringType) return cursor.string();
  if (type === 4) return cursor.u32();
  if (type === 10) return cursor.u64();
  cursor.skip(typeBytes[type] ?? Number.NaN);
  return undefined;
}

function skipArray(cursor: Cursor, specialTokens: Set<string>): void {
  const type = cursor.u32();
  const count = cursor.u64();
  if (type !== stringType) cursor.skip(count * (typeBytes[type] || Number.NaN));
  for (let i = 0; type === stringType && i < count; i++) {
    const length = cursor.u64();
    const isShort = length > 2 && length <= mostTokenBytes;
    if (isShort && endsOfNames.has(cursor.byteAhead(length - 1))) specialTokens.add(cursor.text(length));
    else cursor.skip(length);
  }
}

/** Throws a RangeError where the bytes read so far end. */
class Cursor {
  at = 0;

  constructor(private readonly bytes: Buffer) {}

  byteAhead(distance: number): number | undefined {
    return this.bytes[this.at + distance];
  }

  u32(): number {
    return this.bytes.readUInt32LE(this.advance(4));
  }

  u64(): number {
    return this.u32() + this.u32() * 2 ** 32;
  }

  string(): string {
    return this.text(this.u64());
  }

  text(length: number): string {
    const from = this.advance(length);
    return this.bytes.toString('utf8', from, this.at);
  }

  skip(length: number): void {
    this.advance(length);
  }

  private advance(length: number): number {
    const from = this.at;
    if (!Number.isSafeInteger(length)) throw new Error('the head of this GGUF file is damaged');
    if (from + length > this.bytes.length) throw new RangeError('the head of this GGUF file ends too early');
    this.at = from + length;
    return from;
  }
}
