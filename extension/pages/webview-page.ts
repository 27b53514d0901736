// The HTML of a webview. Its security policy lets the page load nothing, send nothing, and run only its own script,
// whatever text it shows.
import { randomUUID } from 'node:crypto';
import { env } from 'vscode';

export function webviewPage({ style, body, script }: { style: string; body: string; script: string }): string {
  const nonce = randomUUID();
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; form-action 'none'; base-uri 'none'`;
  return `<!doctype html>
<html lang="${env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<style nonce="${nonce}">${style}</style>
</head>
<body>
${body}
<script nonce="${nonce}">${script}</script>
</body>
</html>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
