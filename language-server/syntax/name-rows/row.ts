// How each language declares names, as data: queries over its syntax tree, and flags for what a query cannot say.
//
// Scopes:
//   @block: it has locals. Blocks with the same @name in the same scope count as one.
//   @header: a block around one declaration, whose name (@outer) exists around the block.
//   @function: it has locals and hoisted names.
//   @closed: a function that cannot use the locals around it.
//   @class: it has members. Classes with the same @name in the same scope count as one.
//   @receiver: the name that a method gives its object.
//   @rebinds: in it, `this` is another object than around it. With a @hiding variable in the same pattern, this holds
//     for the @receiver instead, if it has that variable's name.
// Declarations:
//   @local, @outer: declare a name in the innermost scope, or in the scope around that one.
//   @hoisted: declares a name in the function.
//   @field, @method: declare a member of the class.
//   @constant: this @outer name is that of a constant, to which no @call refers.
//   @import: declares a name for something in another file.
//   @binds: a pattern; the names in it are local variables, except in @unbound parts. With @binds.hoisted, they are
//     hoisted; so for @binds.field and .outer.
//   @after: a local declared in this node exists only from the end of the node.
//   @outside: the locals of the parent do not exist in this node.
// Other names:
//   @use: does not declare anything, even if another capture says so.
//   @key, and any name in a @foreign node: does not belong to this file; except a @key that is also captured as @own.
//   @origin: the original name of a renamed import. An @import.statement contains both names.
//   @call: refers only to methods, functions and types.
//   @own: refers only to members of the class.
//   @enclosing, @outward: the name is looked up, or declared, outside the function.
//   @shorthand, @exported: also name a member.
//   @keyword: the name of a parameter, in a call.
//   @constructor: the name of a constructor after that of its class. It refers to the class.
//   @owner: if the same pattern captures one, a @shorthand is also a field of this owner, an @own means only a member
//     of this owner, and a @keyword is a parameter.
//   @unclear: it is unknown what the name means.

export interface NameRow {
  query: string;
  /**
   * Where code can name members without their object: everywhere in the class, or only directly in its body. Absent:
   * nowhere.
   */
  bareMembers?: 'everywhere' | 'body';
  /** What a second declaration of a name in a block means: another variable from there on, or the same one. */
  redeclaration?: 'another' | 'same';
  /** Whether the first assignment to a name declares it. */
  isAssigned?: boolean;
  /** Whether an assignment in a block changes a local with that name in the surrounding method, if there is one. */
  blocksShareLocals?: boolean;
  /** Whether several methods can have the same name and differ only in their parameters. */
  hasOverloads?: boolean;
  /**
   * Whether methods have names of their own, so that a method and a variable with the same name are different things.
   */
  hasMethodNames?: boolean;
  /** own: the names that methods give their object or class, such as `self`. creates: the name of the constructor. */
  methods?: { own: readonly string[]; creates: string };
  /** What surrounds an interpolated name in a string, if the tree does not show that it is a name. */
  inString?: readonly [before: RegExp, following: RegExp];
  /** Matches the lines that declare names for use in other files. */
  shared: RegExp;
}
