// npm run tool -- gates FOLDER --recorded FILE: fits a model's gates to the texts that it has written at places.
// `places` makes the places, and `record` records the texts.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, onlyOperand, print, text } from '../../../language-server/cli/command.ts';
import {
  type Gate,
  type Gates,
  gateFor,
  type Level,
  levels,
  type Situation,
  situationOf,
  situations,
} from '../../../language-server/shape/confidence.ts';
import { type Place, placeAt } from '../../../language-server/shape/place.ts';
import { scoreOf } from '../eval-score.ts';
import { required } from '../input.ts';
import { evenGates, fitGates, gainOf, grid, type SituationGates, shrinkages, splitInHalves, weights } from './fit.ts';
import { type Characters, playSession } from './play-sessions.ts';
import {
  cursorDocument,
  loadGrammars,
  playWhole,
  type RecordedPlace,
  type Recording,
  readCuts,
  readRecordings,
  readSessions,
} from './recording.ts';

const file = join('language-server', 'shape', 'gates.json');

export const gatesCommand: Command = {
  summary: 'fit the gates of a model to its recorded texts; prints the curves as CSV, --write changes gates.json',
  operands: 'FOLDER',
  options: {
    recorded: { type: 'string', value: 'FILE', help: 'the file that `record` has written' },
    write: { type: 'string', value: 'NAME', help: 'write the gates to gates.json for this model: starter or coder' },
  },
  async run(values, operands) {
    await loadGrammars();
    const recorded = required(values, 'recorded', 'FILE');
    const { model, recordings } = readRecordings(recorded);
    const folder = onlyOperand(operands, 'FOLDER');
    const places = new Places(readCuts(join(folder, 'cuts.jsonl')), readSessions(folder), recordings);
    const now = byLevel((level) => bySituation((each) => gateFor(model, level, each)));
    print(`# ${model.name}: ${places.summary}`);
    print('gates,level,weight,cuts_right,cuts_wrong,typed_right,typed_wrong,gain');
    report('before', now, (gates, level) => places.measure(gates, level));
    // Fits to the places in one half of the files and measures on the other half, to see how much is chance.
    const halves = [places.half(0), places.half(1)];
    const fittedToHalves = halves.map((half) => fitted(half, now));
    const gains = shrinkages.map((shrinkage, k) => {
      const gain = report(`halves ${shrinkage}`, fittedToHalves[0]![k]!, (_, level) =>
        sum(halves.map((half, i) => half.measure(fittedToHalves[1 - i]![k]!, level))),
      );
      return { k, gain };
    });
    const { k } = gains.reduce((best, each) => (each.gain > best.gain ? each : best));
    const chosen = fitted(places, now)[k]!;
    report(`fitted ${shrinkages[k]}`, chosen, (gates, level) => places.measure(gates, level));
    for (const gate of grid)
      print(
        rowOf(
          `even ${gate.line}/${gate.beginning}`,
          'balanced',
          places.measure(
            byLevel(() => evenGates(gate)),
            'balanced',
          ),
        ),
      );
    const table = byLevel((level) => asPairs(chosen[level]));
    const name = text(values, 'write');
    if (name === undefined) return;
    const known = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Gates>;
    writeFileSync(file, `${JSON.stringify({ ...known, [name]: table }, null, 2)}\n`);
  },
};

type LevelGates = Record<Level, SituationGates>;

function byLevel<T>(make: (level: Level) => T): Record<Level, T> {
  return Object.fromEntries(levels.map((level) => [level, make(level)])) as Record<Level, T>;
}

function bySituation(gateOf: (situation: Situation) => Gate): SituationGates {
  return Object.fromEntries(situations.map((each) => [each, gateOf(each)])) as SituationGates;
}

/** The form of gates.json: [line, beginning] for each situation. */
function asPairs(gates: SituationGates): Record<Situation, number[]> {
  const pairs = situations.map((each) => [each, [gates[each].line, gates[each].beginning]]);
  return Object.fromEntries(pairs) as Record<Situation, number[]>;
}

/**
 * The gates for each shrinkage. The strictest level is fitted first, because the sessions of a level also use the gates
 * of the next stricter one.
 */
function fitted(places: Places, from: LevelGates): LevelGates[] {
  const byShrinkage = shrinkages.map(() => ({ ...from }));
  let stricter = from;
  for (const level of levels.toReversed()) {
    const gain = (each: SituationGates) =>
      gainOf(places.measure({ ...stricter, [level]: each }, level).all, weights[level]);
    const fits = fitGates({ gain, shareOf: (situation) => places.shareOf(situation) });
    for (const [k, fit] of fits.entries()) byShrinkage[k]![level] = noLooser(fit, byShrinkage[k]!, level);
    stricter = byShrinkage[2]!;
  }
  return byShrinkage;
}

/** The gates, lowered so that no level requires more than the next stricter one. */
function noLooser(gates: SituationGates, all: LevelGates, level: Level): SituationGates {
  const next = levels[levels.indexOf(level) + 1];
  if (next === undefined) return gates;
  return bySituation((each) => ({
    line: Math.min(gates[each].line, all[next][each].line),
    beginning: Math.min(gates[each].beginning, all[next][each].beginning),
  }));
}

type Figures = Record<'cuts' | 'typed' | 'all', Characters>;

/** Prints a row for each level. Returns the gain of all levels together. */
function report(name: string, gates: LevelGates, measure: (gates: LevelGates, level: Level) => Figures): number {
  let total = 0;
  for (const level of levels) {
    const figures = measure(gates, level);
    total += gainOf(figures.all, weights[level]);
    print(rowOf(name, level, figures));
  }
  return total;
}

function rowOf(name: string, level: Level, { cuts, typed, all }: Figures): string {
  const gain = Math.round(gainOf(all, weights[level]));
  return [name, level, weights[level], cuts.right, cuts.wrong, typed.right, typed.wrong, gain].join(',');
}

function sum(figures: Figures[]): Figures {
  const add = (key: keyof Figures) => ({
    right: figures.reduce((all, each) => all + each[key].right, 0),
    wrong: figures.reduce((all, each) => all + each[key].wrong, 0),
  });
  return { cuts: add('cuts'), typed: add('typed'), all: add('all') };
}

class Places {
  private readonly cuts: RecordedPlace[];
  private readonly sessions: RecordedPlace[][];

  constructor(
    cuts: RecordedPlace[],
    sessions: RecordedPlace[][],
    private readonly recordings: Map<string, Recording>,
    private readonly ghosts = new Map<string, { text: string; replaces: number }>(),
    private readonly places = new Map<string, { at: Place; situation: Situation }>(),
  ) {
    this.cuts = cuts.filter(({ id }) => recordings.has(id));
    this.sessions = sessions.filter((places) => places.every(({ id }) => recordings.has(id)));
  }

  get summary(): string {
    return `${this.cuts.length} places cut out of files, ${this.sessions.flat().length} keys of ${this.sessions.length} sessions`;
  }

  shareOf(situation: Situation): number {
    const all = [...this.cuts, ...this.sessions.flat()];
    return all.filter((place) => this.placeOf(place).situation === situation).length / Math.max(1, all.length);
  }

  half(number: number): Places {
    const half = splitInHalves([...this.cuts, ...this.sessions.flat()].map(({ path }) => path));
    const cuts = this.cuts.filter(({ path }) => half(path) === number);
    const sessions = this.sessions.filter(([first]) => first && half(first.path) === number);
    return new Places(cuts, sessions, this.recordings, this.ghosts, this.places);
  }

  measure(gates: Record<Level, SituationGates>, level: Level): Record<'cuts' | 'typed' | 'all', Characters> {
    const cuts = { right: 0, wrong: 0 };
    for (const cut of this.cuts) {
      const { charactersRight, charactersWrong } = scoreOf(this.ghost(cut, gates[level]), cut);
      cuts.right += charactersRight;
      cuts.wrong += charactersWrong;
    }
    const typed = { right: 0, wrong: 0 };
    for (const session of this.sessions) {
      const sum = playSession(session, level, (place, at) => this.ghost(place, gates[at]).text);
      typed.right += sum.right;
      typed.wrong += sum.wrong;
    }
    return { cuts, typed, all: { right: cuts.right + typed.right, wrong: cuts.wrong + typed.wrong } };
  }

  private ghost(place: RecordedPlace, gates: SituationGates): { text: string; replaces: number } {
    const { at, situation } = this.placeOf(place);
    const gate = gates[situation];
    const key = `${place.id} ${gate.line} ${gate.beginning}`;
    const known = this.ghosts.get(key);
    if (known) return known;
    const recording = this.recordings.get(place.id);
    const ghost = recording && playWhole(at, recording, gate)?.suggestion;
    const made = ghost ? { text: ghost.text, replaces: ghost.replaces } : { text: '', replaces: 0 };
    this.ghosts.set(key, made);
    return made;
  }

  private placeOf(place: RecordedPlace): { at: Place; situation: Situation } {
    const known = this.places.get(place.id);
    if (known) return known;
    const at = placeAt(cursorDocument(place), 'auto');
    const made = { at, situation: situationOf(at) };
    this.places.set(place.id, made);
    return made;
  }
}
