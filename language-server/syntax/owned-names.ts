// Names that belong to an owner next to them: a keyword argument to the called function, and a field to the struct that
// is filled by a variable of the same name.
import type { NameRow } from './name-rows.ts';
import type { Found, Name, Scope } from './names.ts';

export function classOf({ scopes }: Name): Scope | undefined {
  return scopes.findLast(({ kind }) => kind === 'class');
}

/** The key of the owner's parameter or field; undefined if the document declares none or several. */
export function ownedBy(name: Name, declared: readonly Found[], row: NameRow): string | undefined {
  const { owner, roles } = name;
  if (owner === undefined) return undefined;
  const classKey = owner === 'Self' ? classOf(name)?.key : `class ${owner}`;
  const belongsToOwner = (each: Found) =>
    roles.has('keyword') ? isParameterOf(owner, each, name, row) : each.isMember && each.home === classKey;
  const [key, ...others] = new Set(declared.filter(belongsToOwner).map((each) => each.key));
  return others.length === 0 ? key : undefined;
}

/** Whether `callee` names the function that has this parameter. */
function isParameterOf(
  callee: string,
  { homeNode, name: parameter }: Found,
  call: Name,
  { methods }: NameRow,
): boolean {
  const parameters = homeNode?.childForFieldName('parameters');
  const title = homeNode?.childForFieldName('name')?.text;
  if (!parameters || title === undefined || !methods) return false;
  if (parameter.at < parameters.startIndex || parameter.at >= parameters.endIndex) return false;
  // Only functions at the top level and methods directly in a class are known by their names.
  const [outer, ...others] = parameter.scopes.slice(0, -1);
  if (others.length > 0 || (outer && outer.kind !== 'class')) return false;
  if (outer && methods.own.some((object) => callee === `${object}.${title}`)) return classOf(call)?.key === outer.key;
  const isConstructor = title === methods.creates && outer?.node.childForFieldName('name')?.text === callee;
  return (outer ? isConstructor : title === callee) && !mayBeVariable(callee, call);
}

/**
 * Whether the function around the call also uses the callee's name without calling it: then it may be a local variable.
 */
function mayBeVariable(callee: string, { scopes }: Name): boolean {
  const around = scopes.find(({ kind }) => kind === 'function');
  return around !== undefined && new RegExp(`(?<![\\p{L}\\p{N}_])${callee}(?!\\s*\\()`, 'u').test(around.node.text);
}
