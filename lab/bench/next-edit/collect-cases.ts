// Collects cases from git histories until there are enough of each kind, and thins them out evenly by language.
import { basename, dirname } from 'node:path';
import type { PastEdit } from '../../../language-server/edits/text/text-edit.ts';
import { random } from '../../../test/support/random.ts';
import { type ChangedFile, type Commit, commitsOf, textOf } from './histories.ts';
import { beforeRevert, type ChangedText, quietCase, quietKinds, relatedCase } from './make-cases.ts';
import type { NextEditCase } from './next-edit-case.ts';

export interface Wanted {
  related: number;
  quiet: number;
}

const maxFiles = 12;
const maxHunks = 20;
const maxHunkLines = 30;
const longestText = 60_000;
const maxElsewhere = 3;

/** Cases from one repository, the newest commits first, until there are enough of each kind. */
export async function casesOf(repository: string, { related, quiet }: Wanted): Promise<NextEditCase[]> {
  const name = nameOf(repository);
  const cases: NextEditCase[] = [];
  const kinds = quietKinds.length + 1;
  const room = new Map<string, number>([
    ['related', related],
    ...quietKinds.map((k) => [k, Math.ceil(quiet / kinds)] as const),
  ]);
  room.set('before a revert', Math.ceil(quiet / kinds));
  for await (const commit of commitsOf(repository)) {
    if ([...room.values()].every((left) => left <= 0)) break;
    const fromCommit = casesOfCommit(
      commit,
      (file) => textOf(repository, file.blob),
      (kind) => (room.get(kind) ?? 0) > 0,
    );
    for (const each of fromCommit) {
      room.set(each.kind ?? '', (room.get(each.kind ?? '') ?? 0) - 1);
      cases.push({ ...each, source: `${name}@${commit.id.slice(0, 12)}` });
    }
  }
  return cases;
}

/** At most one case from the commit. Commits with many files or many places give no case, since nobody typed them. */
export function casesOfCommit(
  { id, subject, files }: Commit,
  textOfFile: (file: ChangedFile) => string,
  hasRoom: (kind: string) => boolean,
): NextEditCase[] {
  const usable = files.filter(
    ({ hunks }) =>
      hunks.length > 0 &&
      hunks.length <= maxHunks &&
      hunks.every((hunk) => hunk.old.length + hunk.new.length <= maxHunkLines),
  );
  if (files.length > maxFiles || usable.length === 0) return [];
  const randomness = random(Number.parseInt(id.slice(0, 8), 16));
  const at = randomness.below(usable.length);
  const file = usable[at];
  if (file === undefined) return [];
  const elsewhere = randomness.chance(1 / 3) ? editsIn(usable.slice(0, at)) : [];
  const quiet = quietKinds.filter((kind) => hasRoom(kind));
  const wantsRelated = hasRoom('related') && (quiet.length === 0 || randomness.chance(0.6));
  let text: string | undefined;
  const changed: ChangedText = {
    path: file.path,
    hunks: file.hunks,
    elsewhere,
    get text() {
      text ??= textOfFile(file);
      return text;
    },
  };
  const makers = [
    () => (/^revert\b/i.test(subject) && hasRoom('before a revert') ? beforeRevert(changed) : undefined),
    () => (wantsRelated ? relatedCase(changed, randomness) : undefined),
    ...quiet.map((kind) => () => quietCase(changed, kind, randomness)),
    () => (hasRoom('related') ? relatedCase(changed, randomness) : undefined),
  ];
  for (const make of makers) {
    const made = make();
    if (made && made.text.length <= longestText) return [made];
  }
  return [];
}

function editsIn(files: ChangedFile[]): PastEdit[] {
  return files
    .flatMap(({ path, hunks }) =>
      hunks.map((hunk) => ({ path, before: hunk.old.join('\n'), after: hunk.new.join('\n') })),
    )
    .slice(-maxElsewhere);
}

/** OWNER/NAME for a repository's folder, bare or a working tree. */
function nameOf(repository: string): string {
  const own = basename(repository).replace(/\.git$/, '');
  return own === 'repo' ? basename(dirname(repository)).replace('+', '/') : own;
}

/**
 * Takes the wanted numbers of cases: the same number from each language, and within a language the same number from
 * each repository and kind, as far as there are enough.
 */
export function thinned(cases: NextEditCase[], { related, quiet }: Wanted): NextEditCase[] {
  const take = (from: NextEditCase[], most: number) =>
    inTurns([...grouped(from, ({ languageId }) => languageId)].map(([, all]) => evenly(all))).slice(0, most);
  return [
    ...take(
      cases.filter((each) => !each.quiet),
      related,
    ),
    ...take(
      cases.filter((each) => each.quiet),
      quiet,
    ),
  ];
}

/** Orders the cases so that repositories and kinds take turns. */
function evenly(cases: NextEditCase[]): NextEditCase[] {
  return inTurns([...grouped(cases, ({ source = '', kind }) => `${source.split('@', 1)[0]} ${kind}`).values()]);
}

function grouped<T>(all: T[], key: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) groups.set(key(each), [...(groups.get(key(each)) ?? []), each]);
  return groups;
}

/** The first item of each list, then the second of each, and so on. */
function inTurns<T>(lists: T[][]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}
