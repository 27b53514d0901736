// Names of files that hold keys and passwords. Such a file is never completed.

const secretFolders = /\/\.(ssh|gnupg|aws|azure|kube|docker)\/|\/\.config\/gcloud\//;
const dataFile = '\\.(json|ya?ml|toml|ini|properties|xml|conf|cfg|txt)';
const secretNames = [
  /^\.+env(rc)?(\..+)?$/,
  /\.env$/,
  /^[._](netrc|pgpass|npmrc|pypirc|htpasswd|git-credentials|s3cfg|boto|dockercfg|dockerconfigjson|vault-token)$/,
  /^\.(yarnrc\.yml|my\.cnf|mylogin\.cnf)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)[\w-]*$/,
  /^(credentials|secrets?|kubeconfig)$/,
  new RegExp(`(^|[._-])(credentials?|secrets?|service[._-]?accounts?)([._-].*)?${dataFile}$`),
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk|tfstate|tfvars|tfvars\.json)$/,
];
// Suffixes that editors and people add to the name of a copy.
const copyMarks = /^[.]?#|[#~]$|\.(bak|backup|old|orig|save|sw[a-p]|tmp|copy|\d+)$| copy$/;

export function hasSecretName(uri: string): boolean {
  const path = decoded(uri).toLowerCase().replaceAll('\\', '/');
  if (secretFolders.test(path)) return true;
  const last = path.replace(/^.*[/:]/, '');
  const names = [withoutCopyMarks(last), withoutCopyMarks(last.replace(/(?!^)[#?].*$/, ''))];
  return names.some((name) => secretNames.some((pattern) => pattern.test(name)));
}

function withoutCopyMarks(name: string): string {
  const shorter = name.replace(copyMarks, '');
  return shorter === name || shorter === '' ? name : withoutCopyMarks(shorter);
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
