// What a model's chat template can do, and what it must not. Uses the bundled program, dist/template-process.js.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { type ChatMessage, renderChat } from '../../language-server/explain/chat-template.ts';

const messages: ChatMessage[] = [
  { role: 'user', content: 'Why?' },
  { role: 'assistant', content: 'Because.' },
  { role: 'user', content: 'Really?' },
];

/**
 * With a system message of its own, and branches for what we never send, as the templates of large models have them.
 */
const elaborate = `{%- if tools %}
    {{- '<|im_start|>system\\nYou may call tools.' }}
    {%- for tool in tools %}{{- tool | tojson }}{%- endfor %}
{%- elif messages[0]['role'] != 'system' %}
    {{- '<|im_start|>system\\nYou are helpful.<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif loop.last or messages[loop.index0 + 1].role != "tool" %}
        {{- raise_exception('a tool without an answer') }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}`;

test('a conversation has the form that the template gives it', async () => {
  expect(await renderChat({ template: elaborate, messages })).toBe(
    '<|im_start|>system\nYou are helpful.<|im_end|>\n' +
      '<|im_start|>user\nWhy?<|im_end|>\n' +
      '<|im_start|>assistant\nBecause.<|im_end|>\n' +
      '<|im_start|>user\nReally?<|im_end|>\n' +
      '<|im_start|>assistant\n',
  );
});

/** A value that is replaced many times by what is made of it, and then used. */
const growing = (value: string, next: string, use: string, times = 60) =>
  `{% set n = namespace(v=${value}) %}{% for i in range(${times}) %}{% set n.v = ${next} %}{% endfor %}{{ ${use} }}`;

const refused: [name: string, template: string, reason: RegExp][] = [
  ['is no template', '{% for %}', /Unexpected token: CloseStatement\.$/],
  ['raises an exception', "{{ raise_exception('only for paying users') }}", /: only for paying users\.$/],
  ['forges a line of the log', "{{ raise_exception('a\n[error] \u202eb\u001b[31m.') }}", /: a \[error\] b \[31m\.$/],
  ['is too long itself', ' '.repeat(100_001), /it is too long\.$/],
  ['writes too much', growing("'abc'", 'n.v + n.v', 'n.v', 20), /its text is too long\.$/],
  ['wants too much memory', '{{ range(5000000)|sort|length }}', /it needs too much memory\.$/],
];

test.each(refused)('a template that %s is refused, and the reason is given', async (_, template, reason) => {
  await expect(renderChat({ template, messages })).rejects.toThrow(reason);
});

const endless = `${'{% for i in range(999) %}'.repeat(4)}${'{% endfor %}'.repeat(4)}`;

test('a template that never ends is stopped', async () => {
  await expect(renderChat({ template: endless, messages }, 1000)).rejects.toThrow(/it takes too long\.$/);
});

const nested = (open: string, inner: string, close: string, depth: number) =>
  open.repeat(depth) + inner + close.repeat(depth);

const hostile: Record<string, string> = {
  'a range longer than memory': '{{ range(4000000000)|length }}',
  'a sorted range': '{{ range(5000000)|sort|length }}',
  'a reversed range': '{{ range(5000000)|reverse|length }}',
  'a sliced range': '{{ range(5000000)[::-1]|length }}',
  'a range as text': '{{ range(3000000) }}',
  'a joined range': "{{ range(3000000)|join(',') }}",
  'a range of strings': "{{ range(5000000)|map('string')|list|length }}",
  'unique numbers': '{{ range(3000000)|unique|list|length }}',
  'a range as JSON': '{{ range(3000000)|list|tojson|length }}',
  'a chain of .replace()': `{{ 'aaaaaaaaaa'${".replace('a', 'aaaaaaaaaa')".repeat(12)} }}`,
  'a chain of replace filters': `{{ 'aaaaaaaaaa'${"|replace('a', 'aaaaaaaaaa')".repeat(12)} }}`,
  'replacements of nothing': growing("'ab'", "n.v.replace('', n.v)", 'n.v|length'),
  'a doubled string': growing("'abc'", 'n.v + n.v', 'n.v'),
  'a doubled string in capitals': growing("'abc'", 'n.v ~ n.v', 'n.v|upper|length'),
  'a doubled list': growing('[1, 2]', 'n.v + n.v', 'n.v|length'),
  'a nested list as JSON': growing('[1]', '[n.v, n.v]', 'n.v|tojson'),
  'a nested list as text': growing('[1]', '[n.v, n.v]', 'n.v|string'),
  'squares as the length of a range': growing('2', 'n.v * n.v', 'range(n.v)|length'),
  'a string split into millions': growing("'a,'", 'n.v + n.v', "n.v.split(',')|length", 23),
  'a wide indentation': "{{ ('a\\n' + 'a\\n' + 'a\\n')|indent(999999999) }}",
  'nested loops': nested('{% for i in range(999) %}', '', '{% endfor %}', 4),
  'nested loops that write': nested('{% for i in range(999) %}', 'text', '{% endfor %}', 4),
  'one long loop': '{% for i in range(9000000) %}{% endfor %}',
  'one long loop that writes': '{% for i in range(3000000) %}text{% endfor %}',
  'a macro that calls itself twice':
    '{% macro m(n) %}{% if n > 0 %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}',
  'a macro that doubles its text': "{% macro m(t) %}{{ m(t ~ t) }}{% endmacro %}{{ m('abc') }}",
  'nested brackets': `{{ ${nested('(', '1', ')', 45_000)} }}`,
  'nested lists': `{{ ${nested('[', '', ']', 45_000)} }}`,
};

test.each(Object.entries(hostile))('%s cannot end or block the server', async (_, template) => {
  let turns = 0;
  const ticking = setInterval(() => turns++, 10);
  const reasons =
    /: (it (needs too much memory|takes too long)|its text is too long|Invalid string length|Maximum call.*)\.$/;
  await expect(renderChat({ template, messages }, 1000)).rejects.toThrow(reasons);
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(0);
});

const program = join(__dirname, '../../dist/template-process.js');

test('the process ends with the server, whatever the template does', async () => {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.write(`${JSON.stringify({ template: endless, messages })}\n`);
  child.stdin.end();
  await once(child, 'exit');
});

/** The processes of this one in which a template is being rendered. */
const renderers = () =>
  readdirSync('/proc/self/task')
    .flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' '))
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(program));

afterEach(() => {
  vi.unstubAllEnvs();
});

test.runIf(process.platform === 'linux')('the process inherits nothing, and none is left behind', async () => {
  vi.stubEnv('ELECTRON_RUN_AS_NODE', '1');
  vi.stubEnv('API_KEY', 'secret');
  const rendering = renderChat({ template: endless, messages }, 1000);
  const [pid] = renderers();
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('ELECTRON_RUN_AS_NODE=1\0');
  expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/');
  await expect(rendering).rejects.toThrow('it takes too long');
  expect(renderers()).toEqual([]);
});

test('a template reaches nothing of the program', async () => {
  for (const name of [
    'process',
    'require',
    'globalThis',
    "''.constructor",
    'messages.constructor',
    'range.constructor',
  ])
    expect(await renderChat({ template: `[{{ ${name} }}]`, messages }), name).toMatch(/^\[(undefined|null)?\]$/);
});
