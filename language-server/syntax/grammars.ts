// A row for each language whose syntax we know: what the code that reads the trees must know about the grammar. In a
// language without a row, completion goes by lines and brackets. README.md says how to add a row.
import type { Node } from 'web-tree-sitter';

export interface Grammar {
  /** The name of the grammar: dist/grammars/tree-sitter-NAME.wasm. */
  readonly name: string;
  /** The types of nodes that are lists: their children are statements, members, cases or entries. */
  readonly lists: ReadonlySet<string>;
  /** The types of nodes that are whole functions, including their bodies. */
  readonly functions: ReadonlySet<string>;
  /** The words that can close a block; empty if brackets or indentation do. */
  readonly closers: readonly string[];
  /**
   * A statement that is valid in a block. It is inserted below some text to test whether the text is a block's head.
   */
  readonly statement: string;
  /**
   * If indentation makes blocks: matches lines that can be the head of a block. null: brackets or words make blocks.
   */
  readonly heads: RegExp | null;
  /**
   * By node type: tests whether such a node, although the grammar accepts it, must be only the first half of something.
   */
  readonly halves: Readonly<Record<string, (node: Node) => boolean>>;
  /**
   * Elements as in HTML. containers: the names of those whose content has lines of its own. voids: the names of those
   * that have no content. null: the language has no elements.
   */
  readonly elements: { readonly containers: ReadonlySet<string>; readonly voids: ReadonlySet<string> } | null;
  /**
   * Whether a comma follows the last element of a list. 'wanted': it must if the closer is on a later line. 'free': it
   * may. 'refused': it must not if the closer is a parenthesis.
   */
  readonly lastComma: 'wanted' | 'free' | 'refused';
  /** The spaces per level, for documents whose lines do not show the indentation; 0 means a tab. */
  readonly indent: number;
  /** Whether sound documents can have faults, too (macros, templates). Then only faults near a change count. */
  readonly isLenient: boolean;
  /** Matches text that the grammar cannot parse safely, so that the document gets no tree; null: none. */
  readonly refused: RegExp | null;
}

// Tests for `halves`.

/** `try` with its block and nothing after it. */
const lacksHandler = ({ namedChildCount }: Node) => namedChildCount === 1;
/** `constructor` without parameters, which is parsed as a field. */
const isConstructor = ({ text }: Node) => text === 'constructor';
/** An attribute or decorator with nothing after it. */
const isLast = ({ nextNamedSibling }: Node) => nextNamedSibling === null;
/** `go` or `defer` in Go, without the call that it needs. */
const lacksCall = ({ lastChild }: Node) => lastChild?.type !== 'call_expression';
/** The last element of a list in Go, without the comma that it needs if the closer is on a later line. */
const lacksComma = ({ nextSibling, endPosition, parent }: Node) =>
  parent?.type === 'literal_value' && nextSibling?.type === '}' && nextSibling.startPosition.row > endPosition.row;

const defaults: Omit<Grammar, 'name' | 'lists' | 'functions'> = {
  closers: [],
  statement: 'x()',
  heads: null,
  halves: {
    try_statement: lacksHandler,
    decorator: isLast,
    attribute_item: isLast,
    public_field_definition: isConstructor,
    field_definition: isConstructor,
  },
  elements: null,
  lastComma: 'free',
  indent: 4,
  isLenient: false,
  refused: null,
};

function grammar(name: string, lists: string, functions: string, more: Partial<Grammar> = {}): Grammar {
  return { ...defaults, name, lists: words(lists), functions: words(functions), ...more };
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' ').filter(Boolean));
}

const elements = {
  containers: words(
    'article aside body details div dl fieldset figure footer form head header html main menu nav ol picture script section select style svg table tbody template tfoot thead tr ul',
  ),
  voids: words('area base br col embed hr img input link meta source track wbr'),
};

const scriptLists =
  'program statement_block class_body class_static_block switch_body switch_case switch_default object object_pattern array';
const scriptFunctions =
  'function_declaration generator_function_declaration method_definition function_expression arrow_function';
const typescriptLists = `${scriptLists} interface_body object_type enum_body`;
const cLists =
  'translation_unit declaration_list compound_statement field_declaration_list enumerator_list case_statement initializer_list';

const javascript = grammar('javascript', `${scriptLists} jsx_element`, scriptFunctions, { indent: 2, elements });
const json = grammar('json', 'document object array', '', { indent: 2 });
const terraform = grammar('terraform', 'config_file body object tuple', '', { indent: 2 });
const yaml = grammar('yaml', 'stream document block_mapping block_sequence flow_mapping flow_sequence', '', {
  indent: 2,
  isLenient: true,
  heads: /(?:[:-]|[|>][+-]?)\s*$/,
  // The grammar has room for some 250 levels and does not check whether there are more. Each level takes a column, so
  // we refuse lines that might begin 200 of them.
  refused: /^(?:[^\n\t ?:-]*[\t ?:-]){200}/m,
});

const html = grammar('html', 'document element', '', { indent: 2, isLenient: true, elements });

const rows: Readonly<Record<string, Grammar>> = {
  typescript: grammar('typescript', typescriptLists, scriptFunctions, { indent: 2 }),
  typescriptreact: grammar('tsx', `${typescriptLists} jsx_element`, scriptFunctions, { indent: 2, elements }),
  javascript,
  javascriptreact: javascript,
  python: grammar('python', 'module block dictionary list set', 'function_definition', { heads: /:\s*$/ }),
  go: grammar(
    'go',
    'source_file block statement_list import_spec_list var_spec_list const_declaration field_declaration_list interface_type expression_switch_statement type_switch_statement select_statement expression_case default_case type_case communication_case literal_value',
    'function_declaration method_declaration func_literal',
    {
      indent: 0,
      lastComma: 'wanted',
      halves: {
        defer_statement: lacksCall,
        go_statement: lacksCall,
        literal_element: lacksComma,
        keyed_element: lacksComma,
      },
    },
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
  c: grammar('c', cLists, 'function_definition', { isLenient: true }),
  cpp: grammar('cpp', cLists, 'function_definition', { isLenient: true }),
  csharp: grammar(
    'c_sharp',
    'compilation_unit block declaration_list enum_member_declaration_list accessor_list switch_body switch_section initializer_expression',
    'method_declaration constructor_declaration destructor_declaration local_function_statement',
  ),
  ruby: grammar(
    'ruby',
    'program body_statement block_body then else ensure begin do_block block class module case hash array',
    'method singleton_method',
    { closers: ['end'], indent: 2 },
  ),
  php: grammar(
    'php',
    'program compound_statement declaration_list enum_declaration_list colon_block switch_block match_block case_statement default_statement array_creation_expression',
    'function_definition method_declaration anonymous_function',
  ),
  html,
  astro: html,
  handlebars: html,
  svelte: html,
  xml: grammar('html', 'document element', '', {
    indent: 2,
    isLenient: true,
    elements: { ...elements, voids: new Set() },
    // The grammar is HTML's: it allows no content in HTML's void elements, and no declarations.
    refused: new RegExp(
      `<(?:${[...elements.voids].join('|')})\\b(?![^<>]*/>)|<!(?:ATTLIST|ELEMENT|ENTITY|NOTATION)\\b`,
    ),
  }),
  css: grammar('css', 'stylesheet block keyframe_block_list', '', { indent: 2 }),
  lua: grammar('lua', 'chunk block table_constructor', 'function_declaration function_definition', {
    closers: ['end'],
    indent: 2,
  }),
  kotlin: grammar(
    'kotlin',
    'source_file block class_body enum_class_body function_body lambda_literal when_expression',
    'function_declaration secondary_constructor',
  ),
  scala: grammar(
    'scala',
    'compilation_unit template_body with_template_body enum_body block indented_block case_block indented_cases',
    'function_definition',
    { indent: 2 },
  ),
  swift: grammar(
    'swift',
    'source_file statements class_body enum_class_body protocol_body computed_property switch_entry array_literal dictionary_literal',
    'function_declaration init_declaration deinit_declaration',
    { lastComma: 'refused' },
  ),
  dart: grammar(
    'dart',
    'program block class_body extension_body enum_body switch_block list_literal set_or_map_literal',
    'lambda_expression local_function_declaration',
    { indent: 2 },
  ),
  elixir: grammar('elixir', 'source do_block after_block rescue_block catch_block else_block body map list', '', {
    closers: ['end'],
    indent: 2,
  }),
  r: grammar('r', 'program braced_expression', 'function_definition', { indent: 2, lastComma: 'refused' }),
  julia: grammar(
    'julia',
    'source_file module_definition function_definition macro_definition struct_definition if_statement elseif_clause else_clause for_statement while_statement try_statement catch_clause finally_clause let_statement compound_statement quote_statement do_clause vector_expression tuple_expression',
    'function_definition macro_definition',
    { closers: ['end'] },
  ),
  powershell: grammar(
    'powershell',
    'program statement_block script_block script_block_body statement_list switch_body hash_literal_body',
    'function_statement class_method_definition',
  ),
  yaml,
  dockercompose: yaml,
  toml: grammar('toml', 'document table table_array_element array inline_table', '', { indent: 2 }),
  terraform,
  hcl: terraform,
  makefile: grammar('make', 'makefile recipe', '', { indent: 0, isLenient: true }),
  json,
  jsonc: json,
  shellscript: grammar(
    'bash',
    'program do_group compound_statement case_statement if_statement',
    'function_definition',
    {
      closers: ['fi', 'done', 'esac', '}'],
      statement: 'x',
      indent: 2,
    },
  ),
  zig: grammar(
    'zig',
    'source_file block struct_declaration enum_declaration union_declaration initializer_list',
    'function_declaration',
  ),
};

/** The grammar of a language; null: its syntax is not known. */
export function grammarOf(languageId: string): Grammar | null {
  return Object.hasOwn(rows, languageId) ? (rows[languageId] ?? null) : null;
}

export const languageIds: readonly string[] = Object.keys(rows);

/** Matches lines so common that code normally repeats them. */
export const trivialLine =
  /^(?:\W*|@[\w.]+|<\/[\w.:-]*>\W*|#\[.*|break;?|continue;?|return(?: [\w.-]+)?;?|pass|else:?|end|try:?|fi|done|do|then|default:)$/;

// Tests for the type of a node, for all grammars.

export const isComment = (type: string) => /comment/.test(type);
export const isString = (type: string) =>
  /string|char_literal|character_literal|heredoc|quoted_|attribute_value|rune_literal/.test(type) &&
  !/concatenated/.test(type);

/** Whether it is code inside a string or markup. */
export const isInterpolation = (type: string) => /interpolation|substitution|expansion|jsx_expression/.test(type);

/** Whether it is an attribute, annotation or decorator, which belongs to the declaration after it. */
export const isAttribute = (type: string) => /attribute_(?:item|list)|(?<!type_)annotation|decorator/.test(type);

export const isName = (type: string) => /identifier|name/.test(type);

/** Whether the braces of such a node contain values, a pattern or a list of names, instead of statements or members. */
export const isValue = (type: string) =>
  /object(?!_type)|dict|array|(?<!lambda_)literal|initializer|hash$|^table|pattern|^map|tuple|named_imports|export_clause|interpolation|substitution|expression$(?<!lambda_expression)|^set|argument|_list$(?<!declaration_list)(?<!variant_list)(?<!enumerator_list)(?<!statement_list)/.test(
    type,
  );
