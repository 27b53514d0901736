// The self-test that decides whether a GPU is used: it must pass with correct kernels, run every
// kernel, and fail if one of them does nothing.
#include "gpu/self_test.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <string>

#include "emulation.h"
#include "gpu.h"
#include "hip/ops_hip.h"
#include "test.h"

namespace {

namespace hip = hearth::kernels::hip;

std::set<std::string> used;
std::string broken;
/// The largest third dimension of each kernel's grids: the parts of attention.
std::map<std::string, unsigned> max_parts;
std::map<void*, std::string> names;

/// The emulated GPU, which records its launches; one of its kernels does nothing.
hip::GpuApi watched_api() {
  hip::GpuApi api = test::gpu_api();
  api.find_function = [](void** function, void* module, const char* name) {
    used.insert(name);
    if (broken != name) {
      const int result = test::gpu_api().find_function(function, module, name);
      names[*function] = name;
      return result;
    }
    *function = &emulation::broken;
    return 0;
  };
  api.launch = [](void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                  void* stream, void** params, void** extra) {
    unsigned& most = max_parts[names[function]];
    most = std::max(most, grid_z);
    return test::gpu_api().launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                  shared_bytes, stream, params, extra);
  };
  return api;
}

/// The self-test's message; "" if it passes.
std::string verdict(const std::string& broken_kernel) {
  broken = broken_kernel;
  const hip::GpuApi api = watched_api();
  try {
    hip::DeviceChoice choice = test::gpu_choice();
    choice.n_processors = 64;
    hearth::gpu::self_test(api, choice);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace

TEST("the self-test passes on sound kernels, and runs every kernel, attention in several parts") {
  used.clear();
  max_parts.clear();
  CHECK_EQUAL(verdict(""), "");
  for (const std::string& name : emulation::names())
    if (!used.count(name)) test::fail(__FILE__, __LINE__, "the self-test does not run " + name);
  for (const auto& [name, n_parts] : max_parts)
    if (name.find("attention") != std::string::npos) CHECK(n_parts > 1);
}

TEST("the self-test names the result that a broken kernel makes wrong") {
  const std::pair<const char*, const char*> cases[] = {
      {"embed_f16", "a row of F16"},
      {"pack_q4_0", "a row of Q4_0"},
      {"float_bf16_2", "SwiGLU with BF16"},
      {"attention_128", "attention with heads of 128"},
      {"norm_heads_128", "attention with norms of heads"},
      {"norm_quantize_128", "SwiGLU with F32"},
      {"experts_q5_k_8", "experts with Q5_K"},
      {"experts_q5_k_32", "experts with Q5_K"},
      {"route_512", "experts with Q4_0"},
      {"gather_256", "the head"},
      {"take_batch_512", "a row of F32"},
  };
  for (const auto& [kernel, what] :
       std::span(cases).first(test::kIsSanitized ? 1 : std::size(cases)))
    CHECK_EQUAL(verdict(kernel), std::string("the GPU fails its self-test: ") + what +
                                     " comes out wrong; update the GPU driver");
}

TEST("it is an error if a kernel that the host waits for does nothing") {
  if (test::kIsSanitized)
    throw test::NotRun("a sanitizer finds no more here than in the tests above");
  CHECK_EQUAL(verdict("argmax_512"),
              "GPU emulation: a kernel ended without a result; update the GPU driver");
}
