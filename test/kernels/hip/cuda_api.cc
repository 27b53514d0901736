// The GPU runtime's functions on CUDA's, to run the HIP kernels on an NVIDIA GPU.
// HEARTH_GPU_KERNELS names the fatbin of kernels.hip. Kernels start early (programmatic dependent
// launch): each waits for its predecessor itself, after having begun to load its weights.
#include <cuda_runtime.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "gpu.h"
#include "hip/matmul_shape.h"

namespace test {
namespace {

namespace hip = hearth::kernels::hip;

const char* error_string(int error) { return cudaGetErrorString(static_cast<cudaError_t>(error)); }
cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

int copy(void* to, const void* from, size_t n_bytes, int kind, void* stream) {
  return cudaMemcpyAsync(to, from, n_bytes, static_cast<cudaMemcpyKind>(kind), stream_of(stream));
}
int fill(void* memory, int value, size_t n_bytes, void* stream) {
  return cudaMemsetAsync(memory, value, n_bytes, stream_of(stream));
}
int create_stream(void** stream, unsigned flags) {
  return cudaStreamCreateWithFlags(reinterpret_cast<cudaStream_t*>(stream), flags);
}
int create_event(void** event, unsigned flags) {
  return cudaEventCreateWithFlags(reinterpret_cast<cudaEvent_t*>(event), flags);
}
int record_event(void* event, void* stream) {
  return cudaEventRecord(static_cast<cudaEvent_t>(event), stream_of(stream));
}
int load_module(void** module, const void* code) {
  return cudaLibraryLoadData(reinterpret_cast<cudaLibrary_t*>(module), code, nullptr, nullptr, 0,
                             nullptr, nullptr, 0);
}
int find_function(void** function, void* module, const char* name) {
  const int result = cudaLibraryGetKernel(reinterpret_cast<cudaKernel_t*>(function),
                                          static_cast<cudaLibrary_t>(module), name);
  // AMD's 64 KB need no asking for; here all above 48 KB does.
  if (result == 0)
    cudaFuncSetAttribute(*function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         hip::kMaxCopySharedBytes);
  cudaGetLastError();
  return result;
}
int launch(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
           unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** params,
           void**) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(grid_x, grid_y, grid_z);
  config.blockDim = dim3(block_x, block_y, block_z);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream_of(stream);
  config.attrs = &attribute;
  config.numAttrs = std::getenv("HEARTH_NO_EARLY_START") ? 0 : 1;
  return cudaLaunchKernelExC(&config, function, params);
}
int begin_capture(void* stream, int mode) {
  return cudaStreamBeginCapture(stream_of(stream), static_cast<cudaStreamCaptureMode>(mode));
}
int end_capture(void* stream, void** graph) {
  return cudaStreamEndCapture(stream_of(stream), reinterpret_cast<cudaGraph_t*>(graph));
}
int instantiate_graph(void** executable, void* graph, void*, char*, size_t) {
  return cudaGraphInstantiate(reinterpret_cast<cudaGraphExec_t*>(executable),
                              static_cast<cudaGraph_t>(graph), 0);
}
int launch_graph(void* executable, void* stream) {
  return cudaGraphLaunch(static_cast<cudaGraphExec_t>(executable), stream_of(stream));
}

const hip::GpuApi kApi = {
    error_string,
    [](int device) -> int { return cudaSetDevice(device); },
    [](size_t* free, size_t* total) -> int { return cudaMemGetInfo(free, total); },
    [](void** memory, size_t n_bytes) -> int { return cudaMalloc(memory, n_bytes); },
    [](void* memory) -> int { return cudaFree(memory); },
    [](void** memory, size_t n_bytes, unsigned flags) -> int {
      return cudaHostAlloc(memory, n_bytes, flags);
    },
    [](void* memory) -> int { return cudaFreeHost(memory); },
    copy,
    fill,
    create_stream,
    [](void* stream) -> int { return cudaStreamDestroy(stream_of(stream)); },
    create_event,
    record_event,
    [](void* event) -> int { return cudaEventQuery(static_cast<cudaEvent_t>(event)); },
    [](void* event) -> int { return cudaEventDestroy(static_cast<cudaEvent_t>(event)); },
    load_module,
    find_function,
    [](void* module) -> int { return cudaLibraryUnload(static_cast<cudaLibrary_t>(module)); },
    launch,
    begin_capture,
    end_capture,
    instantiate_graph,
    launch_graph,
    [](void* graph) -> int { return cudaGraphDestroy(static_cast<cudaGraph_t>(graph)); },
    [](void* executable) -> int {
      return cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable));
    },
};

std::vector<char> read_kernels() {
  const char* path = std::getenv("HEARTH_GPU_KERNELS");
  if (!path) throw std::runtime_error("HEARTH_GPU_KERNELS must name the fatbin of kernels.hip");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

const hip::GpuApi& gpu_api() { return kApi; }

const hip::DeviceChoice& gpu_choice() {
  static const std::vector<char> kernels = read_kernels();
  static const hip::DeviceChoice choice = [] {
    int n_devices = 0;
    const int result = cudaGetDeviceCount(&n_devices);
    if (result != 0) throw std::runtime_error(std::string("no GPU: ") + error_string(result));
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    hip::DeviceChoice gpu{0, properties.name, properties.multiProcessorCount,
                          std::as_bytes(std::span(kernels))};
    gpu.has_copies = true;
    return gpu;
  }();
  return choice;
}

}  // namespace test
