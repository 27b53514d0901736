// The names of JavaScript and TypeScript.
import type { NameRow } from './row.ts';

const scripts = `
(statement_block) @block (for_statement) @block (for_in_statement) @block (catch_clause) @block (switch_body) @block
[(function_declaration) (function_expression) (generator_function_declaration) (generator_function)] @function @rebinds
[(arrow_function) (method_definition)] @function (object (method_definition) @rebinds)
(class_body) @class
(variable_declarator name: (_) @binds)
(variable_declaration (variable_declarator name: (_) @binds.hoisted))
(for_in_statement kind: "var" left: (_) @binds.hoisted)
(for_in_statement kind: ["let" "const"] left: (_) @binds)
(catch_clause parameter: (_) @binds)
(arrow_function parameter: (_) @binds)
[(function_declaration name: (identifier) @outer) (generator_function_declaration name: (identifier) @outer)]
[(function_expression name: (identifier) @local) (generator_function name: (identifier) @local)]
(class_body (method_definition name: (_) @method))
(import_statement) @import.statement
(variable_declarator value: (call_expression function: (identifier) @_r (#eq? @_r "require"))) @import.statement
(variable_declarator value: (await_expression (call_expression function: (import)))) @import.statement
(import_clause (identifier) @import) (namespace_import (identifier) @import)
(import_specifier name: (_) @import !alias) (import_specifier alias: (_) @import) (import_specifier name: (_) @origin alias: (_))
(export_specifier name: (_) @exported !alias) (export_specifier alias: (_) @key)
(export_statement source: (_)) @foreign
(shorthand_property_identifier) @shorthand
(shorthand_property_identifier_pattern) @shorthand
(assignment_pattern right: (_) @unbound) (object_assignment_pattern right: (_) @unbound)
(pair_pattern key: (_) @unbound) (computed_property_name) @unbound
`;
/** A tag in small letters is one of HTML's, not a name that the file declares. */
const jsx = `
([(jsx_opening_element name: (identifier) @key) (jsx_closing_element name: (identifier) @key)
  (jsx_self_closing_element name: (identifier) @key)] (#match? @key "^[a-z]"))
`;
const javascriptOnly = `
(class_declaration name: (_) @local) (class_body (field_definition property: (_) @field))
(formal_parameters [(identifier) (object_pattern) (array_pattern) (assignment_pattern) (rest_pattern)] @binds)
`;
const typescriptOnly = `
[(function_signature) (method_signature) (abstract_method_signature) (function_type) (call_signature)
 (construct_signature) (type_alias_declaration) (interface_declaration) (conditional_type) (mapped_type_clause)] @block
(interface_body) @class (object_type) @class
[(enum_declaration name: (_) @local) (internal_module name: (identifier) @local)]
[(interface_declaration name: (_) @outer) (type_alias_declaration name: (_) @outer) (function_signature name: (_) @outer)]
[(class_declaration) (abstract_class_declaration)] @block
[(class_declaration name: (_) @outer) (abstract_class_declaration name: (_) @outer)]
(type_parameter name: (_) @local) (mapped_type_clause name: (_) @local)
(required_parameter pattern: (_) @binds) (optional_parameter pattern: (_) @binds)
(required_parameter (accessibility_modifier) pattern: (identifier) @field)
(public_field_definition name: (_) @field) (property_signature name: (_) @field)
[(method_signature name: (_) @method) (abstract_method_signature name: (_) @method)]
(enum_body) @class (enum_body (property_identifier) @field @local) (enum_assignment name: (_) @field @local)
(tuple_type (_ name: [(identifier) @key (rest_pattern (identifier) @key)]))
`;
export const javascript: NameRow = { query: scripts + javascriptOnly + jsx, shared: /^\s*export\b/ };

export const typescript: NameRow = { ...javascript, query: scripts + typescriptOnly };

export const tsx: NameRow = { ...javascript, query: scripts + typescriptOnly + jsx };
