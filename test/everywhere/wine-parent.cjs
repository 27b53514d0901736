// The part of wine.mjs that runs under Wine: wine-parent.cjs PORT WORD PROGRAM.js ARGUMENT... runs the program with its
// own Node and passes its streams on.
const { spawn } = require('node:child_process');
const { connect } = require('node:net');
const { finished } = require('node:stream/promises');

const [port, word, ...args] = process.argv.slice(2);
const child = spawn(process.execPath, args, { stdio: 'pipe' });

function stream(name) {
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  socket.write(`${word} ${name}`);
  return socket.on('error', () => child.kill());
}

const input = stream('inp');
input.pipe(child.stdin).on('error', () => {});
const outputs = ['out', 'err'].map((name) => {
  const socket = stream(name).on('end', () => child.kill()); // the process that wanted the program has ended
  child[`std${name}`].pipe(socket);
  return socket.resume();
});
child.on('close', async (code) => {
  await Promise.allSettled(outputs.map((socket) => finished(socket, { readable: false })));
  process.exit(code ?? 1);
});
