// What a model's chat template can do, and what it must not. Uses the bundled thread, dist/template-worker.js.
import { expect, test } from 'vitest';
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

const refused: [name: string, template: string, reason: RegExp][] = [
  ['is no template', '{% for %}', /cannot be used: .+\.$/],
  ['never ends', `${'{% for i in range(999) %}'.repeat(4)}${'{% endfor %}'.repeat(4)}`, /too long/],
  [
    'wants all memory',
    '{% set n = namespace(l=[1, 2]) %}{% for i in range(40) %}{% set n.l = n.l + n.l %}{% endfor %}',
    /memory|too long|length/i,
  ],
  [
    'writes without end',
    "{% set n = namespace(t='abc') %}{% for i in range(40) %}{% set n.t = n.t + n.t %}{% endfor %}{{ n.t }}",
    /too long|length/,
  ],
  ['is nested without end', `{{ ${'('.repeat(45_000)}1${')'.repeat(45_000)} }}`, /stack|memory|too long/i],
  ['raises an exception', "{{ raise_exception('only for paying users') }}", /only for paying users/],
  ['is too long itself', ' '.repeat(100_001), /too long/],
];

test.each(refused)('a template that %s is refused in words, and the server lives on', async (_, template, reason) => {
  await expect(renderChat({ template, messages }, 2000)).rejects.toThrow(reason);
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
