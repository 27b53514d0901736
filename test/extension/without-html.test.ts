import { expect, test } from 'vitest';
import { withoutHtml } from '../../extension/without-html.ts';

const visible = (text: string) => text.replaceAll('\u200b', '·');

function check(markdown: string, expected: string): void {
  expect(visible(withoutHtml(markdown))).toBe(expected);
}

test('a tag in prose is kept as text', () => {
  check('Returns a Promise<void>, or </b>.', 'Returns a Promise<·void>, or <·/b>.');
});

test('a comparison is left as it is', () => {
  check('true when a < b and 1 <2', 'true when a < b and 1 <2');
});

test('fenced code is left as it is, also where the fence is not closed', () => {
  check('```ts\nnew Map<string>()\n```\nMap<K>', '```ts\nnew Map<string>()\n```\nMap<·K>');
  check('~~~~\na<b>\n~~~\nc<d>', '~~~~\na<b>\n~~~\nc<d>');
});
