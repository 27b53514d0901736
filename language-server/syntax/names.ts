// What is known of the names of a document: where they are, and which are of the same thing.
import type { Node } from 'web-tree-sitter';
import type { NameRow } from './name-rows.ts';

/** An occurrence of a name in code. */
export interface Name {
  at: number;
  node: Node;
  roles: ReadonlySet<string>;
  /** The innermost is the last. */
  scopes: readonly Scope[];
  /** Behind a dot: the member of this object or class, or of something that is not known. */
  receiver: 'none' | 'own' | 'other';
  /** Until where it is not known yet: the end of the statement that declares it. */
  from: number;
  /** The import that it is part of. */
  imported: Node | undefined;
  /** The text of what has it as a parameter or a field: the function that is called by keyword, or the struct that is filled. */
  owner: string | undefined;
}

export interface Scope {
  kind: 'block' | 'function' | 'closed' | 'class';
  /** Scopes with the same key are one: a class may have its members in several places. */
  key: string;
  node: Node;
}

/** What one thing is called, wherever it is. */
export interface Binding {
  /** The scope that it is known in; '' if that is all of the document. */
  home: string;
  homeNode: Node | undefined;
  isMember: boolean;
  /** In the order of the text, those that declare it, too. */
  names: readonly Name[];
  declarations: readonly Name[];
}

/** All names of one word in a document. */
export interface Names {
  bindings: readonly Binding[];
  /** Those that nothing in the document declares. */
  free: readonly Name[];
  /** Those in code that cannot be read. */
  broken: readonly Name[];
  /** Members of something that is not known. */
  unknown: readonly Name[];
  row: NameRow;
}

/** A declaration, and the key of what it is of. */
export interface Found {
  key: string;
  home: string;
  homeNode: Node | undefined;
  isMember: boolean;
  name: Name;
}
