// Finds the meaning of names that depend on an owner next to them. A keyword argument means a parameter of the function
// that is called. In `Point{x: 1}`, the name x means a field of the struct Point; in Rust's `Point { x }`, it means a
// variable as well.
import type { NameRow } from './name-rows/row.ts';
import type { Binding, Meaning, Name, Scope } from './names.ts';

export function classOf({ scopes }: Name): Scope | undefined {
  return scopes.findLast(({ kind }) => kind === 'class');
}

/** Whether the name means nothing but what its owner declares. */
export function isOwned({ roles, owner }: Name): boolean {
  return roles.has('keyword') || (roles.has('own') && owner !== undefined);
}

/** The parameter or field that the name means; undefined if the document declares none or several. */
export function ownedBy(name: Name, declared: readonly Meaning[], row: NameRow): Binding | undefined {
  const { owner, roles } = name;
  if (owner === undefined) return undefined;
  const isOwner = ({ key }: Scope) => (owner === 'Self' ? key === classOf(name)?.key : key.endsWith(`/class ${owner}`));
  const belongsToOwner = (each: Meaning) =>
    roles.has('keyword')
      ? isParameterOf(owner, each, name, row)
      : each.binding.isMember && each.binding.home !== undefined && isOwner(each.binding.home);
  const found = [...new Set(declared.filter(belongsToOwner).map((each) => each.binding))];
  // Of several types with this name, the one that is declared in a scope around the name.
  const known = ['', ...name.scopes.map(({ key }) => key)].map((key) => `${key}/class ${owner}`);
  const [binding, ...others] = found.length > 1 ? found.filter(({ home }) => known.includes(home?.key ?? '')) : found;
  return others.length === 0 ? binding : undefined;
}

/** Whether `callee` names the function that has this parameter. */
function isParameterOf(
  callee: string,
  { binding, name: parameter }: Meaning,
  call: Name,
  { methods }: NameRow,
): boolean {
  const homeNode = binding.home?.node;
  const parameters = homeNode?.childForFieldName('parameters');
  const functionName = homeNode?.childForFieldName('name')?.text;
  if (!parameters || functionName === undefined || !methods) return false;
  if (parameter.at < parameters.startIndex || parameter.at >= parameters.endIndex) return false;
  // Only functions at the top level and methods directly in a class are known by their names.
  const [outer, ...others] = parameter.scopes.slice(0, -1);
  if (others.length > 0 || (outer && outer.kind !== 'class')) return false;
  if (outer && methods.own.some((object) => callee === `${object}.${functionName}`))
    return classOf(call)?.key === outer.key;
  const isConstructor = functionName === methods.creates && outer?.node.childForFieldName('name')?.text === callee;
  return (outer ? isConstructor : functionName === callee) && !mayBeVariable(callee, call);
}

/**
 * Whether the callee might be a local variable. We assume so if the function around the call also has this name in a
 * place where it is not called.
 */
function mayBeVariable(callee: string, { scopes }: Name): boolean {
  const around = scopes.find(({ kind }) => kind === 'function');
  return around !== undefined && new RegExp(`(?<![\\p{L}\\p{N}_])${callee}(?!\\s*\\()`, 'u').test(around.node.text);
}
