// Reports where the engines agree and where they differ.
import type { Engine } from '../../native/index.ts';
import { compareRows, isExplained, margin, type Parting, type RowsCompared } from './compare.ts';
import type { Answer, Asked } from './ours.ts';
import type { BestTwo, Theirs } from './plan.ts';
import type { Report } from './report.ts';

export function checkTokens(report: Report, { plan, ids }: Asked, theirs: Theirs): void {
  const characters = plan.texts.reduce((sum, text) => sum + text.length, 0);
  const tokens = ids.reduce((sum, each) => sum + each.length, 0);
  const other = plan.texts.findIndex((_, i) => String([...(ids[i] ?? [])]) !== String(theirs.ids[i]));
  const size = `${plan.texts.length} files, ${characters} characters, ${tokens} tokens`;
  if (other === -1) {
    report.verdict(true, `tokenizer: ${size}: the same ids`);
    return;
  }
  const [ours = new Uint32Array(), its = []] = [ids[other], theirs.ids[other]];
  const at = ours.findIndex((id, i) => id !== its[i]);
  const part = (list: Iterable<number>) => [...list].slice(at, at + 6).join(' ');
  report.verdict(false, `tokenizer: ${size}: text ${other} differs at token ${at}: ${part(ours)} / ${part(its)}`);
}

export function checkChat(report: Report, engine: Engine, { chat }: Asked, { rendered, chat: theirs }: Theirs): void {
  if (!chat || !theirs) {
    report.line('     template: the file has none, or no chat tokens');
    return;
  }
  const isSame = String([...chat]) === String(theirs);
  report.verdict(
    isSame,
    `template: an explanation's prompt of ${chat.length} tokens, from the file's own ${theirs.length}`,
  );
  if (isSame) return;
  report.line(`--- Hearth\n${spelled(engine, chat)}\n--- the file's template\n${rendered}\n---`);
}

export function checkLogits(
  report: Report,
  engine: Engine,
  { tokens, rows }: NonNullable<Asked['logits']>,
  theirs: Float32Array,
): void {
  const compared = compareRows(theirs, rows, engine.info.vocabulary);
  report.verdict(compared.partings.every(isExplained), `logits: ${inWords(compared)}`);
  for (const each of compared.partings)
    report.line(`     ${spelledParting(engine, each)}, behind token ${tokens[each.position]}`);
}

export function inWords({
  positions,
  sameArgmax,
  maxDifference,
  meanDifference,
  spread,
  nmse,
  divergence,
}: RowsCompared): string {
  const figures = [
    `arg-max the same at ${sameArgmax} of ${positions} positions`,
    `differences at most ${maxDifference.toFixed(2)}, mean ${meanDifference.toFixed(3)} (logits spread by ${spread.toFixed(2)})`,
    `NMSE ${nmse.toExponential(1)}, divergence ${divergence.toExponential(1)} nats`,
  ];
  return figures.join('; ');
}

/** Greedy answers: llama.cpp, given the same tokens, should have chosen the same ones. */
export async function checkRuns(
  report: Report,
  engine: Engine,
  { plan, answers }: Asked,
  theirs: Theirs,
): Promise<void> {
  const cases = { same: 0, all: 0, explained: 0 };
  for (const answer of answers) {
    const best = theirs.best[plan.runs.findIndex(({ name }) => name === answer.name)] ?? [];
    const partings = await partingsOf(engine, answer, best);
    const same = `${answer.tokens.length - partings.length} of ${answer.tokens.length} greedy tokens the same`;
    const isCase = answer.name.startsWith('fim');
    cases.all += Number(isCase);
    cases.same += Number(isCase && partings.length === 0);
    cases.explained += Number(isCase && partings.length > 0 && partings.every(isExplained));
    if (isCase && partings.length === 0) continue;
    report.verdict(partings.every(isExplained), `${answer.name}: ${same}`);
    for (const each of partings) report.line(`     ${spelledParting(engine, each)}`);
    if (answer.name === 'explain') report.line(`--- the explanation\n${answer.text}\n---`);
  }
  if (cases.all === 0) return;
  const rest = `${cases.explained} more part where two tokens are about as likely`;
  report.verdict(
    cases.same + cases.explained === cases.all,
    `fim: ${cases.same} of ${cases.all} cases the same; ${rest}`,
  );
}

/** a is our engine. */
async function partingsOf(engine: Engine, { prompt, tokens }: Answer, best: BestTwo[]): Promise<Parting[]> {
  const partings: Parting[] = [];
  for (const [position, [[b, first], [second, next]]] of best.entries()) {
    const a = tokens[position] ?? Number.NaN;
    if (a === b) continue;
    const row = await engine.lastLogits(Uint32Array.from([...prompt, ...tokens.slice(0, position)]));
    // If our choice is not their second choice either, its margin is unknown but larger.
    const marginOfB = second === a ? first - next : Number.POSITIVE_INFINITY;
    partings.push({ position, a, b, marginOfA: margin(row, a, b), marginOfB });
  }
  return partings;
}

function spelledParting(engine: Engine, { position, a, b, marginOfA, marginOfB }: Parting): string {
  const choice = (token: number, by: number) => `${JSON.stringify(spelled(engine, [token]))} by ${by.toFixed(2)}`;
  return `at ${position}: ${choice(a, marginOfA)} / ${choice(b, marginOfB)}`;
}

function spelled(engine: Engine, tokens: Iterable<number>): string {
  const bytes = [...tokens].map((token) => Buffer.from(engine.tokenBytes(token)));
  return Buffer.concat(bytes).toString('utf8');
}
