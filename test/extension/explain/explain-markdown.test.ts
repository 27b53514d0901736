import { expect, test } from 'vitest';
import { renderMarkdown } from '../../../extension/explain/explain-markdown.ts';

const markup = '<form action="https://evil.example"><button autofocus>Sign in</button></form>';

/** The tags that a browser finds in the HTML. All other angle brackets are escaped. */
function tagsOf(html: string): string[] {
  return [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag);
}

test('Markdown becomes HTML', () => {
  expect(renderMarkdown('**a**, `b`\n\n1. c')).toBe(
    '<p><strong>a</strong>, <code>b</code></p>\n<ol>\n<li>c</li>\n</ol>\n',
  );
});

test('unfinished code is rendered as code', () => {
  expect(renderMarkdown('```ts\nnew Map<K>()')).toBe(
    '<pre><code class="language-ts">new Map&lt;K&gt;()</code></pre>\n',
  );
});

test('a tag in prose is shown as text', () => {
  expect(renderMarkdown('A Promise<void>.')).toBe('<p>A Promise&lt;void&gt;.</p>\n');
});

// Places that a parser of Markdown reads as code, but a filter that goes by lines does not, or the other way round.
test.each([
  ['alone on its line', markup],
  ['in a line of prose', `a ${markup}`],
  ['after a fence that is indented by four spaces', `a\n\n    \`\`\`\n${markup}`],
  ['after a fence in a nested list', `- a\n  - \`\`\`\n    b\n    \`\`\`\n\n${markup}`],
  ['after a fence that leaves a list', `- \`\`\`\n${markup}`],
  ['after a fence with a backtick in its info string', `\`\`\` a\`b\n${markup}`],
  ['in the info string of a fence', `\`\`\`"><script>alert(1)</script>\n\`\`\``],
  ['as entities', '&lt;form action=x&gt; &#60;script&#62;'],
  ['as a comment and a declaration', '<!-- --><!doctype html><![CDATA[ ]]><?php ?>'],
  ['in a table', `| a |\n| - |\n| ${markup} |`],
])('markup %s stays text', (_, markdown) => {
  const harmless = /^<\/?(p|pre|code( class="[\w-]*[^"<>]*")?|ul|li|table|thead|tbody|tr|th|td)>$/;
  expect(tagsOf(renderMarkdown(markdown)).filter((tag) => !harmless.test(tag))).toEqual([]);
});

test.each([
  ['a command', '[x](command:workbench.action.terminal.new)'],
  ['a page', '[x](https://evil.example "title")'],
  ['a page by its address alone', '<https://evil.example> https://evil.example'],
  ['a page by reference', '[x]\n\n[x]: https://evil.example'],
  ['a script', '[x](javascript:alert%281%29)'],
  ['a picture', '![x](https://evil.example/pixel.png)'],
  ['a picture in a link', '[![x](https://evil.example/pixel.png)](command:x)'],
  ['a picture by reference', '![x][y]\n\n[y]: https://evil.example/pixel.png'],
])('the page has no link to %s', (_, markdown) => {
  const html = renderMarkdown(markdown);
  expect(tagsOf(html).filter((tag) => !/^<\/?p>$/.test(tag))).toEqual([]);
  expect(html).toContain('x');
});
