// Any Markdown from a model, up to the HTML on the page with the explanation.
import assert from 'node:assert/strict';
import { renderMarkdown } from '../../../../extension/explain/explain-markdown.ts';
import type { Claim } from './claim.ts';

const blocks = ['```', '~~~', '    ', '- ', '> ', '1. ', '\n', '\t', '|'];
const marks = ['`', '\\', '*', '_', '&lt;', '&#60;', '&#x3c;', '\0'];
const tags = ['<script>', '<img src=x onerror=y>', '<a href=x>', '</code>', '<!--', '-->', '"', "'", '=', '<', '>'];
const links = ['[a](command:x)', '![a](https://x/y.png)', '<https://x.y>', 'https://x.y', '[r]: command:z\n', '[r]'];

const inline = /p|pre|code( class="language-[^"\s<>]*")?|ul|ol( start="\d+")?|li|blockquote|em|strong|hr|br|h\d|s/;
const tables = /table|thead|tbody|tr|t[hd]( style="text-align:\w+")?/;
const allowed = new RegExp(`^</?(${inline.source}|${tables.source})>$`);

export const markdown: Claim = {
  title: 'no text becomes a tag with an address, a form or a program',
  seeds: [
    '# It adds\n\n1. `a` and *b*\n2. **c** ~~d~~\n\n```ts\na + b;\n```\n\n> quoted\n\n---\n',
    '| a | b |\n|:--|--:|\n| 1 | `2` |\n\n    code\n\n- x\n  - y\n',
    '[a](command:x) ![a](https://x/y.png) <https://x.y> https://x.y\n\n[r]: command:z\n[r] <form action="https://x">\n',
  ],
  words: [...blocks, ...marks, ...tags, ...links],
  check(pieces) {
    const html = renderMarkdown(Buffer.concat(pieces).toString());
    assert.deepEqual(
      (html.match(/<[^>]*>?/g) ?? []).filter((tag) => !allowed.test(tag)),
      [],
    );
  },
};
