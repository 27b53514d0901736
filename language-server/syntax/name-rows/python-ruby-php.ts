// The names of languages in which the first assignment declares a variable.
import type { NameRow } from './row.ts';

export const python: NameRow = {
  query: `
[(function_definition) (lambda) (list_comprehension) (set_comprehension) (dictionary_comprehension)
 (generator_expression)] @function
(class_definition) @class
(function_definition name: (_) @outer) (class_definition name: (_) @outer)
[(class_definition body: (block (function_definition name: (_) @method)))
 (class_definition body: (block (decorated_definition (function_definition name: (_) @method))))]
(function_definition type_parameters: (type_parameter (type [(identifier) @hoisted
  (constrained_type . (type (identifier) @hoisted)) (splat_type (identifier) @hoisted)])))
(class_definition type_parameters: (type_parameter (type [(identifier) @local
  (constrained_type . (type (identifier) @local)) (splat_type (identifier) @local)])))
(parameters (_) @binds.hoisted) (lambda_parameters (_) @binds.hoisted)
[(default_parameter value: (identifier) @enclosing) (typed_default_parameter value: (identifier) @enclosing)]
(assignment left: (_) @binds.hoisted) (augmented_assignment left: (identifier) @hoisted)
(named_expression name: (_) @hoisted)
(for_statement left: (_) @binds.hoisted) (for_in_clause left: (_) @binds.hoisted)
(as_pattern_target (_) @binds.hoisted) (case_pattern (dotted_name . (identifier) @hoisted .))
(keyword_pattern . (identifier) @key) (keyword_pattern (dotted_name . (identifier) @hoisted .))
(class_definition body: (block (expression_statement (assignment left: (identifier) @field))))
((assignment left: (attribute object: (identifier) @_s attribute: (identifier) @field)) (#eq? @_s "self"))
(global_statement (identifier) @outward) (nonlocal_statement (identifier) @outward)
(keyword_argument name: (_) @keyword)
(call function: (_) @owner arguments: (argument_list (keyword_argument name: (_) @keyword)))
[(import_statement) (import_from_statement)] @import.statement
(import_statement name: (dotted_name . (identifier) @import)) (aliased_import alias: (_) @import)
(import_from_statement name: (dotted_name (identifier) @import)) (import_from_statement module_name: (_) @foreign)
(aliased_import name: (dotted_name (identifier) @origin))
[(attribute) (subscript) (call) (type)] @unbound
(default_parameter value: (_) @unbound) (typed_default_parameter value: (_) @unbound)
`,
  bareMembers: 'body',
  isAssigned: true,
  methods: { own: ['self', 'cls'], creates: '__init__' },
  shared: /^\S/,
};

export const ruby: NameRow = {
  query: `
[(method) (singleton_method)] @closed [(block) (do_block) (lambda)] @function
[(class name: (_) @outer) (module name: (_) @outer)] @class
(assignment left: (_) @binds.hoisted) (operator_assignment left: (identifier) @hoisted)
(left_assignment_list (_) @binds.hoisted) (for pattern: (_) @binds.hoisted) (exception_variable (identifier) @hoisted)
[(method_parameters (_) @binds) (block_parameters (_) @binds) (lambda_parameters (_) @binds)]
(method name: (identifier) @method) (singleton_method name: (identifier) @method)
(call method: (identifier) @call) (assignment left: (instance_variable) @field)
[(call) (element_reference)] @unbound (optional_parameter value: (_) @unbound) (keyword_parameter value: (_) @unbound)
`,
  bareMembers: 'everywhere',
  blocksShareLocals: true,
  isAssigned: true,
  shared: /^\S/,
};

export const php: NameRow = {
  query: `
[(function_definition) (method_declaration)] @closed [(anonymous_function) (arrow_function)] @function
[(class_declaration name: (_) @outer) (interface_declaration name: (_) @outer) (trait_declaration name: (_) @outer)
 (enum_declaration name: (_) @outer)] @class (anonymous_class body: (_) @class)
(assignment_expression left: (variable_name) @hoisted) (assignment_expression left: (list_literal (variable_name) @hoisted))
(augmented_assignment_expression left: (variable_name) @hoisted)
[(simple_parameter name: (_) @hoisted) (variadic_parameter name: (_) @hoisted) (catch_clause name: (_) @hoisted)
 (property_promotion_parameter name: (_) @hoisted) (static_variable_declaration name: (_) @hoisted)]
(foreach_statement (_) "as" (variable_name) @hoisted) (foreach_statement (_) "as" (pair (variable_name) @hoisted))
(foreach_statement (_) "as" (pair (variable_name) (variable_name) @hoisted))
(global_declaration (variable_name) @outward) (anonymous_function_use_clause (variable_name) @outward)
(function_definition name: (_) @outer) (method_declaration name: (_) @method)
[(member_call_expression name: (_) @call) (scoped_call_expression name: (_) @call)
 (nullsafe_member_call_expression name: (_) @call) (function_call_expression function: (name) @call)
 (object_creation_expression (name) @call) (named_type (name) @call) (base_clause (name) @call)
 (class_interface_clause (name) @call) (binary_expression "instanceof" right: (name) @call)
 (scoped_call_expression scope: (name) @call) (class_constant_access_expression . (name) @call)]
(declaration_list (const_declaration (const_element . (name) @field))) (enum_case name: (_) @field)
(const_declaration (const_element . (name) @outer @constant))
(property_element name: (_) @unclear) (argument name: (_) @key)
(namespace_use_clause) @import.statement (namespace_use_clause (qualified_name (name) @import))
`,
  hasMethodNames: true,
  isAssigned: true,
  shared: /^\s*(?:(?:abstract|final)\s+)*(?:class|interface|trait|enum|function)\b/,
};
