// The names of Java, C# and Kotlin.
import type { NameRow } from './row.ts';

export const java: NameRow = {
  query: `
[(block) (constructor_body) (for_statement) (enhanced_for_statement) (try_with_resources_statement) (catch_clause)
 (switch_block)] @block
[(method_declaration) (constructor_declaration) (lambda_expression)] @function
[(class_declaration name: (_) @outer) (interface_declaration name: (_) @outer) (enum_declaration name: (_) @outer)
 (record_declaration name: (_) @outer)] @class
(object_creation_expression (class_body) @class) (enum_constant body: (class_body) @class)
(local_variable_declaration declarator: (variable_declarator name: (_) @local))
(field_declaration declarator: (variable_declarator name: (_) @field)) (enum_constant name: (_) @field)
[(formal_parameter name: (_) @local) (spread_parameter (variable_declarator name: (_) @local))
 (catch_formal_parameter name: (_) @local) (enhanced_for_statement name: (_) @local) (resource name: (_) @local)
 (inferred_parameters (identifier) @local) (lambda_expression parameters: (identifier) @local)
 (instanceof_expression name: (_) @local) (type_pattern (identifier) @local)]
(record_declaration parameters: (formal_parameters (formal_parameter name: (_) @field)))
(method_declaration name: (_) @method)
(method_invocation name: (_) @call) (type_parameter (type_identifier) @local)
(element_value_pair key: (_) @key) (labeled_statement . (identifier) @key) (break_statement (identifier) @key)
(import_declaration) @import.statement (import_declaration (scoped_identifier name: (_) @import))
(package_declaration (_) @foreign)
`,
  bareMembers: 'everywhere',
  hasOverloads: true,
  hasMethodNames: true,
  shared: /^\s*(?:(?:public|abstract|final|sealed|static)\s+)*(?:class|interface|enum|record)\b/,
};

export const csharp: NameRow = {
  query: `
[(block) (for_statement) (foreach_statement) (using_statement) (catch_clause) (switch_section) (switch_expression_arm)
 (namespace_declaration name: (_) @name)] @block
[(method_declaration) (constructor_declaration) (lambda_expression) (local_function_statement) (accessor_declaration)
 (anonymous_method_expression)] @function
[(class_declaration name: (_) @outer @name) (struct_declaration name: (_) @outer @name)
 (interface_declaration name: (_) @outer @name) (record_declaration name: (_) @outer @name)
 (enum_declaration name: (_) @outer @name)] @class
(variable_declarator name: (_) @local) (variable_declarator (tuple_pattern (_) @binds))
(field_declaration (variable_declaration (variable_declarator name: (_) @field)))
(property_declaration name: (_) @field) (enum_member_declaration name: (_) @field)
[(parameter name: (_) @local) (implicit_parameter) @local (foreach_statement left: (identifier) @local)
 (catch_declaration name: (_) @local) (declaration_pattern name: (_) @local) (declaration_expression name: (_) @local)
 (type_parameter name: (_) @local)]
(record_declaration (parameter_list (parameter name: (_) @field)))
(method_declaration name: (_) @method)
(local_function_statement name: (_) @outer)
(argument name: (_) @key) (initializer_expression (assignment_expression left: (identifier) @key))
(object_creation_expression type: [(identifier) @owner (generic_name (identifier) @owner)]
  initializer: (initializer_expression (assignment_expression left: (identifier) @own)))
(with_initializer . (identifier) @key)
(anonymous_object_creation_expression (identifier) @key . "=")
(anonymous_object_creation_expression ["{" ","] . (identifier) @unclear . ["," "}"])
(using_directive) @import.statement (using_directive name: (_) @import)
`,
  bareMembers: 'everywhere',
  hasOverloads: true,
  shared: /^\s*(?:(?:public|internal|abstract|sealed|static|partial)\s+)*(?:class|interface|enum|record|struct)\b/,
};

export const kotlin: NameRow = {
  query: `
[(block) (for_statement) (when_expression) (when_entry) (catch_block)] @block
[(function_declaration) (lambda_literal) (anonymous_function) (secondary_constructor)] @function
[(class_declaration name: (_) @outer) (object_declaration name: (_) @outer)] @class
(object_literal (class_body) @class) (enum_entry (class_body) @class)
(variable_declaration (identifier) @local) (for_statement "in" . (_) @outside)
[(class_body (property_declaration (variable_declaration (identifier) @field)))
 (class_parameter ["val" "var"] . (identifier) @field)]
(enum_entry . (identifier) @field)
(class_parameter (identifier) @local) (parameter . (identifier) @local) (catch_block . (identifier) @local)
(function_declaration name: (_) @outer) (class_body (function_declaration name: (_) @method))
(function_declaration (user_type) . name: (_) @method)
(type_parameter (identifier) @local) (value_argument . (identifier) @key "=")
((labeled_expression . (label) @_l . (identifier) @key) (#match? @_l "^(break|continue)@"))
(return_expression "return@" . (identifier) @call)
(import) @import.statement (import (qualified_identifier (identifier) @import .)) (package_header (_) @foreign)
`,
  bareMembers: 'everywhere',
  hasOverloads: true,
  inString: [/(?<!\\)(?:\\\\)*\$$/, /^/],
  shared:
    /^\s*(?:(?:public|internal|open|abstract|data|sealed|inline|suspend)\s+)*(?:class|interface|object|fun|val|var)\b/,
};
