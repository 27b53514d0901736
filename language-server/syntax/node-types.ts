// What the types of nodes tell, whichever grammar they are of.

/** A comment, or a string that is code's. */
export const isComment = (type: string) => /comment/.test(type);
export const isString = (type: string) =>
  /string|char_literal|character_literal|heredoc|quoted_|attribute_value|rune_literal/.test(type) &&
  !/concatenated/.test(type);

/** Text in which nothing is code: comments, strings, the content of elements. */
export const isText = (type: string) => /comment|string|text|char|template|heredoc/.test(type);

/** Code in a string. */
export const isInterpolation = (type: string) => /interpolation|substitution|expansion|jsx_expression/.test(type);

/** What is written before a declaration and is part of it. */
export const isAttribute = (type: string) => /attribute_(?:item|list)|(?<!type_)annotation|decorator/.test(type);

/** What ends with a colon and has statements below. */
export const isLabel = (type: string) => /case|label|default|clause/.test(type);

/** What stands for a name. */
export const isName = (type: string) => /identifier|name/.test(type);

/** What braces hold that is a value, a pattern or a list of names, and no statements or members. */
export const isValue = (type: string) =>
  /object(?!_type)|dict|array|(?<!lambda_)literal|initializer|hash$|^table|pattern|^map|tuple|named_imports|export_clause|interpolation|substitution|expression$(?<!lambda_expression)|^set|argument|_list$(?<!declaration_list)(?<!variant_list)(?<!enumerator_list)(?<!statement_list)/.test(
    type,
  );
