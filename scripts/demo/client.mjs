// The smallest editor that the language server could have: one document, a cursor in it, and completions.
import { spawn } from 'node:child_process';
import lsp from 'vscode-languageserver/node';
import { ToolError } from '../tools.mjs';

const statusMethod = 'hearth/status';

export async function connect(serverPath) {
  const child = spawn(process.execPath, [serverPath, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(child.stdout),
    new lsp.StreamMessageWriter(child.stdin),
  );
  const server = new Server(child, connection);
  connection.listen();
  const params = { processId: process.pid, rootUri: null, capabilities: {} };
  await Promise.race([connection.sendRequest('initialize', params), server.ended]);
  await connection.sendNotification('initialized', {});
  return server;
}

class Server {
  /** The newest hearth/status. */
  status = {};

  constructor(child, connection) {
    this.child = child;
    this.connection = connection;
    this.ended = new Promise((_, reject) => {
      child.once('exit', (code) => reject(new ToolError(`the language server ended with exit code ${code}`)));
    });
    // Of interest only while something waits for it.
    this.ended.catch(() => undefined);
    const ready = new Promise((resolve, reject) => {
      connection.onNotification(statusMethod, (status) => {
        this.status = status;
        if (status.health === 'ready') resolve(status);
        if (status.health === 'error') reject(new ToolError(`the language server reports: ${status.message}`));
      });
    });
    this.ready = Promise.race([ready, this.ended]);
    this.ready.catch(() => undefined);
  }

  async open(uri, before, after) {
    const textDocument = { uri, languageId: 'typescript', version: 1, text: before + after };
    await this.connection.sendNotification('textDocument/didOpen', { textDocument });
    return new Editor(this, uri, before, after);
  }

  async close() {
    if (this.child.exitCode === null) {
      const gone = new Promise((resolve) => this.child.once('exit', resolve));
      await Promise.race([this.connection.sendRequest('shutdown'), gone]).catch(() => undefined);
      await this.connection.sendNotification('exit').catch(() => undefined);
      await gone;
    }
    this.connection.dispose();
  }
}

/** A document and the cursor between `before` and `after`. */
class Editor {
  version = 1;

  constructor(server, uri, before, after) {
    this.server = server;
    this.uri = uri;
    this.before = before;
    this.after = after;
  }

  get position() {
    const lines = this.before.split('\n');
    return { line: lines.length - 1, character: lines.at(-1).length };
  }

  async type(text) {
    const range = { start: this.position, end: this.position };
    this.before += text;
    await this.server.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri: this.uri, version: ++this.version },
      contentChanges: [{ range, text }],
    });
  }

  /** The ghost text at the cursor ('' if there is none), and what it took. */
  async complete() {
    const { connection, ended } = this.server;
    const params = { textDocument: { uri: this.uri }, position: this.position, context: { triggerKind: 2 } };
    const previous = this.server.status.last;
    const start = performance.now();
    const answer = await Promise.race([connection.sendRequest('textDocument/inlineCompletion', params), ended]);
    const latencyMs = performance.now() - start;
    const [item] = Array.isArray(answer) ? answer : (answer?.items ?? []);
    const { last } = this.server.status;
    // The server reports the figures of an answer before it answers; one from memory has none.
    const timings = last && last !== previous ? last : { promptTokens: 0 };
    return { ghost: item ? this.ghostOf(item) : '', latencyMs, timings };
  }

  // An item may also replace what stands before the cursor; that part of it is not ghost text.
  ghostOf({ insertText, range }) {
    const text = typeof insertText === 'string' ? insertText : insertText.value;
    const typed = range ? this.position.character - range.start.character : 0;
    return text.slice(typed);
  }
}
