// What a model's chat template can and cannot do. Uses the bundled program, dist/template-process.js.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { type ChatMessage, renderChat as renderInput } from '../../../language-server/explain/chat-template.ts';

const messages: ChatMessage[] = [
  { role: 'user', content: 'Why?' },
  { role: 'assistant', content: 'Because.' },
  { role: 'user', content: 'Really?' },
];

const withoutNames = { bosToken: '', eosToken: '' };
/** By default, the time is enough even for a busy machine. */
const renderChat = (template: string, timeout = 120_000) =>
  renderInput({ template, ...withoutNames, messages }, timeout);

/** Like a large model's template, it has its own system message, and branches for inputs that Hearth never sends. */
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

test('a conversation is rendered as the template says', async () => {
  expect(await renderChat(elaborate)).toBe(
    '<|im_start|>system\nYou are helpful.<|im_end|>\n' +
      '<|im_start|>user\nWhy?<|im_end|>\n' +
      '<|im_start|>assistant\nBecause.<|im_end|>\n' +
      '<|im_start|>user\nReally?<|im_end|>\n' +
      '<|im_start|>assistant\n',
  );
});

/** A template that computes a value from itself again and again, and then uses it. */
const growing = (value: string, next: string, use: string, times = 60) =>
  `{% set n = namespace(v=${value}) %}{% for i in range(${times}) %}{% set n.v = ${next} %}{% endfor %}{{ ${use} }}`;

const refused: [name: string, template: string, reason: RegExp][] = [
  ['is not a template', '{% for %}', /Unexpected token: CloseStatement\.$/],
  ['raises an exception', "{{ raise_exception('only for paying users') }}", /: only for paying users\.$/],
  ['forges a line of the log', "{{ raise_exception('a\n[error] \u202eb\u001b[31m.') }}", /: a \[error\] b \[31m\.$/],
  ['is too long itself', ' '.repeat(100_001), /it is too long\.$/],
  ['writes too much', growing("'abc'", 'n.v + n.v', 'n.v', 20), /its text is too long\.$/],
  ['wants too much memory', '{{ range(5000000)|sort|length }}', /it needs too much memory\.$/],
];

test.each(refused)('a template that %s is refused, and the reason is given', async (_, template, reason) => {
  await expect(renderChat(template, 100_000)).rejects.toThrow(reason);
});

const endless = `${'{% for i in range(999) %}'.repeat(4)}${'{% endfor %}'.repeat(4)}`;

test('a template that never ends is stopped', async () => {
  await expect(renderChat(endless, 500)).rejects.toThrow(/it takes too long\.$/);
});

/**
 * Templates that a renderer in the server's own process could not stop: a single step takes long, or grows the text.
 */
const hostile: Record<string, string> = {
  'a range longer than memory': '{{ range(4000000000)|length }}',
  'a chain of replace filters': `{{ 'aaaaaaaaaa'${"|replace('a', 'aaaaaaaaaa')".repeat(12)} }}`,
  'replacements of nothing': growing("'ab'", "n.v.replace('', n.v)", 'n.v|length'),
  'a doubled list': growing('[1, 2]', 'n.v + n.v', 'n.v|length'),
  'a wide indentation': "{{ ('a\\n' + 'a\\n' + 'a\\n')|indent(999999999) }}",
  'a macro that doubles its text': "{% macro m(t) %}{{ m(t ~ t) }}{% endmacro %}{{ m('abc') }}",
  'nested brackets': `{{ ${'('.repeat(45_000)}1${')'.repeat(45_000)} }}`,
};

test.each(Object.entries(hostile))('%s cannot end or block the server', async (_, template) => {
  let turns = 0;
  const ticking = setInterval(() => turns++, 10);
  const reasons =
    /: (it (needs too much memory|takes too long)|its text is too long|Invalid string length|Maximum call.*)\.$/;
  await expect(renderChat(template, 500)).rejects.toThrow(reasons);
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(0);
});

const program = join(__dirname, '../../../dist/template-process.js');

test("the template's process ends with the server, whatever the template does", async () => {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.write(`${JSON.stringify({ template: endless, ...withoutNames, messages })}\n`);
  child.stdin.end();
  await once(child, 'exit');
});

/** The child processes of this process that are rendering a template. */
const renderers = () =>
  readdirSync('/proc/self/task')
    .flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' '))
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(program));

afterEach(() => {
  vi.unstubAllEnvs();
});

test.runIf(process.platform === 'linux')(
  "the template's process inherits no environment, and no process is left behind",
  async () => {
    vi.stubEnv('ELECTRON_RUN_AS_NODE', '1');
    vi.stubEnv('API_KEY', 'secret');
    const rendering = renderChat(endless, 200);
    const [pid] = renderers();
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('ELECTRON_RUN_AS_NODE=1\0');
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/');
    await expect(rendering).rejects.toThrow('it takes too long');
    expect(renderers()).toEqual([]);
  },
);

test('a template cannot reach objects of the program', async () => {
  const names = ['process', 'require', 'globalThis', "''.constructor", 'messages.constructor', 'range.constructor'];
  const template = names.map((name) => `[{{ ${name} }}]`).join('');
  expect(await renderChat(template)).toMatch(/^(\[(undefined|null)?\]){6}$/);
});
