#include "backend.h"

#include <stdexcept>

#include "common/error.h"
#include "gpu/backend.h"
#include "load_options.h"

namespace hearth {

bool wants_gpu(const LoadOptions& options) {
  if (options.backend == "auto") return options.variant.empty();  // only the CPU has variants
  if (options.backend != "hip" && options.backend != "cuda" && options.backend != "webgpu" &&
      options.backend != "cpu")
    throw EngineError("bad-argument", "backend must be auto, cpu, hip, cuda or webgpu, not \"" +
                                          options.backend + "\"");
  return options.backend != "cpu";
}

std::unique_ptr<kernels::Ops> make_gpu_ops(const LoadOptions& options, uint64_t n_bytes,
                                           const std::function<bool(uint64_t)>& fits) {
  return gpu::make_ops({options.backend, options.gpu, options.gpu_kernels, n_bytes, fits});
}

std::unique_ptr<kernels::Ops> make_cpu_ops(const LoadOptions& options) {
  try {
    return kernels::make_cpu_ops({options.variant, options.n_threads});
  } catch (const std::invalid_argument& error) {
    throw EngineError("bad-argument", error.what());
  }
}

}  // namespace hearth
