// Finds renames in the history and, by the rules of scope, the other uses of the renamed symbol. The same name in a
// string, in a comment, or for another symbol (in another function or file, say) does not count as a use.
import { setImmediate } from 'node:timers/promises';
import { bindingsAt, hasNames, isAmbiguous, isMethodName, namesOf } from '../../../syntax/declarations.ts';
import type { Binding, Name, Names, Scope } from '../../../syntax/names.ts';
import { type PastEdit, wordsOf } from '../../text/text-edit.ts';
import { declares } from './declares-by-text.ts';
import { importsFile, seesAllOf } from './imports.ts';
import { type Replacement, replacementsIn } from './replacements.ts';
import { partnersOf } from './tag-partner.ts';
import { type NamedSource, type TextBefore, type Use, withTextBefore } from './text-before.ts';

export interface Rename {
  /** The path of the file that declares the renamed symbol. */
  path: string;
  old: string;
  now: string;
  /** Whether other files may use it. */
  isShared: boolean;
  /** Whether the edit changed nothing but the name. */
  isPure: boolean;
  /** How many symbols of this file were given this new name instead of this old one. */
  times: number;
  /** Whether it is a member. The same name after a dot elsewhere may be a member of any object. */
  isMember: boolean;
  /** The edits that have renamed it so far, in all documents. */
  edits: readonly PastEdit[];
  /** The uses in the file that declares it. */
  own: Uses;
}

/** The places where a document still has the old name. */
export interface Uses {
  /** The name means the renamed symbol. */
  certain: readonly Use[];
  /** The name may mean another symbol. */
  possible: readonly Use[];
}

// Each rename needs another tree of the document.
const maxRenames = 8;

/** The renames in the history, the newest first. documents: the open ones. */
export async function renamesIn(documents: readonly NamedSource[], history: readonly PastEdit[]): Promise<Rename[]> {
  const renames: Rename[] = [];
  for (const { path, ...made } of replacementsIn(history).slice(0, maxRenames)) {
    const document = documents.find((open) => open.path === path);
    if (!document) continue;
    await setImmediate();
    const found = await renameIn(document, made);
    const rename = found ?? (hasNames(document.languageId) ? undefined : renamedByText(document, made));
    if (rename) renames.push(rename);
  }
  return renames;
}

/** What the edits tell about the renamed symbol. */
type Found = Omit<Rename, 'path' | 'old' | 'now' | 'edits'>;

/** Nothing follows: the name is declared several times, so it is unknown which declaration a use means. */
const undecided: Found = {
  ...{ isPure: false, isShared: false, isMember: false, times: 1 },
  own: { certain: [], possible: [] },
};

function renamedByText({ path, text }: NamedSource, { old, now, edits }: Replacement): Rename | undefined {
  const isTwice = edits.some(({ before }) => declares(before, old)) && declares(text.toString(), old);
  return isTwice ? { path, old, now, edits, ...undecided } : undefined;
}

async function renameIn(document: NamedSource, made: Replacement): Promise<Rename | undefined> {
  const { old, now, isPure, edits } = made;
  const found = await withTextBefore(document, edits, async (text): Promise<Found | undefined> => {
    if (text.edited.size === 0) return undefined;
    const partners = partnersOf(text, made);
    if (!partners) return await symbolIn(text, made);
    return { isPure, isShared: false, isMember: false, times: 0, own: { certain: partners, possible: [] } };
  });
  return found && { path: document.path, old, now, edits, ...found };
}

/**
 * The symbol that edited lines declared under the old name; undefined if there is none, or if the new name is taken
 * where it is declared.
 */
async function symbolIn(text: TextBefore, made: Replacement): Promise<Found | undefined> {
  const { old, now, isPure, isAlias } = made;
  const [names, others] = await bothNames(text, made);
  if (!names || !others) return undefined;
  const isTaken = ({ home, key, isMember }: Binding) =>
    others.bindings.some((other) => (isMember || other.isMember ? other.key === key : other.home?.key === home?.key));
  const bindings = names.bindings.filter(
    (binding) => isDeclaredIn(binding.declarations, text, isAlias) && !isTaken(binding),
  );
  if (bindings.length === 0) return undefined;
  const isBroken = ({ home }: Binding) =>
    names.broken.some(({ scopes }) => !home || scopes.some(({ key }) => key === home.key));
  if (bindings.some((binding) => isAmbiguous(binding, names.row) || isBroken(binding))) return undecided;
  const lines = text.text.split('\n');
  const isKnownElsewhere = ({ home, declarations: [first] }: Binding) => {
    const around = first?.scopes.slice(0, first.scopes.findLastIndex(({ key }) => key === home?.key) + 1);
    const isOutside = around?.every(({ kind }) => kind === 'block');
    return isOutside && names.row.shared.test(lines[text.lineOf(first?.at ?? 0)] ?? '');
  };
  const declared = bindings.map(({ declarations: [first] }) => first).filter((first) => !first?.roles.has('import'));
  const isMember = bindings.some((binding) => binding.isMember);
  const documented = bindings.filter((binding) => !binding.home || binding.isMember);
  const inComments = documented.flatMap(({ declarations }) =>
    declarations.flatMap((name) => inCommentAbove(name, text, old, now)),
  );
  const usesOf = (all: readonly Name[]) => all.flatMap((name) => useOf(name, text, made));
  const certain = bindings.flatMap((binding) =>
    usesOf(binding.names.filter((name) => !isHidden(name, others, binding.home))),
  );
  return {
    ...{ isPure, isMember, isShared: !isAlias && bindings.some(isKnownElsewhere) },
    times: new Set(declared.map((first) => first?.at)).size,
    own: { certain, possible: [...inComments, ...(isMember ? usesOf(names.unknown) : [])] },
  };
}

/**
 * Whether the name would mean something else if it became the new name, because a scope between it and its home
 * declares the new name. others: the new name's occurrences.
 */
function isHidden(name: Name, { bindings, row }: Names, home?: Scope): boolean {
  const { receiver, roles, scopes } = name;
  if (receiver !== 'none' || roles.has('keyword') || roles.has('filled')) return false;
  const isMethod = isMethodName(name, row);
  const hiding = bindings.filter(({ isMember, declarations }) =>
    isMember
      ? row.bareMembers === 'everywhere' && declarations.some((each) => isMethodName(each, row) === isMethod)
      : !isMethod,
  );
  const between = scopes.slice(scopes.findLastIndex(({ key }) => key === home?.key) + 1);
  return between.some(({ key }) => hiding.some((other) => other.home?.key === key));
}

async function bothNames({ tree }: TextBefore, { old, now }: Pick<Replacement, 'old' | 'now'>) {
  return [await namesOf(tree, old), await namesOf(tree, now)] as const;
}

/** Whether an edit renamed a declaration. If all declarations are assignments, only the first one declares. */
function isDeclaredIn(
  declarations: readonly Name[],
  { edited, lineOf, characterNow }: TextBefore,
  isAlias: boolean,
): boolean {
  const isAssigned = declarations.every(({ roles }) => roles.has('hoisted') || roles.has('field'));
  const which = isAssigned ? declarations.slice(0, 1) : declarations;
  const isRenamed = ({ at, roles }: Name) =>
    isAlias ? roles.has('shorthand') || roles.has('import') : characterNow(at) === undefined;
  return which.some((name) => edited.has(lineOf(name.at)) && isRenamed(name));
}

const commentLine = /^\s*(?:\/\/|#|\*|\/\*|--)/;

/** The places where the comment above a declaration has its old name. */
function inCommentAbove({ at }: Name, { text, lineOf }: TextBefore, old: string, now: string): Use[] {
  const lines = text.split('\n');
  const uses: Use[] = [];
  for (let line = lineOf(at) - 1; commentLine.test(lines[line] ?? ''); line--) {
    let character = 0;
    for (const word of wordsOf(lines[line] ?? '')) {
      if (word === old) uses.push({ line, character, text: now });
      character += word.length;
    }
  }
  return uses;
}

/** The use, with the text to write in its place; empty if the use was edited already or its meaning is unclear. */
function useOf({ at, roles, imported }: Name, text: TextBefore, { old, now }: Pick<Replacement, 'old' | 'now'>): Use[] {
  const character = text.characterNow(at);
  if (character === undefined || roles.has('unclear') || text.isTooLong(text.lineOf(at))) return [];
  const isKept = roles.has('shorthand') && !imported;
  const filled = roles.has('filled') ? `${now}: ${old}` : now;
  const replacement = isKept ? `${old}: ${now}` : roles.has('exported') ? `${now} as ${old}` : filled;
  return [{ line: text.lineOf(at), character, text: replacement }];
}

/** The uses of the renamed symbol in a document, which may be the one that declares it. */
export async function usesIn(document: NamedSource, rename: Rename): Promise<Uses> {
  if (document.path === rename.path) return rename.own;
  const none = { certain: [], possible: [] };
  const mayUse = (rename.isShared || rename.isMember) && hasNames(document.languageId);
  if (!mayUse) return none;
  return (await withTextBefore(document, rename.edits, (text) => placesElsewhere(document, text, rename))) ?? none;
}

async function placesElsewhere({ path }: NamedSource, text: TextBefore, rename: Rename): Promise<Uses> {
  const [names, others] = await bothNames(text, rename);
  if (!names || !others) return { certain: [], possible: [] };
  const usesOf = (all: readonly Name[]) => all.flatMap((name) => useOf(name, text, rename));
  const possible = usesOf(names.unknown);
  const isTaken = others.bindings.some(({ home, isMember }) => !home && !isMember);
  if (isTaken || !rename.isShared) return { certain: [], possible };
  const isImported = ({ imported }: Name) => imported !== undefined && importsFile(imported.text, path, rename.path);
  const all = [...names.bindings.flatMap((binding) => binding.names), ...names.free];
  const specifying = ['import', 'origin', 'shorthand'];
  const specifiers = all.filter((name) => isImported(name) && specifying.some((role) => name.roles.has(role)));
  const followers = specifiers.flatMap((specifier) =>
    specifier.roles.has('origin') ? [specifier] : bindingsAt(names, specifier.at).flatMap((binding) => binding.names),
  );
  const isSeen = specifiers.length === 0 && seesAllOf(text.text, path, rename.path);
  const free = isSeen ? names.free.filter(({ imported }) => !imported) : [];
  return { certain: usesOf([...followers, ...free].filter((name) => !isHidden(name, others))), possible };
}
