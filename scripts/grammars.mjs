// The grammars of language-server/syntax/ and their runtime: files of npm packages, each with its SHA-256 digest. The
// build copies them to dist/grammars/ and refuses a file with another digest.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root, ToolError } from './tools.mjs';

const digests = {
  '@davisvaughan/tree-sitter-r/tree-sitter-r.wasm': 'a39d2e71bd39c29bb7f144a03f41d6d9f0099fede4110c696dc0715a62c9fbe1',
  '@repomix/tree-sitter-wasms/out/tree-sitter-dart.wasm':
    '2346f891b73e741b35d33be6cc450ec6b471cf42e80515182f8fa89dc479fd69',
  '@repomix/tree-sitter-wasms/out/tree-sitter-swift.wasm':
    'd084eceba50e9a83319f5d171051b53179bd22b6ea6419014900c602d52cfa28',
  '@tree-sitter-grammars/tree-sitter-hcl/tree-sitter-terraform.wasm':
    '0d9ef3ae926acc0411bfecba9b34df4ea659061917b96455570a45a70824e890',
  'tree-sitter-make/tree-sitter-make.wasm': '1254d1e5787be8bb944d55d1f6552b6b2b7908272ed498013bfdc07bd7d042dd',
  '@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm':
    '7009d69453bc8735e438b2818a633efb21c88f99782769abba60dffedfab73f7',
  '@tree-sitter-grammars/tree-sitter-lua/tree-sitter-lua.wasm':
    '6d95607fc7d78964cfdf065ccb1ba76be5ed217c5ec0d0a3cace13c59fa1ae43',
  '@tree-sitter-grammars/tree-sitter-toml/tree-sitter-toml.wasm':
    '1ac6a83826c35a68857f8325e00c78f6bcbef4eb6db3931a6cf3041f76e5e09f',
  '@tree-sitter-grammars/tree-sitter-yaml/tree-sitter-yaml.wasm':
    'e752dc21c3591df9b45692fe417d101f45d1828c28c44d79005f4066dc7e4e91',
  '@tree-sitter-grammars/tree-sitter-zig/tree-sitter-zig.wasm':
    '54b3b83dd9c62da5815f06132bc3fc914d9dcc780370b32416446a0b7969e8c6',
  'tree-sitter-bash/tree-sitter-bash.wasm': '8292919c88a0f7d3fb31d0cd0253ca5a9531bc1ede82b0537f2c63dd8abe6a7a',
  'tree-sitter-c-sharp/tree-sitter-c_sharp.wasm': '6f69e1cae44e1c32c1eccc170dc5a9778fb94ff716f71113fe1f8c4299aa2f40',
  'tree-sitter-c/tree-sitter-c.wasm': 'c852c2a85ebf2beb636aa3b0ef7f7e70458684d74f6741b20dcb296885bed9f9',
  'tree-sitter-cpp/tree-sitter-cpp.wasm': '174eb0deb75b2ec7881bcacda9f995648d8e683956e5c2267e69ab6dc503fcbf',
  'tree-sitter-css/tree-sitter-css.wasm': '8a23977fe271357cce6f254ef88c9bebf3854602d8046605aef6a45c02135c59',
  'tree-sitter-elixir/tree-sitter-elixir.wasm': 'ed99093c548c12d43f7e337fd3440e9e2daa2ec671a5e29aadb6c6dcb2232a62',
  'tree-sitter-go/tree-sitter-go.wasm': '9504573f352b20be7f2f1911754d710622aedc15afff16d5ed8fb5645681aee7',
  'tree-sitter-html/tree-sitter-html.wasm': 'c48fcd82c7ea8bf943180088ba7f28c48b2bb5287874179168bf9d31e394cf85',
  'tree-sitter-java/tree-sitter-java.wasm': '4fdeac4ca6ca089f06c6f7e562abcac1733cd465728cc7031ebb73c2019122c4',
  'tree-sitter-javascript/tree-sitter-javascript.wasm':
    '5fb488d0cabb4775a594bab85682de5ad6ce83c0d6ac997a9f82dd084d571240',
  'tree-sitter-json/tree-sitter-json.wasm': 'd2119fb98d5912719b13f9458574f8608d2d29dfbe45f6be1f860ea1fe2a2405',
  'tree-sitter-julia/tree-sitter-julia.wasm': 'e0f52c36eadf0299e46fccd6715c760d35eaa3f09721bec38633da551ac9e781',
  'tree-sitter-php/tree-sitter-php.wasm': 'd4df6a6ff08c87c3ec4f9cbb785fe09998a0cb570e03f57d7b19b3acfb146aa7',
  'tree-sitter-powershell/tree-sitter-powershell.wasm':
    '796124137f0500e59713fd9dccda6812ff73d25f22e33430b1c5af6e132efa5e',
  'tree-sitter-python/tree-sitter-python.wasm': '16108b50df4ee9a30168794252ab55e7c93bfc5765d7fa0aa3e335752c515f47',
  'tree-sitter-ruby/tree-sitter-ruby.wasm': '09a96427d7c72f0613ed470cd9812223fc4a91d6a9c025c0235cc6bd59ff96f4',
  'tree-sitter-rust/tree-sitter-rust.wasm': 'f65f354215611fd94ad34134b3427eb3d58cbb745df7b6509ba722184db73d57',
  'tree-sitter-scala/tree-sitter-scala.wasm': 'b7ec2bb29c19827abcefd18ed5cb5a43596009f96a5d53c5b9d1f9676d7521c3',
  'tree-sitter-typescript/tree-sitter-tsx.wasm': '79e5da75ea62855a0cd67177685f0164eac87d5f630b3cbe1e0a099751ad30f8',
  'tree-sitter-typescript/tree-sitter-typescript.wasm':
    '778025db5a8be0e70f8ccc3671e486dfeddd048c25d9e8a70c26de2e1bf6f97d',
  'web-tree-sitter/web-tree-sitter.wasm': '488beeff7adb7fd7e21e97cc29a43dc6d031977755eda892d6d96c7f456cfdec',
};

/** These grammars come from a package with many grammars. Their licences come from their own packages. */
const licences = ['tree-sitter-dart/LICENSE', 'tree-sitter-swift/LICENSE'];

/** The files that ship from npm packages, relative to the root. */
export const grammarSources = [...Object.keys(digests), ...licences].map((file) => `node_modules/${file}`);
/** The paths to which the build copies the grammars. */
export const grammarFiles = Object.keys(digests).map((file) => `dist/grammars/${basename(file)}`);

/** Copies the grammars to dist/grammars/. Throws a ToolError for a file with another digest. */
export function copyGrammars(wanted = digests) {
  const folder = join(root, 'dist/grammars');
  mkdirSync(folder, { recursive: true });
  for (const [file, digest] of Object.entries(wanted)) {
    const bytes = readFileSync(join(root, 'node_modules', file));
    const found = createHash('sha256').update(bytes).digest('hex');
    if (found !== digest)
      throw new ToolError(`node_modules/${file} has the digest ${found}, but scripts/grammars.mjs lists ${digest}`);
    const copy = join(folder, basename(file));
    if (!existsSync(copy) || !readFileSync(copy).equals(bytes)) writeFileSync(copy, bytes);
  }
}
