// The kernels' sources are compiled once for each variant. If one of their functions were visible outside its object
// file, the linker would keep one copy for all variants, perhaps one that crashes a processor without AVX-512.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// `npm run build:native` makes this library; the addon is linked from it.
const archive = fileURLToPath(new URL('../../build/native/kernels/libkernels_cpu.a', import.meta.url));

/**
 * Object name -> the symbols that it exports, from `nm`: "object.o:" lines, each followed by "address type name" lines.
 */
function exportedSymbols(path: string): Map<string, string[]> {
  const objects = new Map<string, string[]>();
  let symbols: string[] = [];
  for (const line of execFileSync('nm', ['-g', path], { encoding: 'utf8' }).split('\n')) {
    const object = /([^/()]+\.o)\)?:$/.exec(line)?.[1];
    if (object) {
      symbols = [];
      objects.set(object, symbols);
    }
    const symbol = /^[0-9a-f]+ [A-Za-z] (.+)$/.exec(line)?.[1];
    if (symbol) symbols.push(symbol);
  }
  return objects;
}

const names = process.arch === 'x64' ? ['amx', 'avx2', 'avx512vnni', 'avxvnni', 'scalar'] : ['i8mm', 'neon', 'scalar'];

test('each variant exports only its table', () => {
  expect(existsSync(archive), `${archive} is missing: run npm run build:native`).toBe(true);
  const variants = [...exportedSymbols(archive)].filter(([object]) => object.startsWith('variant_'));
  expect(variants.map(([object]) => object.replace(/\..*/, '')).sort()).toEqual(names.map((name) => `variant_${name}`));
  for (const [object, symbols] of variants) {
    expect(symbols, object).toHaveLength(1);
    expect(symbols[0], object).toMatch(/hearth7kernels3cpu\d+[a-z0-9]+_kernelsEv$/);
  }
});
