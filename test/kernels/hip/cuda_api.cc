// The GPU of the tests on an NVIDIA GPU, through its driver, as the product has it.
// HEARTH_GPU_KERNELS names the kernels; HEARTH_GPU_WITHOUT_COPIES says that they are those of a GPU
// with little shared memory, as PTX for sm_75 or sm_89 is, which runs on any later GPU.
#include <cstdlib>
#include <fstream>
#include <stdexcept>
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

std::vector<char> read_kernels() {
  const char* path = std::getenv("HEARTH_GPU_KERNELS");
  if (!path) throw std::runtime_error("HEARTH_GPU_KERNELS must name nvidia.fatbin");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

const hip::GpuApi& gpu_api() { return runtime().api; }

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
    gpu.has_copies = device.has_copies && !std::getenv("HEARTH_GPU_WITHOUT_COPIES");
    return gpu;
  }();
  return choice;
}

}  // namespace test
