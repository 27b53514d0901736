// The test program's GPU is an NVIDIA GPU, used through its driver as in the product.
// HEARTH_GPU_KERNELS names the kernels. HEARTH_GPU_AS, sm_75 or sm_89, says that the kernels are
// for an older GPU; their PTX runs on any later one. Then thread blocks get more shared memory than
// they request, so that a compute unit runs no more of them at once than the older GPU would.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu.h"
#include "gpu/runtime.h"

namespace test {
namespace {

namespace hip = hearth::kernels::hip;

const hearth::gpu::Runtime& runtime() {
  static const hearth::gpu::Runtime driver = hearth::gpu::nvidia_runtime();
  return driver;
}

/// An older GPU, whose kernels run on a GPU with kProcessorKib of shared memory.
struct Older {
  const char* name;
  bool has_copies;
  unsigned block_kib, processor_kib;  // shared memory per thread block and per compute unit
};
constexpr Older kOlder[] = {{"sm_75", false, 64, 64}, {"sm_89", true, 99, 100}};
constexpr unsigned kProcessorKib = 228, kMaxSharedBytes = 220 << 10;

const Older* older() {
  const char* name = std::getenv("HEARTH_GPU_AS");
  for (const Older& each : kOlder)
    if (name && name == std::string(each.name)) return &each;
  return nullptr;
}

int launch_as_older(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                    void* stream, void** params, void** extra) {
  shared_bytes = std::min(shared_bytes * kProcessorKib / older()->processor_kib, kMaxSharedBytes);
  return runtime().api.launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                              shared_bytes, stream, params, extra);
}

std::vector<char> read_kernels() {
  const char* path = std::getenv("HEARTH_GPU_KERNELS");
  if (!path) throw std::runtime_error("HEARTH_GPU_KERNELS must name nvidia.fatbin");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

const hip::GpuApi& gpu_api() {
  static const hip::GpuApi api = [] {
    hip::GpuApi api = runtime().api;
    if (older()) api.launch = launch_as_older;
    return api;
  }();
  return api;
}

const hip::DeviceChoice& gpu_choice() {
  static const std::vector<char> kernels = read_kernels();
  static const hip::DeviceChoice choice = [] {
    const hearth::gpu::GpuDevice& device = runtime().devices.front();
    hip::DeviceChoice gpu;
    gpu.index = device.index;
    gpu.backend = "cuda";
    gpu.name = device.architecture + " " + device.name;
    gpu.n_processors = device.n_processors;
    gpu.code_object = std::as_bytes(std::span(kernels));
    gpu.has_copies = older() ? older()->has_copies : device.has_copies;
    gpu.shared_bytes = older() ? static_cast<int>(older()->block_kib << 10) : device.shared_bytes;
    return gpu;
  }();
  return choice;
}

}  // namespace test
