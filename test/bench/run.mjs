// `npm run bench`: Hearth and llama.cpp side by side on this machine.
//
//   npm run bench                                      everything; about 20 minutes with two threads
//   npm run bench -- --goals                           what goals.ts asks for, and whether it is reached; 10 minutes
//   npm run bench -- --goals --variant best,avx512vnni,avx2     the same with each of these kernels
//   npm run bench -- --quick                           one model, two rounds
//   npm run bench -- --models 1.5b-q4_k_m,FILE.gguf    other sizes (0.5b 1.5b 3b 7b 30ba3b) and types (q8_0 q4_0 q4_k_m), own files
//   npm run bench -- --models 30ba3b-6layers-q4_k_m    a large model with fewer layers
//   npm run bench -- --only prefill,decode             of prefill, decode, curve, load, memory
//   npm run bench -- --depths 0                        tokens of context before what is measured
//   npm run bench -- --variant avx2 --threads 4        kernels, ours and those of llama.cpp that use the same
//                                                      instructions; threads
//   npm run bench -- --llama-kernels zen4              another of llama.cpp's CPU builds: haswell is AVX2, zen4 is AVX-512
//                                                      with VNNI, sapphirerapids has AMX too, best is its own choice
//   npm run bench -- --repeat 9 --patience 0           rounds; seconds to wait, in all, for a quiet machine
//   npm run bench -- --engines hearth                  without llama.cpp
//   npm run bench -- --before FOLDER                   beside another checkout of Hearth, which has been set up
//   npm run bench -- --ik-llama-bench 'FILE ARGUMENTS' beside ik_llama.cpp: its llama-bench, built for the same instructions
//
// Models have true shapes and random weights, which are as fast as trained ones: nothing is downloaded for them.
// llama.cpp comes through node-llama-cpp from npm, installed into .cache/bench when first needed.
// Each engine runs in its own process, in turns; a figure is the median over the rounds. Rows are appended to
// results/CPU-Nt.csv. No figure fails the bench.
import { main, root, ToolError } from '../../scripts/tools.mjs';
import { bundled } from '../support/bundled.mjs';

const { bench, BenchError } = await bundled('bench', 'test/bench/bench.ts');
await main(() =>
  bench(root, process.argv.slice(2)).catch((error) => {
    throw error instanceof BenchError ? new ToolError(error.message) : error;
  }),
);
