// `npm run test:real -- FILE.gguf`: compares Hearth with llama.cpp on one model file, as people use it, in one run.
//
//   npm run test:real -- FILE                       everything; about 15 minutes for the 1.5B
//   npm run test:real -- FILE --only tokenizer,logits           what must be equal: tokenizer, logits, greedy, template,
//                                                   explain, fim; the figures: speed, typing, drafts, quality
//   npm run test:real -- FILE --cases CASES.jsonl   for fim and quality, as for `npm run tool -- eval`; otherwise these are left out
//   npm run test:real -- FILE --server PATH         for typing: a llama-server that you have built
//   npm run test:real -- FILE --torch PYTHON        for logits: also PyTorch in float32, from the dequantized weights, to see
//                                                   which is nearer. Needs torch, numpy and gguf (pip install gguf==0.19.0)
//   npm run test:real -- FILE --positions 500 --characters 1000000 --tokens 256 --threads 2
//
// llama.cpp comes through node-llama-cpp from npm, installed into .cache/bench when first needed. Exit code 1: something
// differs and the rounding of quantized activations does not explain it. No figure fails.
import { main, root, ToolError } from '../../scripts/tools.mjs';
import { bundled } from '../support/bundled.mjs';

const { testReal, UsageError } = await bundled('real', 'test/real/real.ts');
await main(async () => {
  try {
    process.exitCode = await testReal(root, process.argv.slice(2));
  } catch (error) {
    throw error instanceof UsageError ? new ToolError(error.message) : error;
  }
});
