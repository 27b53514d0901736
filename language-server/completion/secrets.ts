// Files that hold keys and passwords by convention: nothing of them enters a prompt.
import { documentName } from '../log.ts';

const secretNames = [
  /^\.env(\..+)?$/,
  /\.env$/,
  /^\.(netrc|pgpass|npmrc|pypirc|htpasswd|git-credentials)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)$/,
  /^(credentials|secrets?)(\.(json|ya?ml|toml|ini))?$/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk|tfvars)$/,
];

export function holdsSecrets(uri: string): boolean {
  const name = documentName(uri).toLowerCase();
  return secretNames.some((pattern) => pattern.test(name));
}
