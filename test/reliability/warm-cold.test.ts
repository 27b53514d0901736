// Whatever was evaluated, drafted, cancelled or suggested before, an answer has the same bits as one from a fresh
// engine with the same anchor, including probabilities.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OpenDocument } from '../../language-server/documents/open-document.ts';
import type { GhostCompletion } from '../../language-server/offers/complete.ts';
import { defaultPace } from '../../language-server/offers/document-offers.ts';
import { Offer } from '../../language-server/offers/offer.ts';
import { RelatedCode } from '../../language-server/related-code/related-code.ts';
import { loadGrammar } from '../../language-server/syntax/runtime.ts';
import { type Engine, loadEngine } from '../../native/index.ts';
import { ended } from '../fixtures/fake-engine.ts';
import { type Random, random } from '../support/random.ts';
import { type Asked, RandomEditor } from './edit-script.ts';
import { starterModel } from './real-server.ts';
import { fromCold, RecordedProvider } from './recorded-provider.ts';
import { isFull, patienceMs, tries } from './scale.ts';

const root = join(import.meta.dirname, '../..');
const sources = [
  'language-server/protocol/log.ts',
  'language-server/engine/throughput.ts',
  'native/addon.ts',
  'scripts/tools.mjs',
];
const scripts = tries(25, 10_000);
let warm: Engine;
let cold: Engine;

beforeAll(async () => {
  const options = { modelPath: starterModel, contextTokens: 640 };
  warm = await loadEngine(options);
  cold = await loadEngine({ ...options, threads: 1 });
  // A prompt is made at once only if the grammar is loaded.
  await Promise.all(['typescript', 'javascript'].map(loadGrammar));
});
afterAll(async () => {
  await warm.close();
  await cold.close();
});

function documents(r: Random): OpenDocument[] {
  return Array.from({ length: 3 }, (_, i) => {
    const lines = readFileSync(join(root, r.pick(sources)), 'utf8').split('\n');
    const first = r.below(lines.length);
    const text = lines.slice(first, first + 60).join('\n');
    return OpenDocument.create(`file:///project/file${i}.ts`, 'typescript', 1, text);
  });
}

/** Whether every item in the answer can be generated again from a recorded text, with a cold cache. */
async function isExplained({ place, isInvoked, answer }: Asked, offers: Offer[]): Promise<boolean> {
  const covered = offers.flatMap((offer) => {
    const coverage = offer.covers(place);
    return Array.isArray(coverage) ? coverage : [];
  });
  return answer.items.every(({ insertText, range }, i) => {
    const replaces = range ? range.end.character - range.start.character : 0;
    // A text that was shown early is a beginning of the whole text.
    const isEarly = answer.reason === 'still-growing' && i === 0 && !isInvoked;
    return covered.some(({ text, replaces: length }) => {
      return isEarly ? text.startsWith(String(insertText)) : text === insertText && length === replaces;
    });
  });
}

async function runScript(seed: number): Promise<{ made: number; shown: number }> {
  const r = random(seed);
  await warm.clearCache();
  const editor = new RandomEditor(r, warm, documents(r));
  const pace = { ...defaultPace, earlyAnswerMs: r.pick([1, 20, 60_000]), restMs: r.pick([1, 60_000]) };
  const provider = new RecordedProvider({ onGrown: () => {}, related: new RelatedCode(editor) }, pace);
  editor.provider = provider;
  await editor.run(6);

  const offers: Offer[] = [];
  let compared = 0;
  for (const made of provider.made) {
    const ours = await made.completion;
    const fresh = await fromCold(cold, made);
    offers.push(await offerOf(made.place, fresh));
    if (ours.reason === 'cancelled') continue;
    const { timings: _, ...rest } = ours;
    expect(rest, `seed ${seed}, text ${compared}`).toEqual({ ...fresh, timings: undefined });
    compared++;
  }
  for (const [i, asked] of editor.asked.entries())
    expect(await isExplained(asked, offers), `seed ${seed}, answer ${i}: ${JSON.stringify(asked.answer)}`).toBe(true);
  return { made: compared, shown: editor.asked.filter(({ answer }) => answer.items.length > 0).length };
}

async function offerOf(document: Offer['document'], completion: GhostCompletion): Promise<Offer> {
  const offer = new Offer(document, ended(completion));
  await offer.settled();
  return offer;
}

test(`after ${scripts} random edit scripts, warm answers equal cold ones`, {
  timeout: isFull ? 12 * patienceMs : patienceMs,
}, async () => {
  const startedAt = performance.now();
  const sum = { made: 0, shown: 0 };
  for (let seed = 1; seed <= scripts; seed++) {
    const { made, shown } = await runScript(seed);
    sum.made += made;
    sum.shown += shown;
    if (seed % 100 === 0) console.log(`${seed} scripts, ${JSON.stringify(sum)}`);
  }
  console.log(`${scripts} scripts in ${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${JSON.stringify(sum)}`);
  expect(sum.made).toBeGreaterThan(scripts);
  expect(sum.shown).toBeGreaterThan(scripts / 2);
});
