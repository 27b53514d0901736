// The name of a language for people: "TypeScript" for "typescript".
import { extensions } from 'vscode';

interface Contributed {
  id?: string;
  aliases?: string[];
}

/** The name that the language's extension gives it; the id if no extension does. */
export function languageName(id: string): string {
  if (id === 'plaintext') return 'Plain Text'; // VS Code has it without an extension
  const all = extensions.all.flatMap(({ packageJSON }): Contributed[] => packageJSON?.contributes?.languages ?? []);
  return all.find((each) => each.id === id && each.aliases?.[0])?.aliases?.[0] ?? id;
}
