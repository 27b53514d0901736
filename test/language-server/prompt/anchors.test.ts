import { expect, test } from 'vitest';
import { Anchors } from '../../../language-server/prompt/anchors.ts';
import { FakeEngine } from '../../fixtures/fake-engine.ts';
import { atCursor } from '../cursor.ts';

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}\n`).join('');

/** The prompts for several states of a document, as text, with the healed bytes after "^". */
function prompts(states: string[], engine = new FakeEngine()): string[] {
  const anchors = new Anchors(engine);
  return states.map((state) => {
    const { tokens, heal } = anchors.prompt(atCursor(state));
    return engine.detokenize(tokens) + (heal ? `^${Buffer.from(heal).toString('utf8')}` : '');
  });
}

/** Checks the prompt for a file called sample.ts. expected: the prompt after the path. */
function check(marked: string, expected: string): void {
  expect(prompts([marked])).toEqual([`<|file_sep|>sample.ts\n${expected}`]);
}

/** Checks that all states have the same anchor: each prompt begins with the head of the first one. */
function checkShared(states: string[], isShared: boolean): void {
  const heads = prompts(states).map((prompt) => prompt.slice(0, prompt.indexOf('<|fim_middle|>')));
  expect(new Set(heads).size === 1).toBe(isShared);
}

test('puts the anchor a dozen lines up and heals the unfinished word', () => {
  const text = lines(20);
  const above = text.split('\n').slice(0, 8).join('\n');
  const given = text.split('\n').slice(8).join('\n');
  check(`${lines(20)}na$0\nrest();\n`, `<|fim_prefix|>${above}\n<|fim_suffix|>\nrest();\n<|fim_middle|>${given}^na`);
});

test('in a short document, the whole text before the cursor is given text', () => {
  check('let a$0;', '<|fim_prefix|><|fim_suffix|>;<|fim_middle|>let ^a');
});

test('heals at most three tokens of a word', () => {
  check('number$0;', '<|fim_prefix|><|fim_suffix|>;<|fim_middle|>num^ber');
});

test('heals one token after a word', () => {
  check('get($0;', '<|fim_prefix|><|fim_suffix|>;<|fim_middle|>get^(');
});

test('heals nothing at the very start of a document', () => {
  check('$0let', '<|fim_prefix|><|fim_suffix|>let<|fim_middle|>');
});

test('heals nothing at the start of a line', () => {
  check('a();\n$0\nb', '<|fim_prefix|><|fim_suffix|>\nb<|fim_middle|>a();\n');
});

test('keeps the anchor while text is typed and deleted', () => {
  const text = lines(20);
  checkShared([`${text}$0\nend`, `${text}f$0\nend`, `${text}foo(\n  b$0\nend`, `${text}fo$0\nend`], true);
});

test('keeps the anchor when the editor closes a bracket', () => {
  checkShared(['print$0\nend', 'print($0)\nend', 'print(a$0)\nend', 'print(a)$0\nend'], true);
});

test('keeps the anchor when the editor closes a block and a line break opens it', () => {
  checkShared(['if (a) $0\nend', 'if (a) {$0}\nend', 'if (a) {\n  $0\n}\nend', 'if (a) {\n  b();$0\n}\nend'], true);
});

test('keeps the anchor at the end of a document, too, when the editor closes a bracket', () => {
  checkShared(['print$0', 'print($0)', 'print(a$0)', 'print(a)$0'], true);
});

test('keeps an anchor made inside brackets when they are typed over', () => {
  checkShared(["print(f('a$0'));\nend", "print(f('ab'$0));\nend", "print(f('ab'))$0;\nend"], true);
});

test("keeps an anchor made inside a block when the block's end is typed over, until the next anchor is evaluated", () => {
  const anchors = new Anchors(new FakeEngine());
  const suffixOf = (state: string) => {
    const prompt = new FakeEngine().detokenize(anchors.prompt(atCursor(state)).tokens);
    return prompt.slice(prompt.indexOf('<|fim_suffix|>'), prompt.indexOf('<|fim_middle|>'));
  };
  const block = `if (a) {\n  ${'b();'.repeat(60)}$0\n}\nend`;
  const behind = block.replace('$0\n}', '\n}\nf($0)');
  expect(suffixOf(block)).toBe('<|fim_suffix|>\n}\nend');
  expect(suffixOf(behind)).toBe('<|fim_suffix|>\n}\nend');
  anchors.nextPrefill(atCursor(behind))?.done();
  expect(anchors.nextPrefill(atCursor(behind))).toBeNull();
  expect(suffixOf(behind)).toBe('<|fim_suffix|>\nend');
});

const call = `${lines(20)}f(a, $0value, other);\n${lines(30)}`;

test('keeps the anchor when text after the cursor is deleted, until the next anchor is evaluated', () => {
  const anchors = new Anchors(new FakeEngine());
  const suffixOf = (state: string) => {
    const prompt = new FakeEngine().detokenize(anchors.prompt(atCursor(state)).tokens);
    const [suffix] = prompt.slice(prompt.indexOf('<|fim_suffix|>')).split('\n');
    return suffix;
  };
  const frozen = '<|fim_suffix|>value, other);';
  expect(suffixOf(call)).toBe(frozen);
  const states = ['$0alue, other', '$0, other', 'b$0, other', 'b$0other', 'f($0), other'];
  for (const state of states) expect(suffixOf(call.replace('$0value, other', state))).toBe(frozen);
  const last = atCursor(call.replace('$0value, other', 'b$0other'));
  anchors.nextPrefill(last)?.done();
  expect(anchors.nextPrefill(last)).toBeNull();
  expect(suffixOf(call.replace('$0value, other', 'b$0other'))).toBe('<|fim_suffix|>other);');
});

test('makes a new anchor when the cursor moves over text, or more than a few lines are deleted', () => {
  checkShared([call, call.replace('$0value, ', 'value, b$0')], false);
  const [before = '', after = ''] = call.split('$0');
  checkShared([call, `${before}$0${after.slice(250)}`], false);
});

test('the anchor is not kept if only a short rest of the suffix matches, perhaps by chance', () => {
  checkShared(['f $0value', 'f $0e'], true);
  checkShared(['f $0value', 'f $0every'], false);
});

test("leaves closing brackets at the line's end out of the suffix, but no others", () => {
  check('f(a$0);\nend', '<|fim_prefix|><|fim_suffix|>\nend<|fim_middle|>f(^a');
  check('f(a$0, b);\nend', '<|fim_prefix|><|fim_suffix|>, b);\nend<|fim_middle|>f(^a');
});

test('makes a new anchor when text above or below changes', () => {
  const text = lines(20);
  checkShared([`${text}a$0\nend`, `changed\n${text}a$0\nend`], false);
  checkShared([`${text}a$0\nend`, `${text}a$0\nchanged`], false);
});

test('makes a new anchor when the given text grows long', () => {
  const text = lines(20);
  checkShared([`${text}$0`, `${text}${'typed();\n'.repeat(100)}$0`], false);
});

test('keeps the beginning of the prefix while the cursor moves down a long document', () => {
  const text = lines(2000);
  const states = [12_000, 12_200, 12_400].map((at) => `${text.slice(0, at)}$0${text.slice(at)}`);
  const beginnings = prompts(states).map((prompt) => prompt.slice(0, 200));
  expect(new Set(beginnings).size).toBe(1);
  expect(beginnings[0]).toMatch(/^<\|file_sep\|>sample.ts\n<\|fim_prefix\|>line \d+\n/);
});

test('the prefix begins at a line start even after text was inserted far above', () => {
  const text = lines(3000);
  const [, prompt = ''] = prompts([`${text}$0`, `// inserted at the top\n${text}more\n$0`]);
  const prefix = prompt.slice(prompt.indexOf('<|fim_prefix|>') + '<|fim_prefix|>'.length);
  expect(prefix).toMatch(/^line \d+\n/);
});

test('a prompt for a later state of the document does not move the anchor', () => {
  const engine = new FakeEngine();
  const anchors = new Anchors(engine);
  const here = atCursor(`${lines(20)}a$0`);
  const before = anchors.prompt(here).tokens;
  const ahead = anchors.promptAhead(atCursor(`${lines(20)}a${'typed();\n'.repeat(60)}$0`)).tokens;
  expect(engine.detokenize(ahead)).toContain('typed();');
  expect(anchors.prompt(here).tokens).toEqual(before);
});

test('reads special tokens in a document as plain text', () => {
  const engine = new FakeEngine();
  const { tokens } = new Anchors(engine).prompt(atCursor('a <|fim_suffix|> <|fim_middle|> b$0'));
  expect([...tokens].filter((token) => token > 255)).toEqual([259, 256, 258, 257]);
});

test('stays within the context for text with many tokens per character', () => {
  const engine = new FakeEngine({ contextTokens: 4096 });
  const { tokens } = new Anchors(engine).prompt(atCursor(`${'日本語\n'.repeat(3000)}$0${'日本語\n'.repeat(3000)}`));
  expect(tokens.length).toBeLessThan(2500);
});

test('leaves room for an answer even with as much code from other files as possible', () => {
  const engine = new FakeEngine({ contextTokens: 4096 });
  const anchors = new Anchors(engine);
  const dense = atCursor(`${'日本語\n'.repeat(3000)}$0${'日本語\n'.repeat(3000)}`);
  anchors.prompt(dense);
  anchors.setOtherCode(dense, [{ path: 'other.ts', line: 0, text: 'x'.repeat(1000) }], 1024);
  anchors.nextPrefill(dense)?.done();
  expect(anchors.nextPrefill(dense)).toBeNull();
  const { tokens } = anchors.prompt(dense);
  expect(engine.detokenize(tokens)).toContain('<|file_sep|>other.ts\nxxx');
  expect(tokens.length).toBeLessThan(3500);
});

test('no new anchor is made when different code from other files becomes the most useful', () => {
  const anchors = new Anchors(new FakeEngine());
  const here = atCursor(`${lines(20)}a$0`);
  const find = (name: string) =>
    anchors.setOtherCode(here, [{ path: `${name}.ts`, line: 0, text: `${name}();` }], 1024);
  anchors.prompt(here);
  find('first');
  anchors.nextPrefill(here)?.done();
  expect(anchors.nextPrefill(here)).toBeNull();
  find('second');
  find('first');
  expect(anchors.nextPrefill(here)).toBeNull();
});

test('tokenizes only a window of a 5 MB line', () => {
  const engine = new FakeEngine({ contextTokens: 4096 });
  const tokenize = engine.tokenize.bind(engine);
  const lengths: number[] = [];
  engine.tokenize = (text) => {
    lengths.push(text.length);
    return tokenize(text);
  };
  const half = 'x = 1; '.repeat(360_000);
  new Anchors(engine).prompt(atCursor(`${half}$0${half}`));
  // If tokens are bytes, the first window has too many of them and is shortened a few times.
  expect(Math.max(...lengths)).toBeLessThanOrEqual(4800);
  expect(lengths.length).toBeLessThan(12);
});

test('pins the anchor once it has been evaluated, until the document is forgotten', () => {
  const engine = new FakeEngine();
  const anchors = new Anchors(engine);
  const head = (end: string) => `<|file_sep|>sample.ts\n<|fim_prefix|><|fim_suffix|>\n${end}<|fim_middle|>`;
  anchors.prompt(atCursor('a();\n$0\nend'));
  expect(engine.pins.size).toBe(0);
  anchors.prompt(atCursor('a();\nb$0\nend'));
  expect([...engine.pins.values()]).toEqual([head('end')]);
  anchors.prompt(atCursor('a();\nb$0\nother end'));
  anchors.prompt(atCursor('a();\nbc$0\nother end'));
  expect([...engine.pins.values()]).toEqual([head('other end')]);
  anchors.prompt(atCursor('a();\nbc$0\nthird end'));
  anchors.forget(atCursor('$0').uri);
  expect(engine.pins.size).toBe(0);
});
