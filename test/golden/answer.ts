// All golden cases, and Hearth's answer to one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate, type OnGrowth } from '../../language-server/offers/complete.ts';
import { Anchors } from '../../language-server/prompt/anchors.ts';
import type { Completer } from '../../native/index.ts';
import { atCursor } from '../language-server/cursor.ts';
import { type GoldenCase, goldenCases } from './golden-cases.ts';
import { maxTokensOf, scripted } from './scripted.ts';

/** The cases in the Markdown files in this folder. */
export function allCases(folder: string): GoldenCase[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md');
  return files.flatMap((file) => goldenCases(readFileSync(join(folder, file), 'utf8')));
}

/** What is finally shown for the case. With onGrowth, also what is shown early. */
export async function answerTo(golden: GoldenCase, onGrowth?: OnGrowth, engine: Completer = scripted(golden)) {
  const { text, offset } = atCursor(golden.document);
  const document = { uri: 'file:///golden', languageId: golden.languageId, text, offset };
  const options = { maxTokens: maxTokensOf(golden), multiline: golden.multiline };
  const completion = await generate(engine, new Anchors(engine), document, options, onGrowth);
  const [shown] = completion.suggestions;
  const accepted = shown && text.slice(0, offset) + shown.text + text.slice(offset + shown.replaces);
  return { shown: shown?.text, accepted: accepted ?? `silent: ${completion.reason}` };
}
