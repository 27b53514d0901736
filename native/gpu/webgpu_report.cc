#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "report.h"
#include "self_test.h"
#include "webgpu.h"
#include "webgpu/ops_webgpu.h"
#include "webgpu_backend.h"

namespace hearth::gpu {
namespace {

using kernels::webgpu::Device;
using kernels::webgpu::WebgpuOps;

std::string kind_of(const WebgpuAdapter& adapter) {
  if (adapter.is_processor) return "computes on the processor";
  return adapter.is_integrated ? "integrated" : "discrete";
}

std::string limits_of(const Device& device) {
  const auto mib = [](uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
  const auto& limits = device.limits();
  return "bindings of " + mib(limits.storage_bytes) + ", buffers of " + mib(limits.buffer_bytes) +
         ", workgroups of " + std::to_string(limits.workgroup_threads) + " threads with " +
         std::to_string(limits.workgroup_bytes >> 10) + " KiB\n";
}

/// One line for each result, which is right only if it is right for all numbers of tokens.
std::string verdicts_on(const MakeOps& make_ops, size_t n_layouts) {
  std::vector<std::pair<std::string, bool>> results;
  const std::span types = kWebgpuTypes;
  judge_dense(make_ops, types.first(std::min(n_layouts, types.size())),
              [&](const std::string& what, bool is_right) {
                const auto known =
                    std::ranges::find(results, what, &std::pair<std::string, bool>::first);
                if (known == results.end())
                  results.emplace_back(what, is_right);
                else
                  known->second &= is_right;
              });
  std::string text;
  for (const auto& [what, is_right] : results)
    text += (is_right ? "right  " : "WRONG  ") + what + '\n';
  const auto n_wrong = std::ranges::count(results, false, &std::pair<std::string, bool>::second);
  return text + "self-test: " +
         (n_wrong == 0 ? "passed\n" : std::to_string(n_wrong) + " results are wrong\n");
}

std::string report_on_adapter(const WebgpuRuntime& runtime, const WebgpuAdapter& adapter,
                              const ReportEffort& effort) {
  std::string text = adapter.name + " (webgpu, " + adapter.interface + ", " + kind_of(adapter) +
                     ")\n" + adapter.driver + '\n';
  try {
    const auto device = std::make_shared<Device>(runtime.api, choice_of(adapter));
    text += limits_of(*device);
    text += verdicts_on([&] { return std::make_unique<WebgpuOps>(device); }, effort.n_layouts);
    WebgpuOps ops(device);
    text += speeds(ops, effort);
  } catch (const std::runtime_error& error) {
    text += std::string(error.what()) + '\n';
  }
  return text;
}

}  // namespace

std::string webgpu_report(const std::string& kernels, const ReportEffort& effort) try {
  const WebgpuRuntime& runtime = webgpu_runtime(kernels);
  std::string text;
  for (const WebgpuAdapter& adapter : runtime.adapters)
    text += report_on_adapter(runtime, adapter, effort) + '\n';
  return text;
} catch (const std::runtime_error& error) {
  return std::string(error.what()) + "\n\n";
}

}  // namespace hearth::gpu
