// The page that shows an explanation, in a browser and with a stub for VS Code.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { explainPage, type PageMessage, type PageState } from '../../extension/explain/explain-page.ts';
import { launchBrowser } from './browser.ts';

const address = 'http://page.invalid/';
let browser: Browser;
let page: Page;
let sent: PageMessage[] = [];

beforeAll(async () => {
  browser = await launchBrowser();
  page = await browser.newPage();
  await page.exposeFunction('toEditor', (message: PageMessage) => void sent.push(message));
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: explainPage() }));
  await page.addInitScript(`acquireVsCodeApi = () => ({
    postMessage: toEditor,
    getState: () => JSON.parse(sessionStorage.state ?? 'null') ?? undefined,
    setState: (state) => { sessionStorage.state = JSON.stringify(state); },
  })`);
});

afterAll(() => browser?.close());

async function open(state: Partial<PageState>): Promise<void> {
  sent = [];
  await page.goto(address);
  await expect.poll(() => sent).toEqual([{ action: 'ready' }]);
  sent = [];
  await show(state);
}

async function show(given: Partial<PageState>): Promise<void> {
  const state: PageState = { title: '', turns: [], note: '', hint: '', actions: [], ...given };
  await page.evaluate(`dispatchEvent(new MessageEvent('message', { data: ${JSON.stringify(state)} }))`);
}

const answer = (html: string) => ({ question: '', html });
const shownButtons = () => page.locator('footer button:visible').allTextContents();

test('the page shows the conversation and the possible actions', async () => {
  await open({
    title: 'a.ts, line 1',
    turns: [answer('<p>It'), { question: 'Why <b>?', html: '' }],
    actions: ['stop'],
  });
  expect(await page.locator('h1').textContent()).toBe('a.ts, line 1');
  expect(await page.locator('h2:visible').allTextContents()).toEqual(['Why <b>?']);
  expect(await page.locator('main').textContent()).toContain('It');
  expect(await shownButtons()).toEqual(['Stop']);
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => sent).toEqual([{ action: 'stop' }]);
});

test('an answer is read out when it is complete, and the focus stays in the page', async () => {
  await open({ turns: [answer('<p>It')], actions: ['stop'] });
  expect(await page.locator('main[aria-live=polite]').getAttribute('aria-busy')).toBe('true');
  await page.getByRole('button', { name: 'Stop' }).focus();
  await show({ turns: [answer('<p>It adds.')], actions: ['retry', 'copy'] });
  expect(await page.locator('main').getAttribute('aria-busy')).toBe('false');
  expect(await shownButtons()).toEqual(['Retry', 'Copy']);
  expect(await page.locator('input:focus').count()).toBe(1);
});

test('a question asked while an answer is being written is sent once the answer is complete', async () => {
  await open({ actions: ['stop'] });
  const input = page.getByRole('textbox', { name: 'Ask a follow-up question' });
  const waiting = page.getByText('Your question will be asked when this answer is complete.');
  await input.fill('Wh');
  await input.press('Enter');
  expect(await waiting.isVisible()).toBe(true);
  // This question is still being written, and waits for another Enter.
  await input.press('y');
  expect(await waiting.isVisible()).toBe(false);
  await input.fill(' Why? ');
  await input.press('Enter');
  await show({ actions: ['stop'] });
  expect(sent).toEqual([]);
  await show({ actions: ['retry'] });
  expect(await waiting.isVisible()).toBe(false);
  await expect.poll(() => sent).toEqual([{ action: 'ask', question: 'Why?' }]);
  expect(await input.inputValue()).toBe('');
});

test('a waiting question is asked even if the page was hidden, and therefore discarded, meanwhile', async () => {
  await open({ turns: [answer('<p>It')], actions: ['stop'] });
  await page.locator('input').fill('And then?');
  await page.locator('input').press('Enter');
  await open({ turns: [answer('<p>It')], actions: ['stop'] });
  expect(sent).toEqual([]);
  expect(await page.locator('input').inputValue()).toBe('And then?');
  await show({ turns: [answer('<p>It adds.')], actions: ['retry', 'copy'] });
  await expect.poll(() => sent).toEqual([{ action: 'ask', question: 'And then?' }]);
  await open({ turns: [answer('<p>It adds.')], actions: ['retry', 'copy'] });
  expect(await page.locator('input').inputValue()).toBe('');
});

test('a new explanation replaces a longer one completely', async () => {
  await open({ turns: [answer('<p>old'), { question: 'Why?', html: '<p>old' }] });
  await show({ turns: [answer('<p>new')] });
  expect(await page.locator('main').textContent()).toBe('new');
});

// The renderer already removes markup; the content security policy is the second defence.
test("the page's policy blocks what the renderer might let through", async () => {
  await open({});
  await page.evaluate(
    `blocked = []; addEventListener('securitypolicyviolation', (event) => blocked.push(event.effectiveDirective))`,
  );
  const hostile = `<img src="https://evil.example/p" onerror="document.title = 'run'"><style>p { color: red }</style>
    <form action="https://evil.example"><button id="send"></button></form>`;
  await show({ turns: [answer(hostile)] });
  await page.evaluate(`document.querySelector('#send').click()`);
  const blocked = async () => new Set(await page.evaluate<string[]>('blocked'));
  await expect.poll(blocked).toEqual(new Set(['img-src', 'script-src-attr', 'style-src-elem', 'form-action']));
  expect(await page.title()).toBe('');
});
