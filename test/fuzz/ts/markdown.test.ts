// What a model writes: Markdown, as far as the HTML of the page that explains.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderMarkdown } from '../../../extension/explain-markdown.ts';
import { damaged, holds, patience } from './fuzz.ts';

const seeds = [
  '# It adds\n\n1. `a` and *b*\n2. **c** ~~d~~\n\n```ts\na + b;\n```\n\n> quoted\n\n---\n',
  '| a | b |\n|:--|--:|\n| 1 | `2` |\n\n    code\n\n- x\n  - y\n',
  '[a](command:x) ![a](https://x/y.png) <https://x.y> https://x.y\n\n[r]: command:z\n[r] <form action="https://x">\n',
];
const marks = [
  '`',
  '```',
  '~~~',
  '    ',
  '- ',
  '> ',
  '1. ',
  '\n',
  '\t',
  '|',
  '\\',
  '*',
  '_',
  '&lt;',
  '&#60;',
  '&#x3c;',
  '\0',
];
const tags = ['<script>', '<img src=x onerror=y>', '<a href=x>', '</code>', '<!--', '-->', '"', "'", '=', '<', '>'];
const links = ['[a](command:x)', '![a](https://x/y.png)', '<https://x.y>', 'https://x.y', '[r]: command:z\n', '[r]'];
const words = [...marks, ...tags, ...links];

const inline = /p|pre|code( class="language-[^"\s<>]*")?|ul|ol( start="\d+")?|li|blockquote|em|strong|hr|br|h\d|s/;
const tables = /table|thead|tbody|tr|t[hd]( style="text-align:\w+")?/;
const allowed = new RegExp(`^</?(${inline.source}|${tables.source})>$`);

test('no text becomes a tag with an address, a form or a program', patience, async () => {
  const pieces = fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((all) => all.join(''));
  await holds(fc.oneof(damaged(seeds, words).map(String), pieces, fc.string({ unit: 'binary' })), (text) => {
    const html = renderMarkdown(text);
    expect((html.match(/<[^>]*>?/g) ?? []).filter((tag) => !allowed.test(tag))).toEqual([]);
  });
});
