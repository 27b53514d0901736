#include "backend.h"

#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "hip/ops_hip.h"
#include "runtime.h"
#include "self_test.h"
#include "test_record.h"

namespace hearth::hip {
namespace {

using kernels::hip::DeviceChoice;

// A compositor and a browser keep a few hundred megabytes of video memory.
constexpr size_t kReservedBytes = size_t{768} << 20;

/// What must outlive the Ops: destroyed after them, as a base.
struct Ground {
  Runtime runtime;
  std::vector<char> code_object;
};

class OwningOps : private std::unique_ptr<Ground>, public kernels::hip::HipOps {
 public:
  OwningOps(std::unique_ptr<Ground> ground, const DeviceChoice& choice)
      : std::unique_ptr<Ground>(std::move(ground)),
        HipOps(std::unique_ptr<Ground>::get()->runtime.api(), choice) {}
};

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string architectures(const Runtime& runtime) {
  std::string names;
  for (const GpuDevice& device : runtime.devices())
    names += (names.empty() ? "" : ", ") + device.architecture + " (" + device.name + ")";
  return names;
}

/// The first device that there are kernels for; reads them into the ground.
DeviceChoice choose(Ground& ground, const std::string& folder) {
  for (const GpuDevice& device : ground.runtime.devices()) {
    ground.code_object = read_file(folder + "/" + device.architecture + ".co");
    if (ground.code_object.empty()) continue;
    DeviceChoice choice;
    choice.index = device.index;
    choice.name = device.architecture + " " + device.name;
    choice.n_processors = device.n_processors;
    choice.code_object = std::as_bytes(std::span(ground.code_object));
    choice.reserved_bytes = kReservedBytes;
    return choice;
  }
  throw std::runtime_error("Hearth has no GPU kernels for " + architectures(ground.runtime));
}

/// Before gigabytes of a model have gone there in vain.
void require_memory(const Runtime& runtime, const DeviceChoice& choice, uint64_t n_bytes) {
  size_t free = 0, total = 0;
  const bool is_known =
      runtime.api().set_device(choice.index) == 0 && runtime.api().memory_info(&free, &total) == 0;
  if (!is_known || n_bytes + kReservedBytes <= free) return;
  const auto mib = [](uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
  throw std::runtime_error(
      "GPU " + choice.name + ": the model and its cache need " + mib(n_bytes) + ", but of " +
      mib(total) + " only " + mib(free) + " are free, and " + mib(kReservedBytes) +
      " stay with the desktop; choose a smaller model or lower hearth.cache.memoryMiB");
}

}  // namespace

std::unique_ptr<kernels::Ops> make_ops(const std::string& folder, uint64_t n_bytes) {
  auto ground = std::make_unique<Ground>();
  const DeviceChoice choice = choose(*ground, folder);
  require_memory(ground->runtime, choice, n_bytes);
  const TestRecord record(choice.name + " " + ground->runtime.versions(), choice.code_object);
  if (!record.has_passed()) {
    const kernels::hip::GpuApi& api = ground->runtime.api();
    // As if it had one processor, too: then small matrices go through the kernels for large ones.
    DeviceChoice narrow = choice;
    narrow.n_processors = 1;
    for (const DeviceChoice& as : {choice, narrow})
      self_test([&] { return std::make_unique<kernels::hip::HipOps>(api, as); });
    record.pass();
  }
  return std::make_unique<OwningOps>(std::move(ground), choice);
}

std::string describe_gpus() {
  const Runtime runtime;
  return architectures(runtime) + " by " + runtime.library();
}

}  // namespace hearth::hip
