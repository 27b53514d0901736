// wgpu-native with timing: when the process ends, prints for each function the number of its calls
// and the milliseconds that they took. If HEARTH_WAIT_FOR_SUBMITS is set, each submit also waits
// until the GPU has no work. This wait is timed, too, and slows everything down.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Function {
  const char* name;
  long n_calls = 0;
  double ms = 0, longest = 0;
  ~Function() {
    if (n_calls > 0)
      std::fprintf(stderr, "%-40s %9ld calls %11.1f ms, the longest %8.3f ms\n", name, n_calls, ms,
                   longest);
  }
  void add(double more) {
    n_calls++;
    ms += more;
    longest = std::max(longest, more);
  }
};

template <class Result, class... Arguments>
Result timed(Function& function, Result (*&real)(Arguments...), Arguments... arguments) {
  if (!real) real = reinterpret_cast<Result (*)(Arguments...)>(dlsym(RTLD_NEXT, function.name));
  struct Span {
    Function& function;
    Clock::time_point start = Clock::now();
    ~Span() { function.add(ms_since(start)); }
  } span{function};
  return real(arguments...);
}

void* device = nullptr;

}  // namespace

#define TIMED(result, name, parameters, ...)                                 \
  extern "C" __attribute__((visibility("default"))) result name parameters { \
    static Function function{#name};                                         \
    static result(*real) parameters = nullptr;                               \
    return timed(function, real, __VA_ARGS__);                               \
  }

TIMED(void*, wgpuDeviceCreateBindGroup, (void* a, const void* b), a, b)
TIMED(void*, wgpuDeviceCreateCommandEncoder, (void* a, const void* b), a, b)
TIMED(void*, wgpuCommandEncoderBeginComputePass, (void* a, const void* b), a, b)
TIMED(void, wgpuComputePassEncoderSetPipeline, (void* a, void* b), a, b)
TIMED(void, wgpuComputePassEncoderSetBindGroup,
      (void* a, uint32_t b, void* c, size_t d, const uint32_t* e), a, b, c, d, e)
TIMED(void, wgpuComputePassEncoderDispatchWorkgroups, (void* a, uint32_t x, uint32_t y, uint32_t z),
      a, x, y, z)
TIMED(void, wgpuComputePassEncoderEnd, (void* a), a)
TIMED(void*, wgpuCommandEncoderFinish, (void* a, const void* b), a, b)
TIMED(void, wgpuQueueWriteBuffer, (void* a, void* b, uint64_t c, const void* d, size_t e), a, b, c,
      d, e)
TIMED(void, wgpuCommandEncoderCopyBufferToBuffer,
      (void* a, void* b, uint64_t c, void* d, uint64_t e, uint64_t f), a, b, c, d, e, f)
TIMED(void*, wgpuDeviceCreateComputePipeline, (void* a, const void* b), a, b)
TIMED(void*, wgpuDeviceCreateShaderModuleTrusted, (void* a, const void* b, uint64_t c), a, b, c)
TIMED(void*, wgpuDeviceCreateBuffer, (void* a, const void* b), a, b)
TIMED(bool, wgpuDevicePoll, (void* a, uint32_t b, const void* c), a, b, c)

extern "C" __attribute__((visibility("default"))) void* wgpuDeviceGetQueue(void* owner) {
  static const auto real =
      reinterpret_cast<void* (*)(void*)>(dlsym(RTLD_NEXT, "wgpuDeviceGetQueue"));
  device = owner;
  return real(owner);
}

extern "C" __attribute__((visibility("default"))) void wgpuQueueSubmit(void* queue, size_t n,
                                                                       void* const* commands) {
  static const auto real =
      reinterpret_cast<void (*)(void*, size_t, void* const*)>(dlsym(RTLD_NEXT, "wgpuQueueSubmit"));
  static const bool waits = std::getenv("HEARTH_WAIT_FOR_SUBMITS");
  static Function call{"wgpuQueueSubmit"}, work{"a submit's work, waited for"};
  if (waits) wgpuDevicePoll(device, 1, nullptr);
  const auto start = Clock::now();
  real(queue, n, commands);
  call.add(ms_since(start));
  if (!waits) return;
  wgpuDevicePoll(device, 1, nullptr);
  work.add(ms_since(start));
}
