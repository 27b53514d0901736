// A row for each language whose syntax is known: what trees.ts and those who read a tree need to know of its grammar. A
// language that has no row is completed by lines and brackets. README.md says how to add one.

export interface Grammar {
  /** The name of the grammar: dist/grammars/tree-sitter-NAME.wasm. */
  readonly name: string;
  /** The types of nodes that hold things of one kind, one after the other: statements, members, cases, entries. */
  readonly lists: ReadonlySet<string>;
  /** The types of nodes that are functions, with their bodies. */
  readonly functions: ReadonlySet<string>;
  /** The words that close a block; none if brackets or indentation do. */
  readonly closers: readonly string[];
  /** Whether sound documents have errors, too (macros, templates), so that only those near a place tell something of it. */
  readonly isLenient: boolean;
  /** What the grammar cannot cope with; null: nothing. A text with it has no tree. */
  readonly refused: RegExp | null;
}

type More = Partial<Omit<Grammar, 'name' | 'lists' | 'functions'>>;

function grammar(name: string, lists: string, functions = '', more: More = {}): Grammar {
  const [ofLists, ofFunctions] = [lists, functions].map((types) => new Set(types.split(' ').filter(Boolean)));
  return { name, lists: ofLists!, functions: ofFunctions!, closers: [], isLenient: false, refused: null, ...more };
}

const script =
  'program statement_block class_body class_static_block switch_body switch_case switch_default object object_pattern array';
const scriptFunctions =
  'function_declaration generator_function_declaration method_definition function_expression arrow_function';
const typed = `${script} interface_body object_type enum_body`;
const cFamily =
  'translation_unit declaration_list compound_statement field_declaration_list enumerator_list case_statement initializer_list';
const lenient: More = { isLenient: true };
const end: More = { closers: ['end'] };

const javascript = grammar('javascript', `${script} jsx_element`, scriptFunctions);
const json = grammar('json', 'document object array');
const terraform = grammar('terraform', 'config_file body object tuple');
const yaml = grammar('yaml', 'stream document block_mapping block_sequence flow_mapping flow_sequence', '', {
  isLenient: true,
  // It has room for some 250 levels and does not look whether there are more. Each needs a column of its own.
  refused: /^(?:[^\n\t ?:-]*[\t ?:-]){200}/m,
});

const rows: Readonly<Record<string, Grammar>> = {
  typescript: grammar('typescript', typed, scriptFunctions),
  typescriptreact: grammar('tsx', `${typed} jsx_element`, scriptFunctions),
  javascript,
  javascriptreact: javascript,
  python: grammar('python', 'module block dictionary list set', 'function_definition'),
  go: grammar(
    'go',
    'source_file block statement_list import_spec_list var_spec_list const_declaration field_declaration_list interface_type expression_switch_statement type_switch_statement select_statement expression_case default_case type_case communication_case literal_value',
    'function_declaration method_declaration func_literal',
  ),
  java: grammar(
    'java',
    'program block class_body interface_body enum_body enum_body_declarations annotation_type_body constructor_body module_body switch_block switch_block_statement_group array_initializer',
    'method_declaration constructor_declaration compact_constructor_declaration',
  ),
  rust: grammar(
    'rust',
    'source_file block declaration_list enum_variant_list field_declaration_list field_initializer_list match_block use_list array_expression',
    'function_item',
  ),
  c: grammar('c', cFamily, 'function_definition', lenient),
  cpp: grammar('cpp', cFamily, 'function_definition', lenient),
  csharp: grammar(
    'c_sharp',
    'compilation_unit block declaration_list enum_member_declaration_list accessor_list switch_body switch_section initializer_expression',
    'method_declaration constructor_declaration destructor_declaration local_function_statement',
  ),
  ruby: grammar(
    'ruby',
    'program body_statement block_body then else ensure begin do_block block class module case hash array',
    'method singleton_method',
    end,
  ),
  php: grammar(
    'php',
    'program compound_statement declaration_list enum_declaration_list colon_block switch_block match_block case_statement default_statement array_creation_expression',
    'function_definition method_declaration anonymous_function',
  ),
  html: grammar('html', 'document element', '', lenient),
  css: grammar('css', 'stylesheet block keyframe_block_list'),
  lua: grammar('lua', 'chunk block table_constructor', 'function_declaration function_definition', end),
  kotlin: grammar(
    'kotlin',
    'source_file block class_body enum_class_body function_body lambda_literal when_expression',
    'function_declaration secondary_constructor',
  ),
  scala: grammar(
    'scala',
    'compilation_unit template_body with_template_body enum_body block indented_block case_block indented_cases',
    'function_definition',
  ),
  swift: grammar(
    'swift',
    'source_file statements class_body enum_class_body protocol_body computed_property switch_entry array_literal dictionary_literal',
    'function_declaration init_declaration deinit_declaration',
  ),
  dart: grammar(
    'dart',
    'program block class_body extension_body enum_body switch_block list_literal set_or_map_literal',
    'lambda_expression local_function_declaration',
  ),
  elixir: grammar('elixir', 'source do_block after_block rescue_block catch_block else_block body map list', '', end),
  r: grammar('r', 'program braced_expression', 'function_definition'),
  powershell: grammar(
    'powershell',
    'program statement_block script_block script_block_body statement_list switch_body hash_literal_body',
    'function_statement class_method_definition',
  ),
  yaml,
  dockercompose: yaml,
  toml: grammar('toml', 'document table table_array_element array inline_table'),
  terraform,
  hcl: terraform,
  makefile: grammar('make', 'makefile recipe', '', lenient),
  json,
  jsonc: json,
  shellscript: grammar(
    'bash',
    'program do_group compound_statement case_statement case_item if_statement',
    'function_definition',
    { closers: ['fi', 'done', 'esac', '}'] },
  ),
  zig: grammar(
    'zig',
    'source_file block struct_declaration enum_declaration union_declaration initializer_list',
    'function_declaration',
  ),
};

/** null: the syntax of the language is not known. */
export function grammarOf(languageId: string): Grammar | null {
  return Object.hasOwn(rows, languageId) ? (rows[languageId] ?? null) : null;
}

export const languageIds: readonly string[] = Object.keys(rows);
