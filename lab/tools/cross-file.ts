// npm run tool -- cross-file CASES: completes each case in a folder twice, without and with code from its other files.
// Reports how often the answer has the right name, which occurs only in those files.

import { type Command, count, onlyOperand, print, printJson } from '../../language-server/cli/command.ts';
import { OpenDocument } from '../../language-server/documents/open-document.ts';
import { generate } from '../../language-server/offers/complete.ts';
import { defaultLinesUp } from '../../language-server/prompt/anchor.ts';
import { Anchors } from '../../language-server/prompt/anchors.ts';
import { promptBudget } from '../../language-server/prompt/fim-prompt.ts';
import { RelatedCode } from '../../language-server/related-code/related-code.ts';
import { wholeTreeOf } from '../../language-server/syntax/trees.ts';
import type { Completer } from '../../native/index.ts';
import { type CrossFileCase, readCrossFileCases, workspaceUri } from '../../test/support/cross-file-cases.ts';
import { completerOptions, withCompleter } from './completer.ts';

// The starter model's budget for code from other files, on a machine that is fast enough.
const defaultTokens = 512;
const options = { maxTokens: 48, multiline: 'auto' } as const;

export const crossFileCommand: Command = {
  summary: 'how often the model writes a name that only another open file has, without that file and with it',
  operands: 'CASES',
  options: {
    ...completerOptions,
    tokens: { type: 'string', value: 'N', help: `maximum tokens from other files; default: ${defaultTokens}` },
  },
  async run(values, operands) {
    const cases = readCrossFileCases(onlyOperand(operands, 'CASES'));
    const tokens = count(values, 'tokens') ?? defaultTokens;
    await withCompleter(values, async (engine) => {
      const figures = { cases: cases.length, without: 0, with: 0 };
      for (const each of cases) {
        const texts = { without: await textFor(engine, each, 0), with: await textFor(engine, each, tokens) };
        for (const way of ['without', 'with'] as const) if (isRight(texts[way], each)) figures[way]++;
        if (!values.json)
          print(`${each.name}: wanted ${each.wanted}\n  ${shown(texts.without)}\n  ${shown(texts.with)}`);
      }
      if (values.json) printJson(figures);
      else print(`right of ${figures.cases}: ${figures.without} without the other files, ${figures.with} with them`);
    });
  },
};

function shown(text: string): string {
  return JSON.stringify(text.split('\n', 1)[0]);
}

function isRight(text: string, { wanted }: CrossFileCase): boolean {
  return text.trimStart().startsWith(wanted);
}

/** The suggestion in an editor with all files of the case open, once the cursor has rested. */
async function textFor(engine: Completer, { document, files }: CrossFileCase, tokens: number): Promise<string> {
  const open = files.map(({ uri, languageId, text }) => OpenDocument.create(uri, languageId, 1, text));
  for (const each of open) await wholeTreeOf(each);
  const related = new RelatedCode({
    openDocuments: () => open,
    folders: () => [{ uri: workspaceUri, name: 'workspace' }],
    related: ({ documents }) => Promise.resolve({ defined: [], shared: documents }),
  });
  const anchors = new Anchors(engine, defaultLinesUp, related.placeOf);
  anchors.prompt(document);
  if (tokens > 0) {
    const { prefixChars, suffixChars } = promptBudget(engine.info.contextTokens);
    anchors.setOtherCode(document, await related.gather(document, { before: prefixChars, after: suffixChars }), tokens);
    // The next anchor replaces the held one once it has been evaluated.
    anchors.nextPrefill(document)?.done();
    anchors.nextPrefill(document);
  }
  const { suggestions } = await generate(engine, anchors, document, options);
  return suggestions[0]?.text ?? '';
}
