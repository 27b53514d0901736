// What is known about the names in a document: where they occur, and which occurrences mean the same symbol.
import type { Node } from 'web-tree-sitter';
import type { NameRow } from './name-rows/row.ts';

/** An occurrence of a name in code. */
export interface Name {
  at: number;
  node: Node;
  /**
   * What the name is here, such as 'local' or 'use': the captures that name-rows/row.ts explains; and 'bound' if a pattern
   * declares it.
   */
  roles: ReadonlySet<string>;
  /** The scopes around the name, innermost last. */
  scopes: readonly Scope[];
  /**
   * Of what the name is a member. 'own': of the object or class to which the code belongs. 'other': of something
   * unknown. 'none': of nothing, or it is used without its object.
   */
  receiver: 'none' | 'own' | 'other';
  /** If the name is a declaration, it applies from this offset on: the end of the node that declares it, or 0. */
  from: number;
  /** The import statement that contains the name; undefined if none does. */
  imported: Node | undefined;
  /**
   * The text that names the function, if this name is a keyword argument in its call, or the struct or class, if this
   * name is its field where its fields are filled.
   */
  owner: string | undefined;
}

export interface Scope {
  /** See name-rows/row.ts. */
  kind: 'block' | 'header' | 'function' | 'closed' | 'class';
  /** Scopes with the same key count as one: a class or a namespace may have several parts. */
  key: string;
  node: Node;
}

/** One declared symbol, with all occurrences of its name. */
export interface Binding {
  /** Identifies it among the symbols with its name. */
  key: string;
  /** The scope in which it is declared; undefined: the whole document. */
  home: Scope | undefined;
  isMember: boolean;
  /** All occurrences, including the declarations, in the order in which they are in the text. */
  names: Name[];
  declarations: Name[];
}

/** That an occurrence declares or uses a symbol. */
export interface Meaning {
  name: Name;
  binding: Binding;
}

/** All occurrences of one word as a name in a document. */
export interface Names {
  bindings: readonly Binding[];
  /** Occurrences that are not declared in the document. */
  free: readonly Name[];
  /** Occurrences in code that cannot be parsed. */
  broken: readonly Name[];
  /** Members of something unknown, or members that the class around them does not declare. */
  unknown: readonly Name[];
  row: NameRow;
}
