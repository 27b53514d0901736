// Runs whole decode steps and whole prompts with the kernels in kernels/, for a model in qwen2's
// shape with random weights.
//   webgpu_bench                the 1.5B shape: chooses tiles, measures, checks bits; needs a GPU
//   webgpu_bench small [tune]   two small layers, also compared with float64; needs no GPU
//   webgpu_bench mid            four layers of the 1.5B shape
// Further arguments: wgsl=FOLDER is the folder of the kernels; unroll=0 leaves unrolling to the
// driver.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "checks.h"
#include "figures.h"
#include "step.h"
#include "tuning.h"

static void make_small() {
  model = {512, 4, 2, 1024, 1024, 2, 128, 128};
  const Gemv gemvs[] = {{16, 4}, {8, 4}, {64, 4}, {8, 8}, {32, 4, 2}};
  const int parts[] = {2, 2, 1, 2, 1};
  for (int s = 0; s < kShapes; s++) {
    gemv_of[s] = gemvs[s];
    parts_of[s] = parts[s];
  }
}

static void tune() {
  compare_unrolling();
  tune_gemv();
  floor_of_step();
  tune_tiles();
}

static void check(int products, int models) {
  if (is_small) check_reference();
  check_products(products);
  check_model(is_small || is_mid ? 70 : 32, models);
  if (!is_small && !is_mid) check_model(130, 5);
}

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  bool tunes = true;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "small")) is_small = true, tunes = false;
    if (!strcmp(argv[i], "mid")) is_mid = true, tunes = false;
    if (!strcmp(argv[i], "tune")) tunes = true;
    if (!strncmp(argv[i], "wgsl=", 5)) wgsl_folder = argv[i] + 5;
    if (!strncmp(argv[i], "unroll=", 7)) unroll_most = atoi(argv[i] + 7);
  }
  if (is_small) make_small();
  if (is_mid) model.layers = 4, model.vocab = 4096, model.batch = 128, model.context = 256;
  tuning_start = now();
  init();
  make_model();
  if (tunes) {
    tune();
    time_decode(is_small ? 64 : 512, is_small ? 4 : 64);
    time_prompt(32, is_small ? 1 : 8);
    time_prompt(is_small ? 128 : 512, is_small ? 1 : 5);
  }
  check(is_small || is_mid ? 2 : 50, is_small || is_mid ? 2 : 50);
  printf("%d checks failed, errors %d, %d pipelines in %.1f s, all in %.1f s\n", n_wrong, n_errors,
         n_pipes, compile_s, now() - tuning_start);
  printf("%s%s", decode_row.c_str(), prompt_rows.c_str());
  return n_errors != 0 || n_wrong != 0;
}
