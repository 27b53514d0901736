#include "gpu.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "unroll.h"

WGPUInstance instance;
WGPUAdapter adapter;
WGPUDevice device;
WGPUQueue queue;
WGPULimits limits;
float period = 1;
bool has_timestamps = false;
int n_errors = 0;
string wgsl_folder = "lab/bench/webgpu/kernels";
int unroll_most = 16;
double compile_s = 0;
int n_pipes = 0;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
[[noreturn]] void die(const char* m) {
  printf("FATAL %s\n", m);
  exit(1);
}
void init() {
  double t0 = now();
  WGPUInstanceExtras ex;
  memset(&ex, 0, sizeof ex);
  ex.chain.sType = (WGPUSType)WGPUSType_InstanceExtras;
  ex.backends = WGPUInstanceBackend_Vulkan;
  ex.flags = WGPUInstanceFlag_Empty;
  WGPUInstanceDescriptor id = WGPU_INSTANCE_DESCRIPTOR_INIT;
  id.nextInChain = &ex.chain;
  instance = wgpuCreateInstance(&id);
  if (!instance) die("instance");
  WGPURequestAdapterOptions o = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
  o.powerPreference = WGPUPowerPreference_HighPerformance;
  o.backendType = WGPUBackendType_Vulkan;
  WGPURequestAdapterCallbackInfo ci = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
  ci.mode = WGPUCallbackMode_AllowSpontaneous;
  ci.callback = [](WGPURequestAdapterStatus s, WGPUAdapter a, WGPUStringView m, void*, void*) {
    if (s == WGPURequestAdapterStatus_Success)
      adapter = a;
    else
      printf("adapter: %.*s\n", (int)m.length, m.data);
  };
  wgpuInstanceRequestAdapter(instance, &o, ci);
  if (!adapter) die("no adapter");
  WGPUAdapterInfo ai = WGPU_ADAPTER_INFO_INIT;
  wgpuAdapterGetInfo(adapter, &ai);
  limits = WGPU_LIMITS_INIT;
  wgpuAdapterGetLimits(adapter, &limits);
  has_timestamps = wgpuAdapterHasFeature(adapter, WGPUFeatureName_TimestampQuery);
  vector<WGPUFeatureName> f;
  if (has_timestamps) f.push_back(WGPUFeatureName_TimestampQuery);
  WGPUDeviceDescriptor dd = WGPU_DEVICE_DESCRIPTOR_INIT;
  dd.requiredFeatureCount = f.size();
  dd.requiredFeatures = f.data();
  dd.requiredLimits = &limits;
  dd.uncapturedErrorCallbackInfo.callback = [](WGPUDevice const*, WGPUErrorType t, WGPUStringView m,
                                               void*, void*) {
    n_errors++;
    printf("ERROR %d: %.*s\n", t, (int)std::min<size_t>(m.length, 2500), m.data);
  };
  dd.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowSpontaneous;
  dd.deviceLostCallbackInfo.callback = [](WGPUDevice const*, WGPUDeviceLostReason r,
                                          WGPUStringView m, void*, void*) {
    printf("LOST %d %.*s\n", r, (int)m.length, m.data);
  };
  WGPURequestDeviceCallbackInfo di = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
  di.mode = WGPUCallbackMode_AllowSpontaneous;
  di.callback = [](WGPURequestDeviceStatus s, WGPUDevice d, WGPUStringView m, void*, void*) {
    if (s == WGPURequestDeviceStatus_Success)
      device = d;
    else
      printf("device: %.*s\n", (int)m.length, m.data);
  };
  wgpuAdapterRequestDevice(adapter, &dd, di);
  if (!device) die("no device");
  queue = wgpuDeviceGetQueue(device);
  period = wgpuQueueGetTimestampPeriod(queue);
  printf(
      "adapter '%.*s' '%.*s' type %d, workgroup memory %u, invocations %u, timestamps %d, start "
      "%.0f ms\n",
      (int)ai.device.length, ai.device.data, (int)ai.description.length, ai.description.data,
      ai.adapterType, limits.maxComputeWorkgroupStorageSize,
      limits.maxComputeInvocationsPerWorkgroup, has_timestamps, (now() - t0) * 1e3);
}
WGPUBuffer make_buffer(uint64_t size, WGPUBufferUsage extra) {
  WGPUBufferDescriptor d = WGPU_BUFFER_DESCRIPTOR_INIT;
  d.size = std::max<uint64_t>(16, (size + 15) & ~15ull);
  d.usage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc | extra;
  WGPUBuffer b = wgpuDeviceCreateBuffer(device, &d);
  if (!b) die("buffer");
  return b;
}
void write_buffer(WGPUBuffer b, const void* p, size_t n) {
  for (size_t o = 0; o < n; o += 64 << 20)
    wgpuQueueWriteBuffer(queue, b, o, (const char*)p + o,
                         std::min<size_t>(64 << 20, (n - o + 3) & ~3ull));
}
void finish() { wgpuDevicePoll(device, true, nullptr); }
void submit(WGPUCommandEncoder e) {
  WGPUCommandBuffer c = wgpuCommandEncoderFinish(e, nullptr);
  wgpuQueueSubmit(queue, 1, &c);
  wgpuCommandBufferRelease(c);
  wgpuCommandEncoderRelease(e);
}
void copy(WGPUBuffer from, WGPUBuffer to, size_t n) {
  WGPUCommandEncoder e = wgpuDeviceCreateCommandEncoder(device, nullptr);
  wgpuCommandEncoderCopyBufferToBuffer(e, from, 0, to, 0, n);
  submit(e);
}
WGPUBuffer readback(size_t n) {
  WGPUBufferDescriptor d = WGPU_BUFFER_DESCRIPTOR_INIT;
  d.size = n;
  d.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst;
  return wgpuDeviceCreateBuffer(device, &d);
}
void map_read(WGPUBuffer r, size_t n, void* out) {
  static bool done;
  done = false;
  WGPUBufferMapCallbackInfo mi = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
  mi.mode = WGPUCallbackMode_AllowSpontaneous;
  mi.callback = [](WGPUMapAsyncStatus, WGPUStringView, void*, void*) { done = true; };
  wgpuBufferMapAsync(r, WGPUMapMode_Read, 0, n, mi);
  while (!done) finish();
  memcpy(out, wgpuBufferGetConstMappedRange(r, 0, n), n);
  wgpuBufferUnmap(r);
}

string source(const string& files, const Consts& c) {
  string s =
      "struct Params { n: u32, start: u32 }\n@group(0) @binding(12) var<storage, read> params: "
      "Params;\n";
  for (auto& [k, v] : c) s += "const " + k + " = " + v + ";\n";
  for (const char* k : {"D4", "D6", "H6", "R4"})
    if (!c.count(k)) s += string("const ") + k + " = 0u;\n";
  std::istringstream in(files);
  string f;
  while (in >> f) {
    std::ifstream i(wgsl_folder + "/" + f + ".wgsl");
    if (!i) {
      printf("no %s\n", f.c_str());
      exit(1);
    }
    std::stringstream b;
    b << i.rdbuf();
    s += b.str();
  }
  return unroll_most ? unrolled(s, unroll_most) : s;
}
WGPUComputePipeline pipe(const string& files, const Consts& c) {
  double t = now();
  string code = source(files, c);
  WGPUShaderSourceWGSL w = WGPU_SHADER_SOURCE_WGSL_INIT;
  w.code = {code.data(), code.size()};
  WGPUShaderModuleDescriptor m = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
  m.nextInChain = &w.chain;
  int before = n_errors;
  WGPUShaderModule sm =
      wgpuDeviceCreateShaderModuleTrusted(device, &m, WGPUShaderRuntimeChecks_None);
  if (n_errors > before) {
    printf("in %s\n", files.c_str());
    exit(1);
  }
  WGPUComputePipelineDescriptor d = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
  d.compute.module = sm;
  d.compute.entryPoint = {"main", 4};
  WGPUComputePipeline p = wgpuDeviceCreateComputePipeline(device, &d);
  if (n_errors > before) {
    printf("in %s\n", files.c_str());
    exit(1);
  }
  wgpuShaderModuleRelease(sm);
  compile_s += now() - t;
  n_pipes++;
  return p;
}
Launch launch(const char* name, WGPUComputePipeline p, const vector<Bind>& bs, u32 x, u32 y,
              u32 z) {
  vector<WGPUBindGroupEntry> e;
  for (auto& i : bs) {
    WGPUBindGroupEntry n = WGPU_BIND_GROUP_ENTRY_INIT;
    n.binding = i.at;
    n.buffer = i.b;
    n.offset = i.offset;
    n.size = i.size ? i.size : wgpuBufferGetSize(i.b) - i.offset;
    e.push_back(n);
  }
  WGPUBindGroupDescriptor d = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  d.layout = wgpuComputePipelineGetBindGroupLayout(p, 0);
  d.entryCount = e.size();
  d.entries = e.data();
  int before = n_errors;
  WGPUBindGroup g = wgpuDeviceCreateBindGroup(device, &d);
  if (n_errors > before) {
    printf("bindings of %s\n", name);
    exit(1);
  }
  return {p, g, x, y, z, name};
}