// The page of an explanation: a webview rather than VS Code's Markdown preview, which loses the changes made while it
// loads, and has loaded later than a small model has answered.
import { randomUUID } from 'node:crypto';

/** What the page shows; it is sent whole on every change. */
export interface ExplainState {
  /** The answer as HTML. */
  html: string;
  /** The line below it. */
  note: string;
  isRunning: boolean;
}

/** 'ready': the page can be sent a state; it says so again whenever it was hidden. */
export type PageMessage = 'ready' | 'stop';

// The answer is a model's and may repeat foreign code: by this policy nothing in it runs, and no picture in it is
// fetched, which would tell somebody that it was shown.
export function explainPage(title: string): string {
  const nonce = randomUUID();
  return `<!doctype html>
<html lang="en">
<head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">
  body { padding: 0.5em 2em; line-height: 1.5; font-size: 1.05em; }
  h1 { font-size: 1.1em; }
  code { font-family: var(--vscode-editor-font-family); }
  pre { padding: 1em; overflow: auto; background: var(--vscode-textCodeBlock-background); }
  footer { margin-top: 1.5em; color: var(--vscode-descriptionForeground); }
  button { border: none; padding: 0.2em 1em; cursor: pointer;
    color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<main></main>
<footer><span role="status"></span> <button hidden>Stop</button></footer>
<script nonce="${nonce}">
  const [main, note, stop] = ['main', 'footer span', 'button'].map((name) => document.querySelector(name));
  const editor = acquireVsCodeApi();
  addEventListener('message', ({ data }) => {
    main.innerHTML = data.html;
    note.textContent = data.note;
    stop.hidden = !data.isRunning;
  });
  stop.addEventListener('click', () => editor.postMessage('stop'));
  editor.postMessage('ready');
</script>
</body>
</html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
