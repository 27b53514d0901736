// Runs a program with Node for Windows and with the standard streams of this process:
//   wine.mjs PREFIX node.exe PROGRAM.js ARGUMENT...
// Node for Windows cannot use Linux pipes. So wine-parent.cjs starts the program under Wine with Windows pipes, and
// forwards their data over TCP.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { wine, wineEnv } from './systems.mjs';

const word = randomBytes(16).toString('hex');
const outputs = { out: process.stdout, err: process.stderr };
const ended = [];

/** A connection begins with the secret word and the name of a stream. */
function accept(socket) {
  socket.on('error', () => socket.destroy());
  socket.once('readable', () => {
    const [given, name] = String(socket.read(word.length + 4)).split(' ');
    if (given !== word) socket.destroy();
    else if (name === 'inp') process.stdin.pipe(socket);
    else {
      ended.push(once(socket, 'end'));
      socket.pipe(outputs[name], { end: false });
    }
  });
}

const server = createServer({ allowHalfOpen: true }, accept).listen(0, '127.0.0.1');
await once(server, 'listening');
const parent = join(import.meta.dirname, 'wine-parent.cjs');
const [prefix, node, ...rest] = process.argv.slice(2);
const args = [node, parent, String(server.address().port), word, ...rest];
const child = spawn(wine, args, { stdio: 'ignore', env: { ...process.env, ...wineEnv(prefix) } });
const [code] = await once(child, 'exit');
await Promise.all(ended);
process.exit(code ?? 1);
