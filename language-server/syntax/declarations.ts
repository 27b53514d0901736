// Finds out which occurrences of a name mean the same symbol. Each occurrence is looked up in the scopes around it, by
// the rules of the language (name-rows.ts).
import { setImmediate } from 'node:timers/promises';
import { type Node, Query } from 'web-tree-sitter';
import { type NameRow, nameRows, sameNames } from './name-rows.ts';
import type { Binding, Declaration, Name, Names, Scope } from './names.ts';
import { classOf, ownedBy } from './owned-names.ts';

// A name beyond these limits is not looked up. The cost depends on how often it occurs, how deep it is nested, and how
// many siblings the nodes around it have. No name that is worth a rename reaches the limits.
const maxPlaces = 300;
const maxDepth = 200;
const maxNodes = 2000;
const maxNodesInAll = 100_000;
/** How long the search may block other requests at a time. */
const sliceMs = 10;
const declaring = ['local', 'outer', 'hoisted', 'import', 'field', 'method'];

export function hasNames(languageId: string): boolean {
  return nameRows[sameNames[languageId] ?? languageId] !== undefined;
}

/**
 * All occurrences of a word as a name in a text, grouped by what they mean. null: the language has no row in
 * name-rows.ts, or a limit is reached. root: the root of the text's tree; the tree must not be deleted before the
 * result resolves.
 */
export async function namesOf(root: Node, languageId: string, text: string, word: string): Promise<Names | null> {
  const row = nameRows[sameNames[languageId] ?? languageId];
  const places = row && [...text.matchAll(wholeWord(word))].map(({ index }) => index);
  if (!places || places.length > maxPlaces) return null;
  const [names, broken]: [Name[], Name[]] = [[], []];
  let [sliceStartedAt, nodesInAll] = [performance.now(), 0];
  for (const at of places) {
    if (performance.now() - sliceStartedAt > sliceMs) {
      await setImmediate();
      sliceStartedAt = performance.now();
    }
    const { top, nodes } = pathTo(root, at);
    nodesInAll += nodes;
    if (nodes > maxNodes || nodesInAll > maxNodesInAll) return null;
    const name = nameAt(top, row, text, at, word.length);
    if (name) (name.roles.has('broken') || root.isError ? broken : names).push(name);
  }
  return { ...grouped(names, row), broken };
}

/** The top-level node that contains the offset, and how many children the nodes around the offset have in total. */
function pathTo(root: Node, at: number): { top: Node; nodes: number } {
  const cursor = root.walk();
  cursor.gotoFirstChildForIndex(at);
  const top = cursor.currentNode;
  let nodes = 0;
  for (let depth = 0; nodes <= maxNodes; depth++) {
    nodes += depth > maxDepth ? maxNodes : cursor.currentNode.childCount;
    if (!cursor.gotoFirstChildForIndex(at)) break;
  }
  cursor.delete();
  return { top, nodes };
}

function wholeWord(word: string): RegExp {
  const letter = '[\\p{L}\\p{N}_]';
  return new RegExp(`(?<!${letter})${word.replaceAll('$', '\\$')}(?!${letter})`, 'gu');
}

/**
 * Whether the name is defined more than once, so that its definitions may mean different symbols. Prototypes do not
 * count.
 */
export function isAmbiguous(
  { declarations, isMember }: Binding,
  { isAssigned, redeclaration, hasOverloads }: NameRow,
): boolean {
  const definitions = declarations.filter(({ roles }) => !(roles.has('outer') && roles.has('local')));
  if (definitions.length < 2 || redeclaration === 'same') return false;
  if (isMember && hasOverloads) return true;
  return !(isAssigned && definitions.every(({ roles }) => roles.has('hoisted') || roles.has('field')));
}

/** What the name at the offset may mean. A parameter that is also a field gives two bindings. */
export function bindingsAt({ bindings }: Names, at: number): Binding[] {
  return bindings.filter(({ names }) => names.some((name) => name.at === at));
}

const queries = new WeakMap<NameRow, Query>();

function queryOf({ tree }: Node, row: NameRow): Query {
  const query = queries.get(row) ?? new Query(tree.language, `${row.query} (ERROR) @broken`);
  queries.set(row, query);
  return query;
}

/** Matches the types of nodes that are names, and a few more: those that also match otherTypes are not names. */
const nameTypes = /identifier|^name$|^constant$|^variable_name$|^implicit_parameter$|^type$/;
const otherTypes = /^(?:statement_identifier|dotted_name|label_name|package_identifier)$|^(?:scoped|qualified|dotted)_/;
const memberTypes = /^(?:property_identifier|private_property_identifier|field_identifier|hash_key_symbol)$/;
/** Matches the text before a member, which ends in a dot, "->" or "::". */
const qualified = /(?:(?<!\.)\.|[\p{L}\p{N}_$)\]]->|::)\s*$/u;
/** Matches the text before a member of the object or class that the code belongs to. */
const ownReceiver =
  /(?:^|[^\p{L}\p{N}_$.>:])(?:this|self|cls|super|super\(\)|Self|static|\$this)[?!]*(?:\.|->|::)\s*$/u;
/** How many characters before a name are examined. */
const charsBeside = 100;

/** The name at the offset. null: there is no name, or it does not belong to this file. */
function nameAt(top: Node, row: NameRow, text: string, at: number, length: number): Name | null {
  const [before, following] = [text.slice(Math.max(0, at - charsBeside), at), text.slice(at + length, at + length + 1)];
  const node = top.descendantForIndex(at, at + length);
  if (!node) return null;
  // A "$" beside a name is a part of it, as in JavaScript and PHP, unless it begins an interpolation.
  const isExact = node.startIndex === at && node.endIndex === at + length && !before.endsWith('$') && following !== '$';
  const isPrivate = node.type === 'private_property_identifier' && node.startIndex === at - 1;
  const isInString = row.inString?.[0].test(before) && row.inString[1].test(following) && /string/.test(node.type);
  if (!(isPrivate || isInString || (isExact && nameTypes.test(node.type) && !otherTypes.test(node.type)))) return null;
  const captures = queryOf(top, row)
    .matches(top, { startIndex: at, endIndex: at + length })
    .flatMap(({ captures: all }, match) => all.map((each) => ({ ...each, match })));
  const around = captures
    .filter((each) => each.node.startIndex <= at && each.node.endIndex >= at + length)
    .sort(
      (a, b) =>
        a.node.startIndex - b.node.startIndex || b.node.endIndex - a.node.endIndex || captureOrder(a) - captureOrder(b),
    );
  const scopes = scopesOf(around, captures);
  const roles: Set<string> = isInString ? new Set() : rolesOf(node, around);
  if (roles.has('key') || around.some(({ name }) => name === 'foreign')) return null;
  const receiverOfMethod = captures.find(({ name }) => name === 'receiver')?.node.text;
  const isOwn =
    isPrivate ||
    roles.has('own') ||
    ownReceiver.test(before) ||
    (receiverOfMethod !== undefined && before.endsWith(`${receiverOfMethod}.`));
  const isMember = qualified.test(before) || isPrivate || roles.has('own') || memberTypes.test(node.type);
  const receiver = roles.has('import') || !isMember ? 'none' : isOwn ? 'own' : 'other';
  const [innermost] = scopes.slice(-1);
  const after = around.findLast((each) => each.name === 'after' && isWithin(each.node, innermost?.node ?? top));
  const imported = around.find(({ name }) => name === 'import.statement')?.node;
  const owned = captures.flatMap((each) => (each.node.id === node.id ? [each.match] : []));
  const owner = captures.find((each) => each.name === 'owner' && owned.includes(each.match))?.node.text;
  return { at, node, roles, scopes, receiver, from: after?.node.endIndex ?? 0, imported, owner };
}

interface Capture {
  name: string;
  node: Node;
  match: number;
  patternIndex: number;
}

/**
 * The order of several captures of the same node. 'class' comes first: a method can also be captured as the class of
 * its receiver.
 */
function captureOrder({ name }: Capture): number {
  return name === 'class' ? 0 : 1;
}

const scopeKinds: ReadonlySet<string> = new Set(['block', 'function', 'closed', 'class']);

/** The scopes around a name, innermost last. around: the captures that contain the name, outermost first. */
function scopesOf(around: readonly Capture[], captures: readonly Capture[]): Scope[] {
  const scopes: Scope[] = [];
  for (const { name, node, match } of around) {
    if (!scopeKinds.has(name)) continue;
    const last = scopes.at(-1);
    const kind = name as Scope['kind'];
    // The parameters of a function and the names of its body are in one scope.
    const isBody = kind === 'block' && last?.node.id === node.parent?.id;
    if (isBody && (last?.kind === 'function' || last?.kind === 'closed')) continue;
    const className = captures.find((each) => each.name === 'name' && each.match === match);
    const key = kind === 'class' && className ? `class ${className.node.text}` : `${node.id}`;
    if (last?.key !== key || last.kind !== kind) scopes.push({ kind, key, node });
  }
  return scopes;
}

function isWithin(inner: Node, outer: Node): boolean {
  return inner.startIndex >= outer.startIndex && inner.endIndex <= outer.endIndex;
}

function rolesOf(node: Node, around: readonly Capture[]): Set<string> {
  const roles = new Set<string>();
  const unbound = around.filter(({ name }) => name === 'unbound');
  for (const { name, node: captured } of around) {
    if (name.startsWith('binds')) {
      if (!unbound.some((part) => isWithin(part.node, captured))) roles.add(name.split('.')[1] ?? 'local');
    } else if (captured.id === node.id || name === 'broken') roles.add(name);
  }
  if (roles.has('use')) for (const role of declaring) roles.delete(role);
  const isMember = roles.has('field') || roles.has('method');
  if (isMember || roles.has('hoisted')) roles.delete('outer');
  if (isMember || roles.has('outward')) roles.delete('hoisted');
  if (roles.has('hoisted')) roles.delete('local');
  return roles;
}

/** Groups the occurrences of a word by the declarations to which they belong. */
function grouped(names: readonly Name[], row: NameRow): Omit<Names, 'broken'> {
  const functionsWithOutward = new Set(
    names.filter(({ roles }) => roles.has('outward')).map((name) => functionOf(name)?.key),
  );
  const declared: Declaration[] = [];
  for (const name of names) declared.push(...declarationsOf(name, row, functionsWithOutward, declared));
  const keys = [...new Set(declared.map(({ key }) => key))];
  const isDeclaration = new Set(declared.map(({ name }) => name));
  const uses = names
    .filter((name) => !isDeclaration.has(name))
    .map((name) => ({ name, key: lookUp(name, declared, row) }));
  const owned = names.flatMap((name) => {
    const key = ownedBy(name, declared, row);
    // If one word is both a variable and the field that it fills, this occurrence of the field gets its own role.
    const roles = name.roles.has('shorthand') ? new Set(['filled']) : name.roles;
    return key === undefined ? [] : [{ name: { ...name, roles }, key }];
  });
  const bindings = keys.map((key) => {
    const all = declared.filter((each) => each.key === key);
    const [{ home, homeNode, isMember }] = all as [Declaration];
    const declarations = all.map(({ name }) => name);
    const itsUses = [...uses, ...owned].filter((each) => each.key === key).map(({ name }) => name);
    const itsNames = [...declarations, ...itsUses].sort((a, b) => a.at - b.at);
    return { home, homeNode, isMember, declarations, names: itsNames };
  });
  const isFree = ({ name, key }: (typeof uses)[number]) => key === undefined && !name.roles.has('keyword');
  const free = uses.filter(isFree).map(({ name }) => name);
  const isUnknown = ({ receiver }: Name) => receiver === 'other';
  return { bindings, free: free.filter((name) => !isUnknown(name)), unknown: free.filter(isUnknown), row };
}

function functionOf({ scopes }: Name): Scope | undefined {
  return scopes.findLast(({ kind }) => kind === 'function' || kind === 'closed');
}

/**
 * What an occurrence declares: nothing, one symbol, or both a field and a local. functionsWithOutward: the keys of the
 * functions in which the word is declared as coming from outside. known: the declarations before this occurrence.
 */
function declarationsOf(
  name: Name,
  row: NameRow,
  functionsWithOutward: ReadonlySet<string | undefined>,
  known: readonly Declaration[],
): Declaration[] {
  const { roles, scopes, at } = name;
  const inScope = (scope: Scope | undefined, space = ''): Declaration => {
    const home = scope?.key ?? '';
    return { key: `${home}${space}`, home, homeNode: scope?.node, isMember: false, name };
  };
  const found: Declaration[] = [];
  if (roles.has('field') || roles.has('method'))
    found.push({ ...inScope(classOf(name), namespaceOf(name, row)), isMember: true });
  if (roles.has('outer')) found.push(inScope(scopes.at(-2)));
  else if (roles.has('local') || roles.has('import')) {
    const local = inScope(scopes.at(-1));
    const isAnother = row.redeclaration === 'another' && roles.has('local');
    found.push(isAnother ? { ...local, key: `${local.key} ${at}` } : local);
  } else if (roles.has('hoisted') && !functionsWithOutward.has(functionOf(name)?.key)) {
    const isKnown = row.blocksShareLocals && isLocalAround(name, known);
    if (!isKnown) found.push(inScope(functionOf(name)));
  }
  return found;
}

/**
 * Whether one of the scopes around the innermost one has a local with this name. We look no further than a closed
 * scope.
 */
function isLocalAround({ scopes }: Name, known: readonly Declaration[]): boolean {
  const around = scopes.slice(scopes.findLastIndex(({ kind }) => kind === 'closed')).slice(0, -1);
  return around.some(({ key }) => known.some((each) => each.home === key && isVariable(each)));
}

/** The namespace of a member. Private members such as `#name` have their own; in some languages, so do methods. */
function namespaceOf({ roles, node }: Name, row: NameRow): string {
  if (node.type === 'private_property_identifier') return ' private';
  return row.hasMethodNames && (roles.has('method') || roles.has('call')) ? ' method' : ' member';
}

function isVariable({ name: { roles } }: Declaration): boolean {
  return !roles.has('outer') && !roles.has('import');
}

/** The key of the declaration that the name refers to; undefined if the document has none. */
function lookUp(name: Name, declared: readonly Declaration[], row: NameRow): string | undefined {
  const { roles, at } = name;
  if (roles.has('origin') || roles.has('keyword')) return undefined;
  const memberOf = (scope: Scope | undefined) => {
    const key = `${scope?.key ?? ''}${namespaceOf(name, row)}`;
    return declared.find((each) => each.key === key)?.key;
  };
  if (name.receiver === 'other') return undefined;
  if (name.receiver === 'own') return memberOf(classOf(name));
  const innermostFirst = name.scopes.toReversed();
  if (roles.has('enclosing') || roles.has('outward')) innermostFirst.splice(0, 1);
  let [onlyFunctions, isInBody] = [roles.has('call'), true];
  for (const scope of [...innermostFirst, undefined]) {
    const here = declared.filter(
      (each) =>
        !each.isMember &&
        each.home === (scope?.key ?? '') &&
        each.name.from <= at &&
        !(onlyFunctions && isVariable(each)),
    );
    const last = here.findLast((each) => each.name.at < at) ?? here[0];
    if (last) return last.key;
    const { bareMembers } = row;
    if (scope?.kind === 'class' && (bareMembers === 'everywhere' || (bareMembers === 'body' && isInBody))) {
      const member = memberOf(scope);
      if (member !== undefined) return member;
    }
    if (scope?.kind === 'closed') onlyFunctions = true;
    if (scope && scope.kind !== 'block') isInBody = false;
  }
  return undefined;
}
