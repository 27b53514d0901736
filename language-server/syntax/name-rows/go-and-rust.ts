// The names of Go and Rust.
import type { NameRow } from './row.ts';

/**
 * The keys of composite literals of a type, also where a list or a map leaves out the type: `[]Point{{x: 1}}`. role:
 * what these keys are; 'own': members of the @owner.
 */
function goLiteral(type: string, role: 'own' | 'key'): string {
  const fields = `(literal_value (keyed_element . (literal_element (identifier) @${role})))`;
  const elements = `(literal_value [(literal_element ${fields}) (keyed_element (literal_element ${fields}))])`;
  const element = `[${type} (pointer_type ${type})]`;
  const list = `[(slice_type element: ${element}) (array_type element: ${element})
    (implicit_length_array_type element: ${element}) (map_type value: ${element})]`;
  return `(composite_literal type: ${type} body: ${fields}) (composite_literal type: ${list} body: ${elements})`;
}

export const go: NameRow = {
  query: `
[(block) (if_statement) (for_statement) (expression_switch_statement) (type_switch_statement) (expression_case)
 (default_case) (type_case) (communication_case) (select_statement)] @block
[(function_declaration) (func_literal)] @function
(type_spec name: (_) @name) @class
(method_declaration receiver: (parameter_list (parameter_declaration name: (_)? @receiver type: [
  (type_identifier) @name (pointer_type (type_identifier) @name)
  (generic_type type: (_) @name type_arguments: (type_arguments (type_elem (_) @local)*))
  (pointer_type (generic_type type: (_) @name type_arguments: (type_arguments (type_elem (_) @local)*)))]))) @class
(method_declaration) @function [(method_elem) (function_type)] @block
(type_parameter_declaration name: (_) @local)
(parameter_declaration name: (_) @binds) (variadic_parameter_declaration name: (_) @binds)
(var_spec name: (_) @binds) (const_spec (identifier) @binds) (short_var_declaration left: (_) @binds) @after
(statement_list [(var_declaration [(var_spec) @after (var_spec_list (var_spec) @after)])
  (const_declaration (const_spec) @after)])
(range_clause left: (_) @binds ":=") @after (receive_statement left: (_) @binds ":=") @after
(type_switch_statement alias: (_) @binds) (type_switch_statement !initializer value: (_) @outside)
(for_statement (range_clause left: (expression_list (identifier) @hiding) ":=") body: (_) @rebinds)
(type_switch_statement alias: (expression_list (identifier) @hiding) [(type_case) (default_case)] @rebinds)
(func_literal parameters: (parameter_list (parameter_declaration name: (identifier) @hiding))) @rebinds
(_ initializer: (short_var_declaration left: (expression_list (identifier) @hiding)) (_) @rebinds)
(for_statement (for_clause initializer: (short_var_declaration left: (expression_list (identifier) @hiding)))
  body: (_) @rebinds)
(block (statement_list (short_var_declaration left: (expression_list (identifier) @hiding)))) @rebinds
[(var_spec (struct_type) @class) (field_declaration (struct_type) @class) (parameter_declaration (struct_type) @class)
 (slice_type (struct_type) @class) (map_type (struct_type) @class) (pointer_type (struct_type) @class)
 (array_type (struct_type) @class) (channel_type (struct_type) @class)
 (composite_literal (struct_type) @class) (function_declaration (struct_type) @class)]
(function_declaration name: (_) @outer) (type_spec name: (_) @outer) (type_alias name: (_) @local)
(field_declaration name: (_) @field) (method_declaration name: (_) @method)
${goLiteral('(type_identifier) @owner', 'own')} ${goLiteral('(generic_type type: (type_identifier) @owner)', 'own')}
${goLiteral('(qualified_type)', 'key')} ${goLiteral('(struct_type)', 'key')}
(import_spec) @import.statement (import_spec name: (_) @import) (package_clause (_) @key)
[(selector_expression) (index_expression) (unary_expression)] @unbound
`,
  redeclaration: 'same',
  shared: /^/,
};

export const rust: NameRow = {
  query: `
[(block) (match_arm) (if_expression) (while_expression) (for_expression) (mod_item) (struct_item) (enum_item)
 (trait_item) (type_item)] @block
[(function_item) (closure_expression) (function_signature_item)] @function
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @class
(struct_item name: (_) @name) @class (enum_item name: (_) @name) @class (trait_item name: (_) @name) @class
(let_declaration pattern: (_) @binds) @after (let_condition pattern: (_) @binds) @after
(if_expression alternative: (_) @outside) (for_expression pattern: (_) @binds value: (_) @outside)
(match_arm pattern: (_) @binds)
(parameter pattern: (_) @binds) (closure_parameters (_) @binds)
[(function_item name: (_) @outer) (function_signature_item name: (_) @outer) (mod_item name: (_) @outer)
 (struct_item name: (_) @outer) (enum_item name: (_) @outer) (trait_item name: (_) @outer) (type_item name: (_) @outer)]
[(const_item name: (_) @local) (static_item name: (_) @local) (macro_definition name: (_) @key)]
(macro_invocation macro: (_) @key) (type_parameter name: (_) @local) (lifetime (_) @key) (label (_) @key)
[(impl_item body: (declaration_list (function_item name: (_) @method)))
 (trait_item body: (declaration_list (function_signature_item name: (_) @method)))
 (trait_item body: (declaration_list (function_item name: (_) @method)))]
(field_declaration name: (_) @field) (enum_variant name: (_) @field)
(shorthand_field_initializer (identifier) @shorthand) (shorthand_field_identifier) @shorthand
(struct_expression name: (_) @owner body: (field_initializer_list (shorthand_field_initializer (identifier) @shorthand)))
(struct_pattern type: (_) @owner (field_pattern name: (shorthand_field_identifier) @shorthand))
(use_declaration) @import.statement
[(use_declaration argument: (scoped_identifier name: (_) @import)) (use_list (identifier) @import)
 (use_list (scoped_identifier name: (_) @import)) (use_as_clause alias: (_) @import)]
[(use_as_clause path: (identifier) @origin) (use_as_clause path: (scoped_identifier name: (_) @origin))]
(tuple_struct_pattern type: (_) @unbound) (struct_pattern type: (_) @unbound) (match_pattern condition: (_) @unbound)
(parameter type: (_) @unbound) [(scoped_identifier) (range_pattern)] @unbound
`,
  redeclaration: 'another',
  inString: [/(?<!\{)(?:\{\{)*\{$/, /^[:}]/],
  shared: /^\s*pub\b/,
};
