// The names of C and C++.
import type { NameRow } from './row.ts';

const cQuery = `
[(compound_statement) (for_statement) (if_statement) (while_statement) (switch_statement)] @block
(function_definition) @function
(parameter_declaration declarator: (_) @binds)
(declaration declarator: (_) @binds @after)
(function_definition declarator: (_) @binds.outer)
(struct_specifier body: (_)) @class (union_specifier body: (_)) @class
[(struct_specifier name: (_) @outer body: (_)) (union_specifier name: (_) @outer body: (_))
 (enum_specifier name: (_) @local body: (_)) (type_definition declarator: (type_identifier) @local)]
(enumerator name: (_) @local)
(field_declaration declarator: (_) @binds.field)
[(preproc_def name: (_) @local) (preproc_function_def name: (_) @local)]
(declaration declarator: (function_declarator declarator: (_) @outer)) @block
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @outer))) @block
(declaration declarator:
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (_) @outer)))) @block
(field_declaration declarator: (function_declarator)) @block
(preproc_include) @import.statement
(init_declarator value: (_) @unbound) (array_declarator size: (_) @unbound)
(function_declarator parameters: (_) @unbound) (bitfield_clause) @unbound
`;
const cppOnly = `
(for_range_loop declarator: (_) @binds right: (_) @outside) @block (lambda_expression) @function (catch_clause) @block
(optional_parameter_declaration declarator: (_) @binds) (variadic_parameter_declaration declarator: (_) @binds)
(class_specifier name: (_) @outer body: (_)) @class
(namespace_definition name: (_) @outer @name) @block
(alias_declaration name: (_) @local) (template_declaration) @header
(template_declaration [(alias_declaration name: (_) @outer)
  (declaration declarator: (init_declarator declarator: (identifier) @outer))])
(type_parameter_declaration (type_identifier) @local) (optional_type_parameter_declaration name: (_) @local)
(variadic_type_parameter_declaration (type_identifier) @local)
(function_declarator declarator: (field_identifier) @method)
[(field_declaration_list (function_definition declarator: (function_declarator declarator: (identifier) @use)))
 (field_declaration_list (declaration declarator: (function_declarator declarator: (identifier) @use)))]
((qualified_identifier scope: [(namespace_identifier) @_class (template_type name: (_) @_class)]
  name: (identifier) @constructor) (#eq? @constructor @_class))
(field_initializer (field_identifier) @own)
[(qualified_identifier) (template_function) (destructor_name)] @unbound
`;

export const c: NameRow = { query: cQuery, shared: /^(?!\s*static\b)\S/ };

export const cpp: NameRow = { ...c, query: cQuery + cppOnly, bareMembers: 'everywhere', hasOverloads: true };
