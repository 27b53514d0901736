#include "backend.h"

#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "hip/ops_hip.h"
#include "runtime.h"
#include "self_test.h"

namespace hearth::hip {
namespace {

// A compositor and a browser keep a few hundred megabytes of video memory.
constexpr size_t kReservedBytes = size_t{768} << 20;

/// What must outlive the Ops: destroyed after them, as a base.
struct Ground {
  Runtime runtime;
  std::vector<char> code_object;
};

class OwningOps : private std::unique_ptr<Ground>, public kernels::hip::HipOps {
 public:
  OwningOps(std::unique_ptr<Ground> ground, const kernels::hip::DeviceChoice& choice)
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
    names += (names.empty() ? "" : ", ") + device.architecture + " " + device.name;
  return names;
}

}  // namespace

std::unique_ptr<kernels::Ops> make_ops(const std::string& folder) {
  auto ground = std::make_unique<Ground>();
  kernels::hip::DeviceChoice choice;
  for (const GpuDevice& device : ground->runtime.devices()) {
    ground->code_object = read_file(folder + "/" + device.architecture + ".co");
    if (ground->code_object.empty()) continue;
    choice.index = device.index;
    choice.name = device.architecture + " " + device.name;
    choice.n_processors = device.n_processors;
    choice.code_object = std::as_bytes(std::span(ground->code_object));
    choice.reserved_bytes = kReservedBytes;
    break;
  }
  if (choice.code_object.empty())
    throw std::runtime_error("no GPU kernels for " + architectures(ground->runtime));
  auto ops = std::make_unique<OwningOps>(std::move(ground), choice);
  self_test(*ops);
  return ops;
}

}  // namespace hearth::hip
