// npm run tool -- syntax-tree FILE: prints a file's syntax tree and its faults.
import { readFileSync } from 'node:fs';
import { type Command, onlyOperand, print } from '../../language-server/cli/command.ts';
import { LongText } from '../../language-server/documents/long-text.ts';
import { languageIdOf } from '../../language-server/prompt/document-path.ts';
import { faultsOf } from '../../language-server/syntax/faults.ts';
import { pointAt } from '../../language-server/syntax/text-input.ts';
import { wholeTreeOf } from '../../language-server/syntax/trees.ts';

export const syntaxTreeCommand: Command = {
  summary: 'the syntax tree of a file, and what is wrong in it',
  operands: 'FILE',
  options: { language: { type: 'string', value: 'ID', help: "the file's language; without it, its name decides" } },
  async run(values, operands) {
    const path = onlyOperand(operands, 'FILE');
    const languageId = String(values.language ?? languageIdOf(path));
    const text = LongText.of(readFileSync(path, 'utf8'));
    const tree = await wholeTreeOf({ uri: path, languageId, text });
    if (!tree)
      throw new Error(
        `${path} gets no syntax tree: the file is too long, parsing took too long, or ${languageId} has no grammar`,
      );
    const { root } = tree;
    const cursor = root.walk();
    for (let depth = 0, isDown = true; ; ) {
      const node = cursor.currentNode;
      if (isDown && (node.isNamed || node.isMissing)) {
        const field = cursor.currentFieldName ? `${cursor.currentFieldName}: ` : '';
        const state = node.isMissing ? ' (missing)' : '';
        const isLeaf = node.namedChildCount === 0;
        print(
          `${'  '.repeat(depth)}${field}${node.type}${state}${isLeaf ? ` ${JSON.stringify(node.text.slice(0, 60))}` : ''}`,
        );
      }
      if (isDown && cursor.gotoFirstChild()) depth++;
      else if (cursor.gotoNextSibling()) isDown = true;
      else if (cursor.gotoParent()) [depth, isDown] = [depth - 1, false];
      else break;
    }
    for (const { start, missing } of faultsOf(tree)) {
      const { row, column } = pointAt(text, start);
      print(`${path}:${row + 1}:${column + 1}: ${missing === null ? 'does not belong here' : `${missing} is missing`}`);
    }
  },
};
