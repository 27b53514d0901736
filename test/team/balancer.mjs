// Tests docs/deploy/nginx.conf in a real nginx in front of two replicas, which answer with their names: which replica
// each person gets, and which replica answers when the other is gone. The test's own name server knows only the
// replicas that are running, as Docker's and Kubernetes' do.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { certificateFiles, freePort, isUp } from './servers.mjs';

const people = Array.from({ length: 40 }, (_, i) => `person-${i}`);

/** addresses: by name. For any other name it answers "there is no such name". */
async function nameServer(addresses) {
  const socket = createSocket('udp4').on('message', (question, { port, address }) => {
    const end = question.indexOf(0, 12) + 5;
    const labels = [];
    for (let at = 12; question[at] > 0; at += 1 + question[at])
      labels.push(question.toString('latin1', at + 1, at + 1 + question[at]));
    const found = addresses.get(labels.join('.'));
    const head = Buffer.from([
      ...question.subarray(0, 2),
      0x81,
      found ? 0x80 : 0x83,
      0,
      1,
      0,
      found ? 1 : 0,
      0,
      0,
      0,
      0,
    ]);
    const answer = found ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...found.split('.').map(Number)] : [];
    socket.send(Buffer.concat([head, question.subarray(12, end), Buffer.from(answer)]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

async function replica(name, address) {
  const http = createServer((_, response) => response.end(name)).listen(8000, address);
  await once(http, 'listening');
  return http;
}

function ask(port, path, person) {
  const options = { port, path, host: '127.0.0.1', method: 'POST', rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    request({ ...options, headers: { 'x-user-id': person } }, async (response) => {
      const text = (await response.toArray()).join('');
      resolve(response.statusCode === 200 ? text : response.statusCode);
    })
      .on('error', reject)
      .end('{}');
  });
}

/** servers: lines for nginx. The names in the first two are replicas; no others exist. */
export async function checkBalancer(nginx, file, servers) {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-nginx-'));
  const [one, other] = [...servers.matchAll(/^server (\S+):8000 /gm)].map(([, name]) => name);
  const addresses = new Map([
    [one, '127.0.0.2'],
    [other, '127.0.0.3'],
  ]);
  const names = await nameServer(addresses);
  const replicas = await Promise.all([...addresses].map(([name, address]) => replica(name, address)));
  const [https, health] = [await freePort(), await freePort()];
  const { certificate, key } = certificateFiles();
  const values = { RESOLVER: `127.0.0.1:${names.address().port}`, SERVERS: servers };
  const text = readFileSync(file, 'utf8')
    .replace(/\$\{(RESOLVER|SERVERS)\}/g, (_, name) => values[name])
    .replace('/etc/nginx/tls/tls.crt', certificate)
    .replace('/etc/nginx/tls/tls.key', key)
    .replace('/tmp/nginx.pid', join(folder, 'nginx.pid'))
    .replace('listen 8443', `listen 127.0.0.1:${https}`)
    .replace('listen 8080', `listen 127.0.0.1:${health}`);
  writeFileSync(join(folder, 'nginx.conf'), text);
  const child = spawn(nginx, ['-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], { stdio: 'ignore' });
  try {
    for (let tries = 0; !(await isUp(`http://127.0.0.1:${health}/healthz`)); tries++) {
      assert.ok(tries < 50, 'nginx does not start');
      await sleep(100);
    }
    const all = (path = '/v1/completions') => Promise.all(people.map((person) => ask(https, path, person)));
    const first = await all();
    assert.deepEqual([...new Set(first)].sort(), [one, other], 'who answers');
    for (let round = 0; round < 3; round++) assert.deepEqual(await all(), first, 'each person has one replica');
    assert.deepEqual(new Set(await all('/metrics')), new Set([404]));

    replicas[0].closeAllConnections();
    replicas[0].close();
    assert.deepEqual(new Set(await all()), new Set([other]), 'one replica is gone');
    addresses.set(one, '127.0.0.4');
    replicas.push(await replica(one, '127.0.0.4'));
    await sleep(13_000);
    assert.deepEqual(await all(), first, 'it is back, under another address');
    addresses.delete(one);
    await sleep(13_000);
    assert.deepEqual(new Set(await all()), new Set([other]), 'its name is gone');
  } finally {
    child.kill();
    await once(child, 'exit');
    names.close();
    for (const each of replicas) each.closeAllConnections();
    for (const each of replicas) each.close();
    rmSync(folder, { recursive: true });
  }
}
