// The name of a language for people: "TypeScript" for "typescript".
import { extensions } from 'vscode';

interface Contributed {
  id?: string;
  aliases?: string[];
}

/** The name from the language's extension; the id if no extension has a name for it. */
export function languageName(id: string): string {
  if (id === 'plaintext') return 'Plain Text'; // VS Code has it without an extension
  const all = extensions.all.flatMap(({ packageJSON }): Contributed[] => packageJSON?.contributes?.languages ?? []);
  return all.find((language) => language.id === id && language.aliases?.[0])?.aliases?.[0] ?? id;
}
