// Finds out which occurrences of a name mean the same symbol. Each occurrence is looked up in the scopes around it, by
// the rules of the language (name-rows/).
import { grammarOf } from './grammars.ts';
import type { NameRow } from './name-rows/row.ts';
import { nameRows } from './name-rows/rows.ts';
import type { Binding, Meaning, Name, Names, Scope } from './names.ts';
import { occurrencesIn } from './occurrences.ts';
import { classOf, isOwned, ownedBy } from './owned-names.ts';
import type { SyntaxTree } from './syntax-tree.ts';

export function hasNames(languageId: string): boolean {
  return nameRows[grammarOf(languageId)?.name ?? ''] !== undefined;
}

/**
 * All occurrences of a word as a name in a text, grouped by what they mean. null: the language has no row in
 * name-rows/, or a limit is reached. The tree must not be deleted before the result resolves.
 */
export async function namesOf(tree: SyntaxTree, word: string): Promise<Names | null> {
  const row = nameRows[tree.grammar.name];
  const found = row ? await occurrencesIn(tree, row, word) : null;
  return row && found ? { ...grouped(found.names, row), broken: found.broken, row } : null;
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

/** Groups the occurrences of a word by the declarations to which they belong. */
function grouped(names: readonly Name[], row: NameRow): Pick<Names, 'bindings' | 'free' | 'unknown'> {
  const declared = declarationsIn(names, row);
  const declaring = new Set(declared.map(({ name }) => name));
  const meanings = [...declared];
  const free: Name[] = [];
  for (const name of names) {
    if (declaring.has(name)) continue;
    const binding = lookUp(name, possibleFor(name, declared), row);
    if (binding) meanings.push({ name, binding });
    else if (!isOwned(name)) free.push(name);
  }
  for (const name of names) {
    const binding = name.roles.has('shorthand') && ownedBy(name, declared, row);
    // One word is both a variable and the field that it fills. This occurrence of the field gets its own role.
    if (binding) meanings.push({ name: { ...name, roles: new Set(['filled']) }, binding });
  }
  for (const { name, binding } of meanings.sort((a, b) => a.name.at - b.name.at)) binding.names.push(name);
  return {
    bindings: [...new Set(declared.map(({ binding }) => binding))],
    free: free.filter(({ receiver }) => receiver === 'none'),
    unknown: free.filter(({ receiver }) => receiver !== 'none'),
  };
}

function functionOf({ scopes }: Name): Scope | undefined {
  return scopes.findLast(({ kind }) => kind === 'function' || kind === 'closed');
}

/** The scope in which an @outer name is declared. */
function scopeAround({ scopes }: Name): Scope | undefined {
  return scopes.slice(0, -1).findLast(({ kind }) => kind !== 'header');
}

/** What the occurrences declare: each declares nothing, one symbol, or both a field and a local. */
function declarationsIn(names: readonly Name[], row: NameRow): Meaning[] {
  const bindings = new Map<string, Binding>();
  const declared: Meaning[] = [];
  const declare = (name: Name, home: Scope | undefined, space = '', isMember = false) => {
    const key = `${home?.key ?? ''}${space}`;
    const binding = bindings.get(key) ?? { key, home, isMember, declarations: [], names: [] };
    bindings.set(key, binding);
    binding.declarations.push(name);
    declared.push({ name, binding });
  };
  const isOutward = ({ roles }: Name) => roles.has('outward');
  const functionsWithOutward = new Set(names.filter(isOutward).map((name) => functionOf(name)?.key));
  for (const name of names) {
    const { roles, scopes, at } = name;
    if (roles.has('field') || roles.has('method')) declare(name, classOf(name), namespaceOf(name, row), true);
    if (roles.has('outer')) declare(name, scopeAround(name));
    else if (roles.has('local') || roles.has('import')) {
      const isAnother = row.redeclaration === 'another' && roles.has('local');
      declare(name, scopes.at(-1), isAnother ? ` ${at}` : '');
    } else if (roles.has('hoisted') && !functionsWithOutward.has(functionOf(name)?.key)) {
      const isKnown = row.blocksShareLocals && isLocalAround(name, declared);
      if (!isKnown) declare(name, functionOf(name));
    }
  }
  return declared;
}

/**
 * Whether one of the scopes around the innermost one has a local with this name. We look no further than a closed
 * scope.
 */
function isLocalAround({ scopes }: Name, known: readonly Meaning[]): boolean {
  const around = scopes.slice(scopes.findLastIndex(({ kind }) => kind === 'closed')).slice(0, -1);
  return around.some(({ key }) => known.some(({ name, binding }) => binding.home?.key === key && isVariable(name)));
}

/** Whether the name is that of a method in a language where methods have names of their own. */
export function isMethodName({ roles }: Name, { hasMethodNames = false }: NameRow): boolean {
  return hasMethodNames && (roles.has('method') || roles.has('call'));
}

/** The namespace of a member. Private members such as `#name` have their own; in some languages, so do methods. */
function namespaceOf(name: Name, row: NameRow): string {
  if (name.node.type === 'private_property_identifier') return ' private';
  return isMethodName(name, row) ? ' method' : ' member';
}

function isVariable({ roles }: Name): boolean {
  return !roles.has('outer') && !roles.has('import');
}

/** The declarations to which the name may refer: a type is no variable, if something else has its name. */
function possibleFor({ node, roles }: Name, declared: readonly Meaning[]): readonly Meaning[] {
  if (roles.has('call')) return declared.filter(({ name: declaration }) => !declaration.roles.has('constant'));
  if (node.type !== 'type_identifier') return declared;
  const others = declared.filter(({ name: { roles } }) => !roles.has('bound'));
  return others.some(({ binding }) => !binding.isMember) ? others : declared;
}

/** What the name refers to; undefined if the document does not declare it. */
function lookUp(name: Name, declared: readonly Meaning[], row: NameRow): Binding | undefined {
  const { roles, at } = name;
  if (roles.has('origin')) return undefined;
  if (isOwned(name)) return ownedBy(name, declared, row);
  const memberOf = (scope: Scope | undefined) => {
    const key = `${scope?.key ?? ''}${namespaceOf(name, row)}`;
    return declared.find(({ binding }) => binding.key === key)?.binding;
  };
  if (name.receiver === 'other') return undefined;
  if (name.receiver === 'own') return memberOf(classOf(name));
  const innermostFirst = name.scopes.toReversed();
  if (roles.has('enclosing') || roles.has('outward')) innermostFirst.splice(0, 1);
  let [onlyFunctions, isInBody] = [roles.has('call'), true];
  for (const scope of [...innermostFirst, undefined]) {
    const here = declared.filter(
      ({ name: declaration, binding }) =>
        !binding.isMember &&
        binding.home?.key === scope?.key &&
        declaration.from <= at &&
        !(onlyFunctions && isVariable(declaration)),
    );
    const last = here.findLast((each) => each.name.at < at) ?? here[0];
    if (last) return last.binding;
    const { bareMembers } = row;
    if (scope?.kind === 'class' && (bareMembers === 'everywhere' || (bareMembers === 'body' && isInBody))) {
      const member = memberOf(scope);
      if (member) return member;
    }
    if (scope?.kind === 'closed') onlyFunctions = true;
    if (scope && scope.kind !== 'block') isInBody = false;
  }
  return undefined;
}
