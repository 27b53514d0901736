// Finds out of what a name is a member.
import type { Node } from 'web-tree-sitter';
import type { Name } from './names.ts';

const memberTypes = /^(?:property_identifier|field_identifier)$/;
/** Matches the types of the tokens before a member. */
const memberSign = /^(?:\.|\?\.|&\.|::|\\|\?->|optional_chain)$/;
/** Matches the types of the nodes in which an arrow comes before a member. Elsewhere, it comes before a result. */
const withArrow = /^(?:field|member)_/;
/** Matches the object or class to which the code belongs, perhaps with a check for null. */
const ownObject = /^(?:this|self|cls|Self|static|\$this)[?!]*$/;
/** An object with more characters is a long expression, whose text we do not read. */
const maxObjectLength = 100;

/**
 * object: the name that the method around the name gives its object, if it gives one. isRebound: whether this name, or
 * `this`, is something else here.
 */
export function receiverOf(
  node: Node,
  roles: ReadonlySet<string>,
  object: string | undefined,
  isRebound: boolean,
): Name['receiver'] {
  if (roles.has('import') || roles.has('constructor')) return 'none';
  if (roles.has('own') || node.type === 'private_property_identifier') return 'own';
  const sign = codeBefore(node);
  if (!sign || !isMemberSign(sign)) return memberTypes.test(node.type) ? 'other' : 'none';
  const receiver = objectIn(codeBefore(sign));
  if (isRebound || !receiver || receiver.endIndex - receiver.startIndex > maxObjectLength) return 'other';
  return receiver.text === object || ownObject.test(receiver.text) ? 'own' : 'other';
}

function isMemberSign({ type, parent }: Node): boolean {
  return type === '->' ? withArrow.test(parent?.type ?? '') : memberSign.test(type);
}

/** The object in what the grammars take for one: `3 + this` in `3 + this!.size` and in `3 + this?.size`. */
function objectIn(node: Node | null): Node | null {
  if (node?.type === 'binary_expression') return objectIn(node.lastChild);
  return node?.type === 'non_null_expression' ? objectIn(node.firstChild) : node;
}

/** The node before this one, without comments and what the parser adds. In C#, a "?" is a part of the sign after it. */
function codeBefore(node: Node): Node | null {
  let before = node.previousSibling;
  while (before && (before.isMissing || /comment|^\?$/.test(before.type))) before = before.previousSibling;
  const { parent } = node;
  return before ?? (parent?.startIndex === node.startIndex ? codeBefore(parent) : null);
}
