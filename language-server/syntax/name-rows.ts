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
const javascript: NameRow = { query: scripts + javascriptOnly + jsx, shared: /^\s*export\b/ };

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

const c: NameRow = { query: cQuery, shared: /^(?!\s*static\b)\S/ };

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

/** By the name of the grammar. */
export const nameRows: Readonly<Record<string, NameRow>> = {
  javascript,
  typescript: { ...javascript, query: scripts + typescriptOnly },
  tsx: { ...javascript, query: scripts + typescriptOnly + jsx },
  python: {
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
  },
  go: {
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
  },
  rust: {
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
  },
  java: {
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
  },
  c_sharp: {
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
  },
  c,
  cpp: { ...c, query: cQuery + cppOnly, bareMembers: 'everywhere', hasOverloads: true },
  ruby: {
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
  },
  php: {
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
  },
  kotlin: {
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
  },
};
