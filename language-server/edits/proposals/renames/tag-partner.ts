// Finds the closing tag of an element whose opening tag was changed, and the other way round.
import type { Node } from 'web-tree-sitter';
import type { TextBefore, Use } from './text-before.ts';

const tag = /^(?:jsx_(?:opening|closing)_element|start_tag|end_tag)$/;

/**
 * The partners of the changed tags. Undefined if the edited lines have no such tag; empty if the partners were edited,
 * too.
 */
export function partnersOf(
  { root, text, lineOf, characterNow }: TextBefore,
  edited: ReadonlySet<number>,
  { old, now }: { old: string; now: string },
): Use[] | undefined {
  const found: Use[] = [];
  let isTag = false;
  for (let at = text.indexOf(`<`); at !== -1; at = text.indexOf(`<`, at + 1)) {
    const name = text.startsWith('/', at + 1) ? at + 2 : at + 1;
    if (!text.startsWith(old, name) || !edited.has(lineOf(name)) || characterNow(name) !== undefined) continue;
    const node = root.descendantForIndex(name, name + old.length);
    const other = node?.text === old && node.parent && tag.test(node.parent.type) ? otherTag(node.parent) : undefined;
    if (!other) continue;
    isTag = true;
    const character = characterNow(other.startIndex);
    if (other.text === old && character !== undefined)
      found.push({ line: lineOf(other.startIndex), character, text: now });
  }
  return isTag ? found : undefined;
}

/** The name in the other tag of the same element. */
function otherTag(one: Node): Node | undefined {
  const isOther = (each: Node | null) => each !== null && each.id !== one.id && tag.test(each.type);
  const other = one.parent?.namedChildren.find(isOther);
  return (
    other?.namedChildren.find(
      (each) => each !== null && /^(?:tag_name|identifier|member_expression)$/.test(each.type),
    ) ?? undefined
  );
}
