// What the type of a node says, in any of the grammars.

export const isComment = (type: string) => /comment/.test(type);
export const isString = (type: string) =>
  /string|char_literal|character_literal|heredoc|quoted_|attribute_value|rune_literal/.test(type) &&
  !/concatenated/.test(type);

/** Code inside a string or markup. */
export const isInterpolation = (type: string) => /interpolation|substitution|expansion|jsx_expression/.test(type);

/** An attribute, annotation or decorator, which belongs to the declaration after it. */
export const isAttribute = (type: string) => /attribute_(?:item|list)|(?<!type_)annotation|decorator/.test(type);

/** A name. */
export const isName = (type: string) => /identifier|name/.test(type);

/** A node whose braces contain values, a pattern or a list of names, and not statements or members. */
export const isValue = (type: string) =>
  /object(?!_type)|dict|array|(?<!lambda_)literal|initializer|hash$|^table|pattern|^map|tuple|named_imports|export_clause|interpolation|substitution|expression$(?<!lambda_expression)|^set|argument|_list$(?<!declaration_list)(?<!variant_list)(?<!enumerator_list)(?<!statement_list)/.test(
    type,
  );
