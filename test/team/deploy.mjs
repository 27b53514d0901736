// `npm run test:team -- --deploy` tests the files in docs/deploy: the manifests against Kubernetes' schema
// (kubernetes-validate), nginx.conf in nginx (balancer.mjs), and that no port or path is open that must be closed.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root, run } from '../../scripts/tools.mjs';
import { checkBalancer } from './balancer.mjs';
import { python } from './servers.mjs';

const folder = join(root, 'docs', 'deploy');
const toJson = 'import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))';

/** The replicas' names in lines for nginx. */
const serversOf = (env) =>
  env
    .trim()
    .split('\n')
    .map((line) => /^server (\S+):8000 /.exec(line)?.[1]);

export async function checkDeployment() {
  const program = await python('router');
  const read = (file) => JSON.parse(execFileSync(program, ['-c', toJson, join(folder, file)], { encoding: 'utf8' }));
  await run(join(program, '..', 'kubernetes-validate'), ['--strict', join(folder, 'kubernetes.yaml')]);

  const manifests = read('kubernetes.yaml');
  const specOf = (kind, name) => manifests.find((each) => each.kind === kind && each.metadata.name === name).spec;
  const [vllm] = specOf('StatefulSet', 'vllm').template.spec.containers;
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
    assert.equal(vllm[probe].httpGet.path, '/health');
  const { metrics, maxReplicas } = specOf('HorizontalPodAutoscaler', 'vllm');
  const [{ pods }] = metrics;
  const [adapter] = read('prometheus-adapter.yaml');
  assert.equal(pods.metric.name, adapter.rules.custom[0].name.as);
  const [{ from }] = specOf('NetworkPolicy', 'vllm').ingress;
  assert.deepEqual(
    from.map((each) => Object.values(each.podSelector?.matchLabels ?? each.namespaceSelector.matchLabels)[0]),
    ['nginx', 'monitoring'],
    'who reaches the replicas and their /metrics',
  );
  assert.equal(specOf('Service', 'vllm').clusterIP, 'None');

  const [{ services }] = read('compose.yaml');
  assert.deepEqual(
    Object.keys(services).filter((name) => services[name].ports),
    ['nginx'],
    'only nginx is reachable',
  );
  for (const name of ['vllm-1', 'vllm-2'])
    assert.deepEqual(services[name].command, vllm.args, 'the same options in both');
  const { SERVERS } = services.nginx.environment;
  assert.deepEqual(serversOf(SERVERS), ['vllm-1', 'vllm-2']);
  const [{ env }] = specOf('Deployment', 'nginx').template.spec.containers;
  const inCluster = env.find(({ name }) => name === 'SERVERS').value;
  assert.deepEqual(
    serversOf(inCluster),
    Array.from({ length: maxReplicas }, (_, i) => `vllm-${i}.vllm.hearth.svc.cluster.local`),
    'a name for each replica that the autoscaler may start',
  );
  console.log('ok      compose.yaml, kubernetes.yaml');
  await checkNginx(SERVERS);
  await checkNginx(inCluster);
}

/** Only a recent nginx knows "resolve". */
async function checkNginx(servers) {
  const nginx = process.env.NGINX_PROGRAM ?? 'nginx';
  const [, major, minor] =
    /nginx\/(\d+)\.(\d+)/.exec(spawnSync(nginx, ['-v'], { encoding: 'utf8' }).stderr ?? '') ?? [];
  if (!major || Number(major) * 1000 + Number(minor) < 1028)
    return console.log(`not run nginx.conf: nginx is ${major ? `${major}.${minor}` : 'missing'}, and 1.28 is needed`);
  await checkBalancer(nginx, join(folder, 'nginx.conf'), servers);
  console.log(`ok      nginx.conf before ${serversOf(servers).length} servers, of which two are there`);
}
