// What is known about the names in a document: where they occur, and which occurrences mean the same thing.
import type { Node } from 'web-tree-sitter';
import type { NameRow } from './name-rows.ts';

/** An occurrence of a name in code. */
export interface Name {
  at: number;
  node: Node;
  /** What the name is here, such as 'local' or 'use': the captures that name-rows.ts explains. */
  roles: ReadonlySet<string>;
  /** The scopes around the name, innermost last. */
  scopes: readonly Scope[];
  /**
   * Whose member the name is, if it follows a dot or the like: this object's or class's, or that of something unknown.
   */
  receiver: 'none' | 'own' | 'other';
  /** The offset from which a declaration applies: the end of its statement, or 0. */
  from: number;
  /** The import statement that contains the name. */
  imported: Node | undefined;
  /** The function that is called with the name as a keyword, or the struct whose field the name fills, as text. */
  owner: string | undefined;
}

export interface Scope {
  /** See name-rows.ts. */
  kind: 'block' | 'function' | 'closed' | 'class';
  /** Scopes with the same key count as one: the members of a class may be in several places. */
  key: string;
  node: Node;
}

/** One declared thing, with all occurrences of its name. */
export interface Binding {
  /** The key of the scope in which it is declared; '' for the whole document. */
  home: string;
  homeNode: Node | undefined;
  isMember: boolean;
  /** All occurrences, including the declarations, in the order of the text. */
  names: readonly Name[];
  declarations: readonly Name[];
}

/** All occurrences of one word as a name in a document. */
export interface Names {
  bindings: readonly Binding[];
  /** Occurrences that nothing in the document declares. */
  free: readonly Name[];
  /** Occurrences in code that cannot be parsed. */
  broken: readonly Name[];
  /** Occurrences as a member of something unknown. */
  unknown: readonly Name[];
  row: NameRow;
}

/** A declaration, with the key of the binding to which it belongs. */
export interface Found {
  key: string;
  home: string;
  homeNode: Node | undefined;
  isMember: boolean;
  name: Name;
}
