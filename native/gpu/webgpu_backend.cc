#include "webgpu_backend.h"

#include <memory>
#include <span>
#include <stdexcept>

#include "self_test.h"
#include "test_record.h"
#include "webgpu.h"
#include "webgpu/ops_webgpu.h"
#include "webgpu/wgsl.h"

namespace hearth::gpu {
namespace {

using kernels::webgpu::WebgpuOps;

std::unique_ptr<kernels::Ops> make_ops_on(const WebgpuRuntime& runtime,
                                          const WebgpuAdapter& adapter, const GpuOptions& options) {
  const std::string texts = kernels::webgpu::all_wgsl();
  const TestRecord record("webgpu " + adapter.name + " " + adapter.driver,
                          std::as_bytes(std::span(texts)));
  record.require_not_lost();
  record.require_no_repeated_crashes();
  kernels::webgpu::DeviceChoice choice = choice_of(adapter);
  choice.on_lost = [record] { record.record_loss(); };
  choice.on_busy = [mark = std::shared_ptr(record.work_mark())](bool is_busy) {
    if (mark) mark->set(is_busy);
  };
  const auto device = std::make_shared<kernels::webgpu::Device>(runtime.api, choice);
  const uint64_t n_free = device->free_bytes(options.n_bytes);
  if (!options.can_use(n_free))
    throw std::runtime_error("GPU " + adapter.name + ": the model and its cache need " +
                             std::to_string(options.n_bytes >> 20) + " MiB, but only " +
                             std::to_string(n_free >> 20) +
                             " are to be had; choose a smaller model or lower "
                             "hearth.cache.memoryMiB");
  if (!record.has_passed()) {
    self_test_dense([&] { return std::make_unique<WebgpuOps>(device); }, kWebgpuTypes);
    record.record_pass();
  }
  return std::make_unique<WebgpuOps>(device, n_free);
}

}  // namespace

std::unique_ptr<kernels::Ops> make_webgpu_ops(const GpuOptions& options) {
  const WebgpuRuntime& runtime = webgpu_runtime(options.kernels);
  std::string reasons;
  for (const WebgpuAdapter& adapter : runtime.adapters) {
    if (!options.allows(adapter.name)) continue;
    try {
      return make_ops_on(runtime, adapter, options);
    } catch (const std::runtime_error& error) {
      reasons += (reasons.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  if (reasons.empty()) reasons = "no GPU here is called \"" + options.device + "\"";
  throw std::runtime_error(reasons);
}

uint64_t webgpu_packed_bytes(kernels::BlockType type, int n_rows, int n_cols) {
  return kernels::webgpu::packed_bytes(type, n_rows, n_cols);
}

std::string describe_webgpu(const std::string& kernels) try {
  const WebgpuRuntime& runtime = webgpu_runtime(kernels);
  std::string list;
  for (const WebgpuAdapter& adapter : runtime.adapters) {
    kernels::webgpu::Device(runtime.api, choice_of(adapter)).wait();
    list += (list.empty() ? "" : ", ") + adapter.name + " (webgpu, " + adapter.driver + ")";
  }
  return list;
} catch (const std::runtime_error& error) {
  return error.what();
}

std::string first_webgpu_adapter(const GpuOptions& options) try {
  for (const WebgpuAdapter& adapter : webgpu_runtime(options.kernels).adapters)
    if (options.allows(adapter.name)) return adapter.name + " (" + adapter.driver + ")";
  return "";
} catch (const std::runtime_error&) {
  return "";
}

}  // namespace hearth::gpu
