#include "backend.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <vector>

#include "gpus.h"
#include "hip/ops_hip.h"
#include "self_test.h"
#include "test_record.h"
#include "webgpu_backend.h"

namespace hearth::gpu {
namespace {

using kernels::hip::DeviceChoice;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Owns everything that must outlive the Ops. As the first base class, it is destroyed last.
struct GpuResources {
  std::shared_ptr<const Gpus> gpus;
  std::vector<char> code;
};

class OwningOps : private GpuResources, public kernels::hip::HipOps {
 public:
  OwningOps(GpuResources resources, const kernels::hip::GpuApi& api, const DeviceChoice& choice)
      : GpuResources(std::move(resources)), HipOps(api, choice) {}
};

/// Throws if the model does not fit. This is checked before the upload, since copying gigabytes of
/// a model takes a while.
void require_memory(const Candidate& gpu, const DeviceChoice& choice, const GpuOptions& options) {
  size_t free = 0, total = 0;
  const bool is_known =
      gpu.api().set_device(choice.index) == 0 && gpu.api().memory_info(&free, &total) == 0;
  if (!is_known || options.can_use(free - std::min(free, choice.reserved_bytes))) return;
  const auto mib = [](uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
  throw std::runtime_error("GPU " + choice.name + ": the model and its cache need " +
                           mib(options.n_bytes) + ", but of " + mib(total) + " only " + mib(free) +
                           " are free, and " + mib(choice.reserved_bytes) +
                           " stay with the desktop; choose a smaller model or lower "
                           "hearth.cache.memoryMiB");
}

void require_right_answers(const Candidate& gpu, const DeviceChoice& choice,
                           const TestRecord& record) {
  if (record.has_passed()) return;
  self_test(gpu.api(), choice);
  record.record_pass();
}

std::unique_ptr<kernels::Ops> make_ops_on(const Candidate& gpu, std::shared_ptr<const Gpus> gpus,
                                          const GpuOptions& options) {
  GpuResources resources{std::move(gpus), gpu.read_code(options.kernels)};
  DeviceChoice choice = gpu.choice(resources.code);
  const TestRecord record(gpu.identity(), choice.code_object);
  record.require_not_lost();
  require_memory(gpu, choice, options);
  choice.on_lost = [record] { record.record_loss(); };
  require_right_answers(gpu, choice, record);
  const kernels::hip::GpuApi& api = gpu.api();
  return std::make_unique<OwningOps>(std::move(resources), api, choice);
}

}  // namespace

bool GpuOptions::allows(const std::string& gpu) const {
  return lower(gpu).find(lower(device)) != std::string::npos;
}

std::unique_ptr<kernels::Ops> make_ops(const GpuOptions& options) {
  if (options.backend == "webgpu") return make_webgpu_ops(options);
  // Shared, because every attempt in the loop below and the Ops in use need it.
  const auto gpus = std::make_shared<Gpus>(find_gpus(options.backend));
  bool is_named = false;
  for (const Candidate& gpu : gpus->candidates) {
    if (!options.allows(gpu.name())) continue;
    is_named = true;
    try {
      return make_ops_on(gpu, gpus, options);
    } catch (const std::runtime_error& error) {
      gpus->add_reason(error.what());
    }
  }
  if (!is_named && !gpus->candidates.empty())
    gpus->add_reason("no GPU here is called \"" + options.device + "\": there is " +
                     describe_gpus("auto", options.kernels));
  throw std::runtime_error(gpus->reasons);
}

std::string unserved_gpu(const GpuOptions& options) {
  for (const Candidate& gpu : find_gpus(options.backend).candidates)
    if (!gpu.device.code_file.empty()) return "";
  return first_webgpu_adapter(options);
}

uint64_t packed_bytes(const std::string& backend, kernels::BlockType type, int n_rows, int n_cols) {
  return backend == "webgpu" ? webgpu_packed_bytes(type, n_rows, n_cols)
                             : kernels::hip::packed_bytes(type, n_rows, n_cols);
}

uint64_t low_rank_bytes(int n_parts, int greatest_rank, int n_rows, int n_cols, bool is_quantized) {
  return kernels::hip::low_rank_bytes(n_parts, greatest_rank, n_rows, n_cols, is_quantized);
}

std::string describe_gpus(const std::string& backend, const std::string& kernels) {
  if (backend == "webgpu") return describe_webgpu(kernels);
  const Gpus gpus = find_gpus(backend);
  std::string list;
  for (const Candidate& gpu : gpus.candidates) {
    size_t free = 0, total = 0;
    const bool is_known =
        gpu.api().set_device(gpu.device.index) == 0 && gpu.api().memory_info(&free, &total) == 0;
    const std::string free_text =
        is_known ? ", of which " + std::to_string(free >> 20) + " are free" : "";
    list += (list.empty() ? "" : ", ") + gpu.name() + " (" + gpu.backend + ", " +
            std::to_string(gpu.device.n_bytes >> 20) + " MiB" + free_text + ", by " +
            gpu.runtime->library + ")";
  }
  return list.empty() ? gpus.reasons : list;
}

}  // namespace hearth::gpu
