import { expect, test } from 'vitest';
import { hasSecretName } from '../../../language-server/protocol/secret-names.ts';
import { cpuMs } from '../../support/cpu-time.ts';

const secret = `
  .env .env.production .env-prod .env_local .secrets .credentials .envrc .env~ .env.bak .env.swp #.env# .env#frag .ENV prod.env .env.js .env.test.local .dev.vars .dev.vars.staging
  .flaskenv .ssh/work .ssh/config id_rsa id_rsa.bak id_ed25519_work id_ed25519_default id_ecdsa_sk ssh_host_rsa_key ssh_host_ed25519_key
  deploy_rsa service-account.json serviceAccountKey.json service_account_prod.json gcp-key.json gcp_key.json
  firebase-adminsdk-x1y2z.json acme-firebase-adminsdk-x1y2z.json client_secret.json
  client_secret_12.apps.json application_default_credentials.json credentials credentials.json credentials.csv
  accessKeys.csv .aws/credentials .aws/config .azure/accessTokens.json .config/gcloud/properties .oci/config
  .config/gh/hosts.yml .config/glab-cli/config.yml .config/hub .config/rclone/rclone.conf rclone.conf .yarnrc.yml .npmrc
  .pypirc .gem/credentials .cargo/credentials.toml .composer/auth.json auth.json .m2/settings.xml settings-security.xml
  .nuget/NuGet.Config .docker/config.json .dockercfg .kube/config kubeconfig prod.kubeconfig kubeconfig.yaml
  terraform.tfstate terraform.tfstate.backup x.auto.tfvars.json prod.tfvars .terraformrc terraform.rc
  .terraform.d/credentials.tfrc.json secrets.yaml secrets.prod.yml secret.json appsettings.secrets.json secrets.toml
  .streamlit/secrets.toml local.settings.json master.key secret_token.rb .vault_pass .vault_pass.txt
  vault-password.txt .vault-token .netrc _netrc .git-credentials .my.cnf .mylogin.cnf .pgpass pgpass.conf .htpasswd
  .s3cfg .boto .passwd-s3fs wp-config.php wp-config.php.bak LocalSettings.php wg0.conf
  wg-home.conf wpa_supplicant.conf server.pem server.key.old key.p8 AuthKey_ABC123.p8 cert.p12 cert.pfx release.jks
  debug.keystore keystore.properties key.properties signing.properties vault.kdbx private.asc secring.gpg putty.ppk
  .gnupg/pubring.kbx client.ovpn passwords.txt password.txt passwords.csv logins.json key4.db .bash_history .zsh_history
  .zhistory .sh_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history
  .rediscli_history ConsoleHost_history.txt .lesshst .irbrc_history fish_history etc/shadow .claude.json
  .claude/.credentials.json .codex/auth.json .dbt/profiles.yml .databrickscfg .snowflake/connections.toml
  .config/doctl/config.yaml .fly/config.yml .heroku/credentials tokens.secret.json .msmtprc .fetchmailrc .muttrc
  sftp-config.json .ftpconfig filezilla.xml sitemanager.xml recentservers.xml C%3A%5Cme%5C.env`;

const plain = `
  environment.ts env.ts .env.example .env.sample .env.template .env.dist .env.local.example .env-example .env_sample src/credentials.ts
  secrets.test.ts id_rsa.ts id_rsa.pub ssh_host_rsa_key.pub keyboard.key.tsx docker/config.json tokens.json package.json
  c#.md settings.json settings.xml tsconfig.json appsettings.json hosts.yml playbooks/hosts.yml config.yml wp-config-sample.php
  wp-settings.php auth.ts auth.json.ts authorization.json keys.ts key.ts keymap.json history.ts bash_history.md passwords.md
  secret-santa.py the-secret-garden.txt.md serviceAccount.ts service.json google-services.json nginx.conf sshd_config
  wireguard.md vault.go vault_pass.py pass.txt.ts profiles.yml connections.toml shadow shadow.css shadow.ts shadow.frag local.settings.ts
  main.tf variables.tf dotenv.ts secretary.json tokenizer.json access_key.py .eslintrc.json .gitignore .gitconfig
  .bashrc .zshrc .vscode/settings.json kube/config.yaml credentials.test.json.snap`;

const listed = (names: string) => names.trim().split(/\s+/);

test.each(listed(secret))('the name %s says that the file holds secrets', (name) => {
  expect(hasSecretName(`file:///code/${name}`)).toBe(true);
});

test.each(listed(plain))('the name %s does not', (name) => {
  expect(hasSecretName(`file:///code/${name}`)).toBe(false);
});

test("a copy is judged by its original's name", () => {
  for (const copy of ['.env copy', '.env.production.bak', 'id_rsa.old~', '.#secrets.yaml', 'wp-config.php.save.1']) {
    expect(hasSecretName(`file:///code/${encodeURIComponent(copy)}`), copy).toBe(true);
  }
});

test('of an overlong name, only the beginning and the end are examined', () => {
  const long = 'a.'.repeat(300_000);
  const named = (name: string) => hasSecretName(`file:///code/${name}`);
  const names = [`.env${'.bak'.repeat(100_000)}`, `.env.${long}`, `${long}pem`, `${long}env~`, `${long}ts`];
  expect(names.map(named)).toEqual([true, true, true, true, false]);
});

test.each(['.bak', '#', '.#', 'credentials.', '_', '/.', '.env', '~', 'wg-', ' copy', '.1'])(
  'an address of 1 MiB takes hardly any time: %s',
  async (part) => {
    const uri = `file:///code/${part.repeat(2 ** 20 / part.length)}`;
    const look = () => [hasSecretName(uri), hasSecretName(`${uri}!`)];
    expect(await cpuMs(look, 500)).toBeLessThan(500);
  },
);
