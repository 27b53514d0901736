// npm run tool -- edit-cases REPOSITORY… --out CASES.jsonl: makes cases for `next-edit` from git histories.
import { writeFileSync } from 'node:fs';
import { type Command, count, print, printJson, text, UsageError } from '../../language-server/cli/command.ts';
import { casesOf, thinned } from '../bench/next-edit/collect-cases.ts';

export const editCasesCommand: Command = {
  summary: 'cut cases for next-edit out of the histories of git repositories',
  operands: 'REPOSITORY…',
  options: {
    out: { type: 'string', value: 'FILE', help: 'the file for the cases, with one line of JSON per case' },
    related: { type: 'string', value: 'N', help: 'cases in which an edit is expected; default: 2000' },
    quiet: { type: 'string', value: 'N', help: 'cases in which nothing should be shown; default: 800' },
    'per-repository': { type: 'string', value: 'N', help: 'maximum cases from one repository; default: 200' },
  },
  async run(values, repositories) {
    const out = text(values, 'out');
    if (out === undefined || repositories.length === 0) throw new UsageError('expected --out FILE and a REPOSITORY');
    const wanted = { related: count(values, 'related') ?? 2000, quiet: count(values, 'quiet') ?? 800 };
    const most = count(values, 'per-repository') ?? 200;
    const quietShare = wanted.quiet / (wanted.related + wanted.quiet);
    const found = [];
    for (const repository of repositories) {
      const quiet = Math.round(most * quietShare);
      found.push(...(await casesOf(repository, { related: most - quiet, quiet })));
    }
    const cases = thinned(found, wanted);
    writeFileSync(out, cases.map((each) => `${JSON.stringify(each)}\n`).join(''));
    const counts: Record<string, number> = {};
    for (const { languageId, kind = '' } of cases)
      for (const key of [languageId, kind]) counts[key] = (counts[key] ?? 0) + 1;
    if (values.json) return printJson({ cases: cases.length, ...counts });
    print(`${cases.length} cases`);
    for (const [name, number] of Object.entries(counts)) print(`${String(number).padStart(6)} ${name}`);
  },
};
