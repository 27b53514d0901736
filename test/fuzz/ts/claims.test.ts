import fc from 'fast-check';
import { test } from 'vitest';
import { claims } from './claims/index.ts';
import { damaged, fuzzTestOptions, holds, inPieces } from './fuzz.ts';

for (const { title, seeds, words, check } of Object.values(claims)) {
  const fromWords = fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((all) => Buffer.from(all.join('')));
  const anyText = fc.string({ unit: 'binary' }).map((text) => Buffer.from(text));
  const inputs = fc.oneof({ weight: 3, arbitrary: damaged(seeds, words) }, fromWords, anyText);
  test(title, fuzzTestOptions, async () => {
    await holds(inPieces(inputs), check);
  });
}
