// Finds out of what a name is a member.
import type { Node } from 'web-tree-sitter';
import type { Name } from './names.ts';

const memberTypes = /^(?:property_identifier|field_identifier)$/;
/** Matches the types of tokens between an object and its member. An arrow has other meanings outside such nodes. */
const memberSign = /^(?:\.|\?\.|&\.|::|\?->|optional_chain)$/;
const withArrow = /^(?:field|member)_/;
/** Matches the object or class to which the code belongs, perhaps with a check for null. */
const ownObject = /^(?:this|self|cls|Self|static|\$this)[?!]*$/;
const maxObjectLength = 100;

/**
 * receiver: the name that the method around the name gives its object, if it gives one. isRebound: whether `this` is
 * another object than that of the class.
 */
export function receiverOf(
  node: Node,
  roles: ReadonlySet<string>,
  receiver: string | undefined,
  isRebound: boolean,
): Name['receiver'] {
  if (roles.has('import') || roles.has('creates')) return 'none';
  if (roles.has('own') || node.type === 'private_property_identifier') return 'own';
  const sign = codeBefore(node);
  const isMember =
    sign && (memberSign.test(sign.type) || (sign.type === '->' && withArrow.test(sign.parent?.type ?? '')));
  if (!isMember) return memberTypes.test(node.type) ? 'other' : 'none';
  const object = codeBefore(sign);
  if (isRebound || !object || object.endIndex - object.startIndex > maxObjectLength) return 'other';
  return object.text === receiver || ownObject.test(object.text) ? 'own' : 'other';
}

/** The node before this one, without comments. A "?" belongs to the sign after it, as in C#. */
function codeBefore(node: Node): Node | null {
  let before = node.previousSibling;
  while (before && (before.isMissing || /comment|^\?$/.test(before.type))) before = before.previousSibling;
  const { parent } = node;
  return before ?? (parent?.startIndex === node.startIndex ? codeBefore(parent) : null);
}
