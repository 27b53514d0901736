// Finds the closing tag of an element whose opening tag was renamed, and the opening tag if the closing one was.
import type { Node } from 'web-tree-sitter';
import type { TextBefore, Use } from './text-before.ts';

const tag = /^(?:jsx_(?:opening|closing)_element|start_tag|end_tag)$/;

/**
 * The partners of the renamed tags; undefined if no tag in the edited lines was renamed, and empty if all partners were
 * edited, too.
 */
export function partnersOf(
  { tree, text, edited, lineOf, characterNow }: TextBefore,
  { old, now }: { old: string; now: string },
): Use[] | undefined {
  const found: Use[] = [];
  let isTag = false;
  for (let at = text.indexOf(`<`); at !== -1; at = text.indexOf(`<`, at + 1)) {
    const name = text.startsWith('/', at + 1) ? at + 2 : at + 1;
    if (!text.startsWith(old, name) || !edited.has(lineOf(name)) || characterNow(name) !== undefined) continue;
    const node = tree.root.descendantForIndex(name, name + old.length);
    const partner =
      node?.text === old && node.parent && tag.test(node.parent.type) ? nameOfPartner(node.parent) : undefined;
    if (!partner) continue;
    isTag = true;
    const character = characterNow(partner.startIndex);
    if (partner.text === old && character !== undefined)
      found.push({ line: lineOf(partner.startIndex), character, text: now });
  }
  return isTag ? found : undefined;
}

/** The name in the other tag of the same element. */
function nameOfPartner(tagNode: Node): Node | undefined {
  const isPartner = (child: Node | null) => child !== null && child.id !== tagNode.id && tag.test(child.type);
  const isName = (child: Node | null) =>
    child !== null && /^(?:tag_name|identifier|member_expression)$/.test(child.type);
  const partner = tagNode.parent?.namedChildren.find(isPartner);
  return partner?.namedChildren.find(isName) ?? undefined;
}
