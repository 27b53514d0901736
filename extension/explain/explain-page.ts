// The page of an explanation. It is a webview rather than VS Code's Markdown preview: while the preview loads, it
// misses changes of the text, and a small model writes its whole answer in that time.
import { l10n } from 'vscode';
import { escapeHtml, webviewPage } from '../pages/webview-page.ts';
import type { Action } from './explain-conversation.ts';

/** The state of the page. Each change sends the whole state. */
export interface PageState {
  title: string;
  /** The question is '' in the first turn; the answer is HTML. */
  turns: { question: string; html: string }[];
  note: string;
  hint: string;
  actions: readonly Action[];
}

/** 'ready': the page has loaded and can receive a state. It loads again each time after another tab has hidden it. */
export type PageMessage = { action: Action | 'ready' } | { action: 'ask'; question: string };

export function explainPage(): string {
  const button = (action: Action, label: string) => `<button value="${action}" hidden>${escapeHtml(label)}</button>`;
  const ask = escapeHtml(l10n.t('Ask a follow-up question'));
  const body = `<h1></h1>
<main aria-live="polite"></main>
<footer>
<p><span role="status"></span>
${button('stop', l10n.t('Stop'))}
${button('continue', l10n.t('Continue'))}
${button('retry', l10n.t('Retry'))}
${button('copy', l10n.t('Copy'))}</p>
<p id="hint"></p>
<input type="text" placeholder="${ask}" aria-label="${ask}">
<p id="waiting" role="status" hidden>${escapeHtml(l10n.t('Your question will be asked when this answer is complete.'))}</p>
</footer>`;
  return webviewPage({ style, body, script });
}

const style = `
body { padding: 0.5em 2em; line-height: 1.5; font-size: 1.05em; overflow-wrap: break-word; }
h1, h2 { font-size: 1.1em; }
code { font-family: var(--vscode-editor-font-family); }
pre { padding: 1em; overflow: auto; background: var(--vscode-textCodeBlock-background); }
footer { margin-top: 1.5em; color: var(--vscode-descriptionForeground); }
footer p { margin: 0.5em 0; }
[role='status'] { margin-right: 0.5em; }
[role='status']:empty, #hint:empty { display: none; }
button { border: none; padding: 0.2em 1em; cursor: pointer; font: inherit;
  color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); }
button:hover { background: var(--vscode-button-secondaryHoverBackground); }
input { box-sizing: border-box; width: 100%; padding: 0.4em 0.6em; font: inherit;
  color: var(--vscode-input-foreground); background: var(--vscode-input-background);
  border: 1px solid var(--vscode-input-border, var(--vscode-widget-border, transparent)); }
input::placeholder { color: var(--vscode-input-placeholderForeground); }
button:focus-visible, input:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 1px; }
`;

const script = `
const editor = acquireVsCodeApi();
const [title, main, note, hint, input, waiting] = ['h1', 'main', '[role=status]', '#hint', 'input', '#waiting'].map(
  (selector) => document.querySelector(selector),
);
const buttons = [...document.querySelectorAll('button')];
let isRunning = false;
// VS Code discards the page while another tab hides it, but keeps this state.
const kept = editor.getState();
input.value = kept?.question ?? '';
waiting.hidden = !kept?.isWaiting;

addEventListener('message', ({ data: state }) => {
  const isAtEnd = innerHeight + scrollY >= document.body.scrollHeight - 10;
  isRunning = state.actions.includes('stop');
  // While aria-busy is set, a screen reader waits. Then it reads the finished answer once.
  main.ariaBusy = String(isRunning);
  title.textContent = state.title;
  state.turns.forEach(showTurn);
  while (main.children.length > state.turns.length) main.lastChild.remove();
  note.textContent = state.note;
  hint.textContent = state.hint;
  const focused = document.activeElement;
  for (const button of buttons) button.hidden = !state.actions.includes(button.value);
  if (focused.hidden) input.focus();
  if (!waiting.hidden && !isRunning) ask();
  if (isAtEnd) scrollTo(0, document.body.scrollHeight);
});

function showTurn({ question, html }, i) {
  const section = main.children[i] ?? main.appendChild(emptySection());
  const [heading, answer] = section.children;
  heading.textContent = question;
  heading.hidden = question === '';
  // An unchanged element is left alone, so that a selection in it survives.
  if (section.shownHtml !== html) answer.innerHTML = section.shownHtml = html;
}

function emptySection() {
  const section = document.createElement('section');
  section.append(document.createElement('h2'), document.createElement('div'));
  return section;
}

for (const button of buttons) button.addEventListener('click', () => editor.postMessage({ action: button.value }));
input.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.isComposing || input.value.trim() === '') return;
  if (isRunning) setWaiting(true);
  else ask();
});
input.addEventListener('input', () => setWaiting(false));

/** isWaiting: whether the question in the input is asked as soon as the answer in progress ends. */
function setWaiting(isWaiting) {
  waiting.hidden = !isWaiting;
  editor.setState({ question: input.value, isWaiting });
}

function ask() {
  editor.postMessage({ action: 'ask', question: input.value.trim() });
  input.value = '';
  setWaiting(false);
}

editor.postMessage({ action: 'ready' });
`;
