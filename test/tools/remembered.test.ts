import { expect, test } from 'vitest';
import type { Completion, Engine, GenerateRequest, OnText } from '../../native/index.ts';
import { remembered } from './remembered.ts';

/** Writes one letter at a time until the caller has enough, and counts how often it is asked. */
function alphabet() {
  const asked: GenerateRequest[] = [];
  const generate = async (request: GenerateRequest, onText?: OnText): Promise<Completion> => {
    asked.push(request);
    let text = '';
    for (const letter of 'abcdef') {
      text += letter;
      if (onText?.(letter, -1, 0) === true) break;
    }
    return { text } as Completion;
  };
  const tokenize = (text: string) => Uint32Array.of(text.length);
  return { engine: { generate, tokenize } as unknown as Engine, asked };
}

async function lettersOf(engine: Engine, wanted: number, tokens = Uint32Array.of(1)): Promise<string> {
  let seen = '';
  await engine.generate({ tokens, maxTokens: 8 }, (letter) => {
    seen += letter;
    return seen.length === wanted;
  });
  return seen;
}

test('plays a generation back, to those who have enough sooner', async () => {
  const { engine, asked } = alphabet();
  const patient = remembered(engine);
  expect(await lettersOf(patient, 5)).toBe('abcde');
  expect(await lettersOf(patient, 2)).toBe('ab');
  expect(asked).toHaveLength(1);
});

test('asks anew for another prompt, and for one with other bytes to heal', async () => {
  const { engine, asked } = alphabet();
  const patient = remembered(engine);
  await lettersOf(patient, 1);
  await lettersOf(patient, 1, Uint32Array.of(2));
  await patient.generate({ tokens: Uint32Array.of(1), heal: Uint8Array.of(97), maxTokens: 8 });
  expect(asked).toHaveLength(3);
});

test('all else is the engine itself', () => {
  expect(remembered(alphabet().engine).tokenize('abc')).toEqual(Uint32Array.of(3));
});
