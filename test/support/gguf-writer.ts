// Writes GGUF files with any metadata and tensors, valid or invalid, for tests and benchmarks. The layout of GGUF v3
// is: header, key/value pairs, tensor infos, padding, aligned tensor data.
import { closeSync, openSync, writeSync } from 'node:fs';

export type GgufValue =
  | { u32: number }
  | { i32: number }
  | { f32: number }
  | { bool: boolean }
  | { string: string }
  | { strings: readonly string[] }
  | { i32s: readonly number[] }
  | { bools: readonly boolean[] }
  | { f32s: readonly number[] };

export interface TensorSpec {
  name: string;
  /** The dimensions in GGUF's order: columns first. */
  shape: number[];
  /** The GGUF type id. */
  type: number;
  nBytes: number;
  /** Calls write() with pieces that add up to nBytes. */
  fill: (write: (bytes: Uint8Array) => void) => void;
}

export interface GgufSpec {
  version?: number;
  metadata: Record<string, GgufValue>;
  tensors: TensorSpec[];
}

const alignment = 32;
const padding = (n: number) => new Uint8Array((alignment - (n % alignment)) % alignment);

export function writeGguf(path: string, { version = 3, metadata, tensors }: GgufSpec): void {
  const file = openSync(path, 'w');
  let written = 0;
  const write = (bytes: Uint8Array) => {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    written += bytes.length;
  };
  try {
    write(header(version, metadata, tensors));
    write(padding(written));
    for (const tensor of tensors) {
      const start = written;
      tensor.fill(write);
      if (written - start !== tensor.nBytes) throw new Error(`${tensor.name}: ${written - start} bytes were written`);
      write(padding(written));
    }
  } finally {
    closeSync(file);
  }
}

function header(version: number, metadata: Record<string, GgufValue>, tensors: TensorSpec[]): Buffer {
  const parts = [Buffer.from('GGUF'), u32(version), u64(tensors.length), u64(Object.keys(metadata).length)];
  for (const [key, value] of Object.entries(metadata)) parts.push(string(key), ...encode(value));
  let offset = 0;
  for (const { name, shape, type, nBytes } of tensors) {
    parts.push(string(name), u32(shape.length), ...shape.map(u64), u32(type), u64(offset));
    offset += nBytes + padding(nBytes).length;
  }
  return Buffer.concat(parts);
}

function encode(value: GgufValue): Buffer[] {
  if ('u32' in value) return [u32(4), u32(value.u32)];
  if ('i32' in value) return [u32(5), i32(value.i32)];
  if ('f32' in value) return [u32(6), Buffer.from(Float32Array.of(value.f32).buffer)];
  if ('bool' in value) return [u32(7), Buffer.of(value.bool ? 1 : 0)];
  if ('string' in value) return [u32(8), string(value.string)];
  if ('f32s' in value)
    return [u32(9), u32(6), u64(value.f32s.length), Buffer.from(Float32Array.from(value.f32s).buffer)];
  if ('i32s' in value) return [u32(9), u32(5), u64(value.i32s.length), Buffer.concat(value.i32s.map(i32))];
  if ('bools' in value) return [u32(9), u32(7), u64(value.bools.length), Buffer.from(value.bools.map(Number))];
  return [u32(9), u32(8), u64(value.strings.length), Buffer.concat(value.strings.map(string))];
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
}
