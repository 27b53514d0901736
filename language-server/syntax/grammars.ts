// A row for each language whose syntax is known: what trees.ts and those who read a tree need to know of its grammar. A
// language that has no row is completed by lines and brackets. README.md says how to add one.

export interface Grammar {
  /** The name of the grammar: dist/grammars/tree-sitter-NAME.wasm. */
  readonly name: string;
  /** The types of nodes that hold things of one kind, one after the other: statements, members, cases, entries. */
  readonly lists: ReadonlySet<string>;
  /** The words that close a block; none if brackets or indentation do. */
  readonly closers: readonly string[];
  /** Whether sound documents have errors, too (macros, templates), so that only those near a place tell something of it. */
  readonly isLenient: boolean;
  /** What the grammar cannot cope with; null: nothing. A text with it has no tree. */
  readonly refused: RegExp | null;
}

function grammar(name: string, lists: string, more: Partial<Omit<Grammar, 'name' | 'lists'>> = {}): Grammar {
  return { name, lists: new Set(lists.split(' ')), closers: [], isLenient: false, refused: null, ...more };
}

const script =
  'program statement_block class_body class_static_block switch_body switch_case switch_default object object_pattern array';
const typed = `${script} interface_body object_type enum_body`;
const cFamily =
  'translation_unit declaration_list compound_statement field_declaration_list enumerator_list case_statement initializer_list';

const javascript = grammar('javascript', `${script} jsx_element`);
const json = grammar('json', 'document object array');
const yaml = grammar('yaml', 'stream document block_mapping block_sequence flow_mapping flow_sequence', {
  isLenient: true,
  // It has room for some 250 levels and does not look whether there are more. Each needs a column of its own.
  refused: /^(?:[^\n\t ?:-]*[\t ?:-]){200}/m,
});

const rows: Readonly<Record<string, Grammar>> = {
  typescript: grammar('typescript', typed),
  typescriptreact: grammar('tsx', `${typed} jsx_element`),
  javascript,
  javascriptreact: javascript,
  python: grammar('python', 'module block dictionary list set'),
  go: grammar(
    'go',
    'source_file block statement_list import_spec_list var_spec_list const_declaration field_declaration_list interface_type expression_switch_statement type_switch_statement select_statement expression_case default_case type_case communication_case literal_value',
  ),
  java: grammar(
    'java',
    'program block class_body interface_body enum_body enum_body_declarations annotation_type_body constructor_body module_body switch_block switch_block_statement_group array_initializer',
  ),
  rust: grammar(
    'rust',
    'source_file block declaration_list enum_variant_list field_declaration_list field_initializer_list match_block use_list array_expression',
  ),
  c: grammar('c', cFamily, { isLenient: true }),
  cpp: grammar('cpp', cFamily, { isLenient: true }),
  csharp: grammar(
    'c_sharp',
    'compilation_unit block declaration_list enum_member_declaration_list accessor_list switch_body switch_section initializer_expression',
  ),
  ruby: grammar(
    'ruby',
    'program body_statement block_body then else ensure begin do_block block class module case hash array',
    { closers: ['end'] },
  ),
  php: grammar(
    'php',
    'program compound_statement declaration_list enum_declaration_list colon_block switch_block match_block case_statement default_statement array_creation_expression',
  ),
  html: grammar('html', 'document element', { isLenient: true }),
  css: grammar('css', 'stylesheet block keyframe_block_list'),
  lua: grammar('lua', 'chunk block table_constructor', { closers: ['end'] }),
  kotlin: grammar(
    'kotlin',
    'source_file block class_body enum_class_body function_body lambda_literal when_expression',
  ),
  scala: grammar(
    'scala',
    'compilation_unit template_body with_template_body enum_body block indented_block case_block indented_cases',
  ),
  elixir: grammar('elixir', 'source do_block after_block rescue_block catch_block else_block body map list', {
    closers: ['end'],
  }),
  r: grammar('r', 'program braced_expression'),
  powershell: grammar(
    'powershell',
    'program statement_block script_block script_block_body statement_list switch_body hash_literal_body',
  ),
  yaml,
  dockercompose: yaml,
  toml: grammar('toml', 'document table table_array_element array inline_table'),
  json,
  jsonc: json,
  shellscript: grammar('bash', 'program do_group compound_statement case_statement case_item if_statement', {
    closers: ['fi', 'done', 'esac', '}'],
  }),
  zig: grammar('zig', 'source_file block struct_declaration enum_declaration union_declaration initializer_list'),
};

/** null: the syntax of the language is not known. */
export function grammarOf(languageId: string): Grammar | null {
  return Object.hasOwn(rows, languageId) ? (rows[languageId] ?? null) : null;
}

export const languageIds: readonly string[] = Object.keys(rows);
