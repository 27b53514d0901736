#include "backend.h"

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "engine.h"
#include "error.h"
#include "hip/backend.h"

namespace hearth {
namespace {

/// What every AMD GPU that computes has on Linux (the second one under WSL). Looking costs
/// nothing; loading AMD's runtime to hear "no device" costs 70 ms.
void require_driver() {
  if (std::getenv("HEARTH_HIP_LIBRARY")) return;
  if (access("/dev/kfd", F_OK) != 0 && access("/dev/dxg", F_OK) != 0)
    throw std::runtime_error("no AMD GPU: its driver's /dev/kfd is not there");
  if (access("/dev/kfd", F_OK) == 0 && access("/dev/kfd", R_OK | W_OK) != 0)
    throw std::runtime_error(
        "the AMD GPU may not be used: add yourself to the groups \"render\" and \"video\", then "
        "log in again");
}

}  // namespace

bool wants_gpu(const LoadOptions& options) {
  if (options.backend == "auto") return options.variant.empty();  // a variant is the CPU's
  if (options.backend != "hip" && options.backend != "cpu")
    throw EngineError("bad-argument",
                      "backend must be auto, cpu or hip, not \"" + options.backend + "\"");
  return options.backend == "hip";
}

std::unique_ptr<kernels::Ops> make_gpu_ops(const LoadOptions& options, uint64_t n_bytes) {
  if (options.backend == "auto") require_driver();
  return hip::make_ops(options.gpu_kernels, n_bytes);
}

std::unique_ptr<kernels::Ops> make_cpu_ops(const LoadOptions& options) {
  try {
    return kernels::make_cpu_ops({options.variant, options.n_threads});
  } catch (const std::invalid_argument& error) {
    throw EngineError("bad-argument", error.what());
  }
}

}  // namespace hearth
