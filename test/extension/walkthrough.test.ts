import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contributes } from '../../package.json';

const sources = readdirSync('extension', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join('extension', name), 'utf8'))
  .join('\n');

test.each(contributes.walkthroughs.flatMap(({ steps }) => steps))(
  'the step "$id" of the walkthrough is completed by its result (a context key), not merely by running a command',
  ({ completionEvents }) => {
    expect(completionEvents).toEqual([expect.stringMatching(/^onContext:hearth\.has\w+$/)]);
    const key = completionEvents[0]?.slice('onContext:hearth.'.length);
    expect(sources).toMatch(new RegExp(`'setContext', 'hearth\\.${key}', true|completeStep\\('${key}'\\)`));
  },
);
