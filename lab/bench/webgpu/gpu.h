// wgpu-native through its C API: device, buffers, pipelines and launches.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "webgpu.h"
#include "wgpu.h"

using std::string;
using std::vector;
using u32 = uint32_t;

extern WGPUInstance instance;
extern WGPUAdapter adapter;
extern WGPUDevice device;
extern WGPUQueue queue;
extern WGPULimits limits;
extern float period;  // nanoseconds per tick of the timestamps
extern bool has_timestamps;
extern int n_errors;        // errors that the device has reported
extern string wgsl_folder;  // lab/bench/webgpu/kernels
extern int unroll_most;     // loops with at most this number of rounds are unrolled; 0: none
extern double compile_s;    // seconds spent on making pipelines
extern int n_pipes;         // pipelines that have been made

double now();  // seconds
[[noreturn]] void die(const char* message);
void init();

WGPUBuffer make_buffer(uint64_t size, WGPUBufferUsage extra = 0);
void write_buffer(WGPUBuffer b, const void* p, size_t n);
void finish();  // waits for everything submitted
void submit(WGPUCommandEncoder e);
void copy(WGPUBuffer from, WGPUBuffer to, size_t n);
WGPUBuffer readback(size_t n);  // a buffer that the host can map to read it
void map_read(WGPUBuffer r, size_t n, void* out);

template <class T>
WGPUBuffer uploaded(const vector<T>& v) {
  WGPUBuffer b = make_buffer(v.size() * sizeof(T));
  write_buffer(b, v.data(), v.size() * sizeof(T));
  return b;
}
template <class T>
vector<T> read_buffer(WGPUBuffer b, size_t n) {
  WGPUBuffer r = readback(n * sizeof(T));
  copy(b, r, n * sizeof(T));
  vector<T> out(n);
  map_read(r, n * sizeof(T), out.data());
  wgpuBufferDestroy(r);
  wgpuBufferRelease(r);
  return out;
}

/// The constants at the beginning of a kernel's text, by name.
using Consts = std::map<string, string>;
/// Returns a kernel's text: the constants, then the files. files: names without ".wgsl", separated
/// by spaces.
string source(const string& files, const Consts& c);
WGPUComputePipeline pipe(const string& files, const Consts& c);

struct Bind {
  u32 at;
  WGPUBuffer b;
  uint64_t offset = 0, size = 0;
};
struct Launch {
  WGPUComputePipeline p;
  WGPUBindGroup b;
  u32 x, y, z;
  const char* name;
};
/// A dispatch of x * y * z workgroups. name: for profiles.
Launch launch(const char* name, WGPUComputePipeline p, const vector<Bind>& bs, u32 x, u32 y = 1,
              u32 z = 1);
