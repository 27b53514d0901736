// npm run tool -- gates FOLDER --recorded FILE: fits the gates of a model to what it has written at the places of `places`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, onlyOperand, print, text, UsageError } from '../../../language-server/cli/command.ts';
import { type Gate, type Gates, gateFor, type Level, levels } from '../../../language-server/rules/confidence.ts';
import type { Place } from '../../../language-server/rules/place.ts';
import { placeAt } from '../../../language-server/rules/place-at.ts';
import { type Situation, situationOf, situations } from '../../../language-server/rules/situation.ts';
import { scoreOf } from '../eval-score.ts';
import { evenGates, fitGates, type SituationGates, weights } from './fit.ts';
import { type Characters, playSession } from './play-sessions.ts';
import {
  cursorDocument,
  play,
  type RecordedPlace,
  type Recording,
  readCuts,
  readRecordings,
  readSessions,
} from './recording.ts';

const file = join('language-server', 'rules', 'gates.json');

export const gatesCommand: Command = {
  summary: 'fit the gates of a model to its recorded texts; prints the curves as CSV, --write changes gates.json',
  operands: 'FOLDER',
  options: {
    recorded: { type: 'string', value: 'FILE', help: 'made by `record`' },
    write: { type: 'string', value: 'NAME', help: 'the model in gates.json: starter or coder' },
  },
  async run(values, operands) {
    const recorded = text(values, 'recorded');
    if (recorded === undefined) throw new UsageError('expected --recorded FILE');
    const { model, recordings } = readRecordings(recorded);
    const folder = onlyOperand(operands, 'FOLDER');
    const places = new Places(readCuts(join(folder, 'cuts.jsonl')), readSessions(folder), recordings);
    const now = Object.fromEntries(
      levels.map((level) => [level, situationGates((each) => gateFor(model, level, each))]),
    ) as Record<Level, SituationGates>;
    print(`# ${model.name}: ${places.summary}`);
    print('gates,level,weight,half,cuts_right,cuts_wrong,typed_right,typed_wrong,gain');
    report('before', places, now);
    const even = Object.fromEntries(
      levels.map((level) => [level, evenGates(gateFor(model, level, 'fresh'))]),
    ) as Record<Level, SituationGates>;
    const all = fitted(places, even);
    report('fitted', places, all);
    // How much of the gain is chance: fitted to one half of the places and measured on the other.
    for (const half of [0, 1]) {
      const other = fitted(places.half(1 - half), even);
      report('before', places.half(half), now, half);
      report('fitted to the other half', places.half(half), other, half);
    }
    const table = Object.fromEntries(
      levels.map((level) => [
        level,
        Object.fromEntries(situations.map((each) => [each, [all[level][each].line, all[level][each].beginning]])),
      ]),
    ) as Gates;
    const name = text(values, 'write');
    if (name === undefined) return print(JSON.stringify(table, null, 2));
    const known = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Gates>;
    writeFileSync(file, `${JSON.stringify({ ...known, [name]: table }, null, 2)}\n`);
  },
};

function situationGates(gateOf: (situation: Situation) => Gate): SituationGates {
  return Object.fromEntries(situations.map((each) => [each, gateOf(each)])) as SituationGates;
}

/** From the strictest on, since each level's sessions need the next stricter one. */
function fitted(places: Places, from: Record<Level, SituationGates>): Record<Level, SituationGates> {
  const gates = { ...from };
  for (const level of levels.toReversed()) {
    gates[level] = fitGates(
      from[level],
      weights[level],
      (each) => places.measure({ ...gates, [level]: each }, level).all,
    );
  }
  return gates;
}

function report(name: string, places: Places, gates: Record<Level, SituationGates>, half?: number): void {
  for (const level of levels) {
    const { cuts, typed, all } = places.measure(gates, level);
    const gain = Math.round(all.right - weights[level] * all.wrong);
    print(
      [name, level, weights[level], half ?? 'all', cuts.right, cuts.wrong, typed.right, typed.wrong, gain].join(','),
    );
  }
}

class Places {
  private readonly cuts: RecordedPlace[];
  private readonly sessions: RecordedPlace[][];
  private readonly places = new Map<string, { at: Place; situation: Situation }>();

  constructor(
    cuts: RecordedPlace[],
    sessions: RecordedPlace[][],
    private readonly recordings: Map<string, Recording>,
    private readonly ghosts = new Map<string, { text: string; replaces: number }>(),
  ) {
    this.cuts = cuts.filter(({ id }) => recordings.has(id));
    this.sessions = sessions.filter((places) => places.every(({ id }) => recordings.has(id)));
  }

  get summary(): string {
    return `${this.cuts.length} places cut out of files, ${this.sessions.flat().length} keys of ${this.sessions.length} sessions`;
  }

  half(number: number): Places {
    const isIn = (_: unknown, i: number) => i % 2 === number;
    return new Places(this.cuts.filter(isIn), this.sessions.filter(isIn), this.recordings, this.ghosts);
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
    const { at, situation } = this.foundOut(place);
    const gate = gates[situation];
    const key = `${place.id} ${gate.line} ${gate.beginning}`;
    const known = this.ghosts.get(key);
    if (known) return known;
    const recording = this.recordings.get(place.id);
    const ghost = recording && play(at, recording, gate)?.suggestion;
    const made = ghost ? { text: ghost.text, replaces: ghost.replaces } : { text: '', replaces: 0 };
    this.ghosts.set(key, made);
    return made;
  }

  private foundOut(place: RecordedPlace): { at: Place; situation: Situation } {
    const known = this.places.get(place.id);
    if (known) return known;
    const at = placeAt(cursorDocument(place), 'auto');
    const made = { at, situation: situationOf(at) };
    this.places.set(place.id, made);
    return made;
  }
}
