// The part of wgpu-native's C API (WebGPU's webgpu.h, version 29) that Hearth calls: a table of
// functions, which native/gpu fills from the library. Handles are opaque pointers. The layouts and
// numbers are those of webgpu.h; test/kernels/webgpu checks that they are equal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hearth::kernels::webgpu {

using Handle = void*;

struct StringView {
  const char* data = nullptr;
  size_t length = SIZE_MAX;  // SIZE_MAX: data is null, or ends with a NUL
};
struct Chained {
  const void* next = nullptr;
  uint32_t type = 0;
};
struct WgslSource {
  Chained chain{nullptr, 2};
  StringView code;
};
struct ModuleDescriptor {
  const void* next = nullptr;
  StringView label;
};

enum : uint32_t { kSuccess = 1, kAllowSpontaneous = 3 };
enum : uint32_t { kIntegratedGpu = 2, kProcessor = 3 };  // AdapterInfo::type
enum : uint64_t { kVulkan = 1, kMetal = 4, kDirect3d12 = 8 };
enum : uint64_t { kMapRead = 1, kCopySource = 4, kCopyTarget = 8, kStorage = 0x80 };

struct Future {
  uint64_t id;
};
using DeviceCallback = void (*)(uint32_t status, Handle device, StringView, void*, void*);
using LostCallback = void (*)(const Handle*, uint32_t reason, StringView, void*, void*);
using ErrorCallback = void (*)(const Handle*, uint32_t type, StringView, void*, void*);
using MapCallback = void (*)(uint32_t status, StringView, void*, void*);
template <class Callback>
struct CallbackInfo {
  const void* next = nullptr;
  uint32_t mode = kAllowSpontaneous;
  Callback callback = nullptr;
  void* user1 = nullptr;
  void* user2 = nullptr;
};
struct ErrorCallbackInfo {
  const void* next = nullptr;
  ErrorCallback callback = nullptr;
  void* user1 = nullptr;
  void* user2 = nullptr;
};

struct InstanceExtras {
  Chained chain{nullptr, 0x30004};
  uint64_t backends = 0, flags = 0;
  uint32_t dx12_compiler = 0, gles_version = 0, gl_fences = 0;
  StringView dxc_path;
  uint32_t dxc_model = 0, dx12_presentation = 0;
  // Percentages of the memory that the system gives this process. Creating a buffer fails if it
  // would exceed the first one.
  const uint8_t* creation_budget = nullptr;
  const uint8_t* loss_budget = nullptr;
  uint64_t display[3] = {};
};
struct InstanceDescriptor {
  const void* next = nullptr;
  size_t n_features = 0;
  const void* features = nullptr;
  const void* limits = nullptr;
};
struct AdapterInfo {
  void* next = nullptr;
  StringView vendor, architecture, device, description;
  uint32_t backend = 0, type = 0, vendor_id = 0, device_id = 0, subgroup_min = 0, subgroup_max = 0;
};
struct Limits {
  void* next = nullptr;
  uint32_t textures[4];
  uint32_t bindings[10];
  uint64_t uniform_bytes;
  uint64_t storage_bytes;  // per binding
  uint32_t uniform_alignment;
  uint32_t storage_alignment;
  uint32_t vertex_buffers;
  uint64_t buffer_bytes;
  uint32_t vertex[3];
  uint32_t colors[2];
  uint32_t workgroup_bytes;
  uint32_t workgroup_threads;
  uint32_t workgroup_sizes[3];
  uint32_t workgroups;  // per dimension of a dispatch
  uint32_t immediate_bytes;
};
struct QueueDescriptor {
  const void* next = nullptr;
  StringView label;
};
struct DeviceDescriptor {
  const void* next = nullptr;
  StringView label;
  size_t n_features = 0;
  const uint32_t* features = nullptr;
  const Limits* limits = nullptr;
  QueueDescriptor queue;
  CallbackInfo<LostCallback> lost;
  ErrorCallbackInfo error;
};
struct BufferDescriptor {
  const void* next = nullptr;
  StringView label;
  uint64_t usage = 0;
  uint64_t size = 0;
  uint32_t mapped_at_creation = 0;
};
struct PipelineDescriptor {
  const void* next = nullptr;
  StringView label;
  Handle layout = nullptr;  // null: wgpu-native derives it from the WGSL
  const void* stage_next = nullptr;
  Handle module = nullptr;
  StringView entry_point;
  size_t n_constants = 0;
  const void* constants = nullptr;
};
struct BindGroupEntry {
  const void* next = nullptr;
  uint32_t binding = 0;
  Handle buffer = nullptr;
  uint64_t offset = 0;
  uint64_t size = 0;
  Handle sampler = nullptr;
  Handle texture = nullptr;
};
struct BindGroupDescriptor {
  const void* next = nullptr;
  StringView label;
  Handle layout = nullptr;
  size_t n_entries = 0;
  const BindGroupEntry* entries = nullptr;
};

/// X(our name, the name in C without "wgpu", type). poll returns a bool here: wgpu.h says that it
/// returns a WGPUBool, but the library sets only one byte of that.
// clang-format off
#define HEARTH_WGPU_FUNCTIONS(X)                                                                                     \
  X(version, GetVersion, uint32_t())                                                                                 \
  X(create_instance, CreateInstance, Handle(const InstanceDescriptor*))                                              \
  X(release_instance, InstanceRelease, void(Handle))                                                                 \
  X(enumerate_adapters, InstanceEnumerateAdapters, size_t(Handle instance, const void* options, Handle* adapters))   \
  X(adapter_info, AdapterGetInfo, uint32_t(Handle, AdapterInfo*))                                                    \
  X(free_adapter_info, AdapterInfoFreeMembers, void(AdapterInfo))                                                    \
  X(adapter_limits, AdapterGetLimits, uint32_t(Handle, Limits*))                                                     \
  X(release_adapter, AdapterRelease, void(Handle))                                                                   \
  X(request_device, AdapterRequestDevice, Future(Handle, const DeviceDescriptor*, CallbackInfo<DeviceCallback>))     \
  X(queue, DeviceGetQueue, Handle(Handle device))                                                                    \
  X(poll, DevicePoll, bool(Handle device, uint32_t wait, const void* submission))                                    \
  X(destroy_device, DeviceDestroy, void(Handle))                                                                     \
  X(release_device, DeviceRelease, void(Handle))                                                                     \
  X(release_queue, QueueRelease, void(Handle))                                                                       \
  X(create_buffer, DeviceCreateBuffer, Handle(Handle device, const BufferDescriptor*))                               \
  X(destroy_buffer, BufferDestroy, void(Handle))                                                                     \
  X(release_buffer, BufferRelease, void(Handle))                                                                     \
  X(map, BufferMapAsync, Future(Handle, uint64_t mode, size_t offset, size_t size, CallbackInfo<MapCallback>))       \
  X(mapped_range, BufferGetConstMappedRange, const void*(Handle, size_t offset, size_t size))                        \
  X(unmap, BufferUnmap, void(Handle))                                                                                \
  X(write_buffer, QueueWriteBuffer, void(Handle queue, Handle buffer, uint64_t offset, const void*, size_t))         \
  X(submit, QueueSubmit, void(Handle queue, size_t n, const Handle* commands))                                       \
  X(create_module, DeviceCreateShaderModuleTrusted, Handle(Handle device, const ModuleDescriptor*, uint64_t checks)) \
  X(release_module, ShaderModuleRelease, void(Handle))                                                               \
  X(create_pipeline, DeviceCreateComputePipeline, Handle(Handle device, const PipelineDescriptor*))                  \
  X(release_pipeline, ComputePipelineRelease, void(Handle))                                                          \
  X(pipeline_layout, ComputePipelineGetBindGroupLayout, Handle(Handle pipeline, uint32_t group))                     \
  X(release_layout, BindGroupLayoutRelease, void(Handle))                                                            \
  X(create_bind_group, DeviceCreateBindGroup, Handle(Handle device, const BindGroupDescriptor*))                     \
  X(release_bind_group, BindGroupRelease, void(Handle))                                                              \
  X(create_encoder, DeviceCreateCommandEncoder, Handle(Handle device, const void* descriptor))                       \
  X(copy, CommandEncoderCopyBufferToBuffer, void(Handle, Handle, uint64_t, Handle, uint64_t, uint64_t))              \
  X(begin_pass, CommandEncoderBeginComputePass, Handle(Handle, const void* descriptor))                              \
  X(set_pipeline, ComputePassEncoderSetPipeline, void(Handle pass, Handle pipeline))                                 \
  X(set_bind_group, ComputePassEncoderSetBindGroup, void(Handle pass, uint32_t, Handle, size_t, const uint32_t*))    \
  X(dispatch, ComputePassEncoderDispatchWorkgroups, void(Handle pass, uint32_t x, uint32_t y, uint32_t z))           \
  X(end_pass, ComputePassEncoderEnd, void(Handle pass))                                                              \
  X(release_pass, ComputePassEncoderRelease, void(Handle))                                                           \
  X(finish, CommandEncoderFinish, Handle(Handle encoder, const void* descriptor))                                    \
  X(release_encoder, CommandEncoderRelease, void(Handle))                                                            \
  X(release_commands, CommandBufferRelease, void(Handle))
// clang-format on

struct WgpuApi {
  template <class Function>
  using Pointer = Function*;
#define HEARTH_WGPU_FIELD(name, c_name, ...) Pointer<__VA_ARGS__> name = nullptr;
  HEARTH_WGPU_FUNCTIONS(HEARTH_WGPU_FIELD)
#undef HEARTH_WGPU_FIELD
};

}  // namespace hearth::kernels::webgpu
