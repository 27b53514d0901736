// Keys are put together here, so that nobody's scanner takes them for real ones.
import { expect, test } from 'vitest';
import { holdsSecrets } from '../../language-server/prompt/secrets.ts';

test.each([
  '.env',
  '.env.production',
  '.envrc',
  '.env~',
  '.env.bak',
  '.env.swp',
  '#.env#',
  '.env#frag',
  '.ENV',
  'prod.env',
  '.ssh/work',
  '.ssh/config',
  'id_rsa',
  'id_rsa.bak',
  'id_ed25519_work',
  'id_ecdsa_sk',
  'service-account.json',
  'client_secret.json',
  'client_secret_12.apps.json',
  'application_default_credentials.json',
  'credentials',
  '.aws/credentials',
  '.yarnrc.yml',
  '.npmrc',
  '.docker/config.json',
  '.kube/config',
  'kubeconfig',
  'terraform.tfstate',
  'terraform.tfstate.backup',
  'x.auto.tfvars.json',
  'secrets.yaml',
  'secrets.prod.yml',
  'appsettings.secrets.json',
  '_netrc',
  '.my.cnf',
  'server.pem',
  'server.key.old',
  'C%3A%5Cme%5C.env',
])('%s holds secrets by its name', (name) => {
  expect(holdsSecrets(`file:///code/${name}`)).toBe(true);
});

test.each([
  'environment.ts',
  'env.ts',
  'src/credentials.ts',
  'secrets.test.ts',
  'id_rsa.ts',
  'keyboard.key.tsx',
  'docker/config.json',
  'tokens.json',
  'package.json',
  'c#.md',
])('%s does not', (name) => {
  expect(holdsSecrets(`file:///code/${name}`)).toBe(false);
});

const letters = 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0dF';

test.each([
  ['a private key', `-----BEGIN ${'OPENSSH '}PRIVATE KEY-----\nabc`],
  ['a PGP key', `-----BEGIN PGP ${'PRIVATE KEY BLOCK'}-----`],
  ['an AWS key', `key = "AKIA${'ABCDEFGHIJKLMNOP'}"`],
  ['a GitHub token', `ghp_${letters}abcd`],
  ['a fine-grained GitHub token', `github_pat_${letters}`],
  ['a GitLab token', `glpat-${letters}`],
  ['a Google key', `AIza${letters}abc`],
  ['a Slack token', `xoxb-${'1234567890'}-abc`],
  ['a Stripe key', `sk_live_${letters}`],
  ['a model key', `sk-${letters}`],
  ['a JSON Web Token', `eyJ${letters}.eyJ${letters}.${letters}`],
  ['a password in a URL', `postgres://me:hunter22${'@'}db.internal/main`],
  ['a password', `password = "hunter${'2!'}"`],
  ['a password in an object', `{ "dbPassword": "s3cr${'3t'}99" }`],
  ['an API key', `const apiKey = '${letters}';`],
  ['a typed constant', `private static final String ACCESS_KEY = "${letters}";`],
  ['a variable of a shell', `export API_TOKEN=${letters}\n`],
])('a text with %s holds secrets', (_, text) => {
  expect(holdsSecrets('file:///a.ts', `first();\n${text}\nlast();`)).toBe(true);
});

test.each([
  'const token = tokenize(text);',
  'const password = readPassword();',
  'password: "password"',
  'token = "Authorization"',
  'API_KEY = "your-api-key-here-12345"',
  'secret = "$' + '{SECRET_FROM_THE_ENVIRONMENT_1}"',
  'export API_TOKEN=$(cat token.txt)',
  'https://localhost:8080/path@2',
  'const keyOfSecretToken = "a sentence about secrets";',
  'sk-learn',
])('%s is no secret', (text) => {
  expect(holdsSecrets('file:///a.ts', text)).toBe(false);
});

test('searches a megabyte quickly', () => {
  const startedAt = performance.now();
  holdsSecrets('file:///a.ts', 'password = secret: token='.repeat(40_000));
  holdsSecrets('file:///a.ts', `eyJ${'a'.repeat(1_000_000)}`);
  expect(performance.now() - startedAt).toBeLessThan(1000);
});
