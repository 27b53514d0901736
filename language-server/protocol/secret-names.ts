// Recognizes files that hold keys and passwords by their names. Such files are never completed. A copy with another
// suffix counts like its original. A template such as .env.example does not count, and neither does a public key.

// All files in these folders count.
const folders =
  /\/\.(ssh|gnupg|aws|azure|kube|docker|oci|fly|heroku|snowflake)\/|\/\.config\/(gcloud|gh|glab-cli|doctl)\//;

// These names are also common for harmless files, so they count only in these folders.
const inFolder = new RegExp(
  `/(?:${[
    '\\.m2/settings\\.xml',
    '\\.nuget/nuget\\.config',
    '\\.dbt/profiles\\.yml',
    '\\.(?:gem|cargo)/credentials(?:\\.toml)?',
    '\\.config/hub',
    'etc/shadow',
  ].join('|')})$`,
);

/** The extensions of data files. */
const data = '\\.(?:json|ya?ml|toml|ini|properties|xml|conf|cfg|config|txt|csv)';

/** The words that mark a template. */
const template = '(?:example|sample|template|tmpl|dist|defaults?)';

const names = new RegExp(
  `^(?:${[
    // Environment
    `\\.+(?:flask)?env(?:rc)?(?:\\..+|[_-](?!${template}$).+)?|.+\\.env|\\.dev\\.vars(?:\\..+)?`,
    // Clients and registries; a dot file's suffix may be .txt or the like
    '[._](?:netrc|pgpass|npmrc|pypirc|htpasswd|git-credentials|s3cfg|boto|dockercfg|dockerconfigjson|vault-token)',
    '\\.(?:yarnrc\\.yml|my\\.cnf|mylogin\\.cnf|terraformrc|databrickscfg|claude\\.json|passwd-s3fs|ftpconfig)',
    '\\.(?:msmtp|fetchmail|mutt)rc|pgpass\\.conf|rclone\\.conf|terraform\\.rc|sftp-config\\.json|auth\\.json',
    '(?:filezilla|sitemanager|recentservers|settings-security)\\.xml',
    // Keys without a suffix
    'id_(?:rsa|dsa|ecdsa|ed25519)[\\w-]*|ssh_host_\\w+_key|[\\w-]+_(?:rsa|dsa|ecdsa|ed25519)',
    // Applications
    'wp-config\\.php|localsettings\\.php|local\\.settings\\.json|logins\\.json|key4\\.db|secret_token\\.rb',
    '(?:keystore|key|signing)\\.properties|wg[\\w-]{0,20}\\.conf|wpa_supplicant\\.conf',
    // Shell and database histories
    '\\.?(?:ba|z|k|c|fi|tc)?sh_history|\\.(?:zhistory|lesshst|rediscli_history)|consolehost_history\\.txt',
    '\\.\\w{1,20}_history',
    // What the name says in words
    '\\.?(?:credentials?|secrets?)|(?:.+\\.)?kubeconfig|\\.?vault[._-]pass(?:word)?',
    `(?:.*[._-])?(?:credentials?|secrets?|service[._-]?account(?:[._-]?key)?s?)(?:[._-].*)?${data}`,
    `(?:.*[._-])?(?:passwords?|vault[._-]pass(?:word)?|kubeconfig|access[._-]?keys?)${data}`,
    '(?:.*[._-])?(?:gcp|gcloud|google|firebase)[._-]?(?:keys?|adminsdk[\\w-]*)\\.json',
    // Suffixes of keys, stores and states
    '.*\\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk|ovpn|tfstate|tfvars|tfvars\\.json)',
  ].join('|')})$`,
);

const templates = new RegExp(`\\.${template}$`);

// Editors and people add these to a file's name to name a copy.
const copyPrefix = /(?:\.?#)+/y;
const copySuffix = /(?:[#~]|\.(?:bak|backup|old|orig|save|sw[a-p]|tmp|copy|\d+)| copy)$/;
const suffixChars = 32;

/** No real file has a longer name. Only the beginning and the end of a longer one are examined. */
const nameChars = 512;

export function hasSecretName(uri: string): boolean {
  const path = decoded(uri).toLowerCase().replaceAll('\\', '/');
  if (folders.test(path) || inFolder.test(path)) return true;
  const last = path.replace(/^.*[/:]/, '');
  return [last, last.replace(/(?!^)[#?].*$/, '')]
    .map(shortened)
    .map(withoutCopyMarks)
    .some((name) => names.test(name) && !templates.test(name));
}

function shortened(name: string): string {
  const half = nameChars / 2;
  return name.length <= nameChars ? name : name.slice(0, half) + name.slice(-half);
}

function withoutCopyMarks(name: string): string {
  copyPrefix.lastIndex = 0;
  const start = copyPrefix.exec(name)?.[0].length ?? 0;
  let end = name.length;
  for (let left = end; left > start; end = left) {
    left -= copySuffix.exec(name.slice(Math.max(start, end - suffixChars), end))?.[0].length ?? 0;
    if (left === end) break;
  }
  return end > start ? name.slice(start, end) : name;
}

/** A URI, or a part of one, with its escapes decoded; unchanged if one of them is invalid. */
export function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
