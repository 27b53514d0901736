// esbuild's options for every program that runs in Node: those of the product (esbuild.mjs) and those of the tests.
export const programOptions = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // Some packages have a UMD file as their "main", which loads other files by a require() that esbuild cannot see.
  mainFields: ['module', 'main'],
  // web-tree-sitter's ES module needs its own URL, which a CommonJS bundle does not have.
  alias: { 'web-tree-sitter': './node_modules/web-tree-sitter/web-tree-sitter.cjs' },
  logLevel: 'warning',
};
