// Finds the occurrences of a word as a name, and reads from the tree what each one is: its roles, the scopes around it,
// and of what it is a member.
import { setImmediate } from 'node:timers/promises';
import { type Node, Query, type QueryCapture } from 'web-tree-sitter';
import type { NameRow } from './name-rows/row.ts';
import type { Name, Scope } from './names.ts';
import { receiverOf } from './receivers.ts';
import type { SyntaxTree } from './syntax-tree.ts';

// A name beyond these limits is not looked up. The cost depends on how often it occurs, how deep it is nested, and how
// many siblings the nodes around it have. No name that is worth a rename reaches the limits.
const maxPlaces = 300;
const maxDepth = 200;
const maxNodes = 2000;
const maxNodesInAll = 100_000;
/** So many characters before a name tell whether it is interpolated: one of several "\\" or "{" can escape the next. */
const maxSignsBefore = 16;
/** How long the search may block other requests at a time. */
const sliceMs = 10;
const declaring = ['local', 'outer', 'hoisted', 'import', 'field', 'method'];

export interface Occurrences {
  names: readonly Name[];
  /** Those in code that cannot be parsed. */
  broken: readonly Name[];
}

/** null: a limit is reached. The tree must not be deleted before the result resolves. */
export async function occurrencesIn(tree: SyntaxTree, row: NameRow, word: string): Promise<Occurrences | null> {
  const { root } = tree;
  const text = tree.text.toString();
  const places = [...text.matchAll(wholeWord(word))].map(({ index }) => index);
  if (places.length > maxPlaces) return null;
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
  return { names, broken };
}

function wholeWord(word: string): RegExp {
  const letter = '[\\p{L}\\p{N}_]';
  return new RegExp(`(?<!${letter})${word.replaceAll('$', '\\$')}(?!${letter})`, 'gu');
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

const queries = new WeakMap<NameRow, Query>();

function queryOf({ tree }: Node, row: NameRow): Query {
  const query = queries.get(row) ?? new Query(tree.language, `${row.query} (ERROR) @broken`);
  queries.set(row, query);
  return query;
}

/** Matches the types of nodes that are names. */
const nameTypes = /^(?!statement_|package_)\w*identifier|^(?:name|variable_name|constant|implicit_parameter)$/;

/** A capture, with all captures of the same match. */
interface Capture {
  name: string;
  node: Node;
  match: readonly QueryCapture[];
}

/** The name at the offset. null: there is no name, or it does not belong to this file. */
function nameAt(top: Node, row: NameRow, text: string, at: number, length: number): Name | null {
  const end = at + length;
  const [before, following = ''] = [text.slice(Math.max(0, at - maxSignsBefore), at), text[end]];
  const node = top.namedDescendantForIndex(at, end);
  if (!node) return null;
  // A "$" beside a name is a part of it, as in JavaScript and PHP, unless it begins an interpolation.
  const isPart = following === '$' || (before.endsWith('$') && node.parent?.type !== 'interpolation');
  const isExact = node.startIndex === at && node.endIndex === end && !isPart;
  const isPrivate = node.type === 'private_property_identifier' && node.startIndex === at - 1;
  const isInString = row.inString?.[0].test(before) && row.inString[1].test(following) && /string/.test(node.type);
  if (!(isPrivate || isInString || (isExact && nameTypes.test(node.type)))) return null;
  const captures: Capture[] = queryOf(top, row)
    .matches(top, { startIndex: at, endIndex: end })
    .flatMap(({ captures: match }) => match.map((each) => ({ name: each.name, node: each.node, match })));
  const around = captures
    .filter((each) => each.node.startIndex <= at && each.node.endIndex >= end)
    .sort(
      (a, b) =>
        a.node.startIndex - b.node.startIndex || b.node.endIndex - a.node.endIndex || captureOrder(a) - captureOrder(b),
    );
  const roles: Set<string> = isInString ? new Set() : rolesOf(node, around);
  if ((roles.has('key') && !roles.has('own')) || around.some(({ name }) => name === 'foreign')) return null;
  const scopes = scopesOf(around);
  const innermost = scopes.at(-1)?.node ?? top;
  const after = around.findLast((each) => each.name === 'after' && isWithin(each.node, innermost));
  const object = captures.find(({ name }) => name === 'receiver')?.node.text;
  const receiver = receiverOf(node, roles, object, isRebound(around, object));
  const imported = around.find(({ name }) => name === 'import.statement')?.node;
  const ofNode = captures.filter((each) => each.node.id === node.id);
  const owner = ofNode.flatMap((each) => besides(each, 'owner') ?? [])[0]?.text;
  return { at, node, roles, scopes, receiver, from: after?.node.endIndex ?? 0, imported, owner };
}

/** Whether `this`, or the name that the method gives its object, is something else around the name. */
function isRebound(around: readonly Capture[], object: string | undefined): boolean {
  const rebinds = (each: Capture) => {
    const hiding = besides(each, 'hiding');
    return each.name === 'rebinds' && (!hiding || hiding.text === object);
  };
  return around.findLast((each) => each.name === 'class' || rebinds(each))?.name === 'rebinds';
}

/** The node that the same match captures under another name. */
function besides({ match }: Capture, name: string): Node | undefined {
  return match.find((each) => each.name === name)?.node;
}

/**
 * The order of several captures of the same node. 'class' comes first: a method can also be captured as the class of
 * its receiver.
 */
function captureOrder({ name }: Capture): number {
  return name === 'class' ? 0 : 1;
}

const scopeKinds: ReadonlySet<string> = new Set(['block', 'header', 'function', 'closed', 'class']);

/** The scopes around a name, innermost last. around: the captures that contain the name, outermost first. */
function scopesOf(around: readonly Capture[]): Scope[] {
  const outsideOf = around.flatMap(({ name, node }) => (name === 'outside' ? [node.parent?.id] : []));
  const scopes: Scope[] = [];
  for (const capture of around) {
    const { node } = capture;
    if (!scopeKinds.has(capture.name) || outsideOf.includes(node.id)) continue;
    const last = scopes.at(-1);
    const kind = capture.name as Scope['kind'];
    // The parameters of a function and the names of its body are in one scope.
    const isBody = kind === 'block' && last?.node.id === node.parent?.id;
    if (isBody && (last?.kind === 'function' || last?.kind === 'closed')) continue;
    const name = besides(capture, 'name');
    const key = name ? `${last?.key ?? ''}/${kind} ${name.text}` : `${node.id}`;
    if (last?.node.id !== node.id || last.kind !== kind) scopes.push({ kind, key, node });
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
      if (!unbound.some((part) => isWithin(part.node, captured))) roles.add('bound').add(name.split('.')[1] ?? 'local');
    } else if (captured.id === node.id || name === 'broken') roles.add(name);
  }
  if (roles.has('use')) for (const role of declaring) roles.delete(role);
  const isMember = roles.has('field') || roles.has('method');
  if (isMember || roles.has('hoisted')) roles.delete('outer');
  if (isMember || roles.has('outward')) roles.delete('hoisted');
  if (roles.has('hoisted')) roles.delete('local');
  return roles;
}
