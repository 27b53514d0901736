// What esbuild is told about every program that runs in Node: the products' (esbuild.mjs) and the tests'.
export const programOptions = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // The UMD files that some packages name as their "main" find their other files by a require() that esbuild cannot see.
  mainFields: ['module', 'main'],
  // Its module for ES asks for its own URL, which a bundle in CommonJS does not have.
  alias: { 'web-tree-sitter': './node_modules/web-tree-sitter/web-tree-sitter.cjs' },
  logLevel: 'warning',
};
