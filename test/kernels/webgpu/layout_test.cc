// Checks that wgpu_api.h agrees with wgpu-native's own headers.
#include "webgpu/wgpu_api.h"

#include <type_traits>

#include "test.h"
#include "webgpu.h"
#include "wgpu.h"

using namespace hearth::kernels::webgpu;

#define SAME(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs))
#define SAME_FIELD(ours, a, theirs, b) static_assert(offsetof(ours, a) == offsetof(theirs, b))
SAME(StringView, WGPUStringView);
SAME(WgslSource, WGPUShaderSourceWGSL);
SAME(ModuleDescriptor, WGPUShaderModuleDescriptor);
SAME(CallbackInfo<MapCallback>, WGPUBufferMapCallbackInfo);
SAME(CallbackInfo<LostCallback>, WGPUDeviceLostCallbackInfo);
SAME(ErrorCallbackInfo, WGPUUncapturedErrorCallbackInfo);
SAME(InstanceExtras, WGPUInstanceExtras);
SAME_FIELD(InstanceExtras, creation_budget, WGPUInstanceExtras, budgetForDeviceCreation);
SAME_FIELD(InstanceExtras, backends, WGPUInstanceExtras, backends);
SAME(InstanceDescriptor, WGPUInstanceDescriptor);
SAME(AdapterInfo, WGPUAdapterInfo);
SAME_FIELD(AdapterInfo, type, WGPUAdapterInfo, adapterType);
SAME(Limits, WGPULimits);
SAME_FIELD(Limits, storage_bytes, WGPULimits, maxStorageBufferBindingSize);
SAME_FIELD(Limits, buffer_bytes, WGPULimits, maxBufferSize);
SAME_FIELD(Limits, workgroup_bytes, WGPULimits, maxComputeWorkgroupStorageSize);
SAME_FIELD(Limits, workgroup_threads, WGPULimits, maxComputeInvocationsPerWorkgroup);
SAME(DeviceDescriptor, WGPUDeviceDescriptor);
SAME_FIELD(DeviceDescriptor, limits, WGPUDeviceDescriptor, requiredLimits);
SAME_FIELD(DeviceDescriptor, lost, WGPUDeviceDescriptor, deviceLostCallbackInfo);
SAME_FIELD(DeviceDescriptor, error, WGPUDeviceDescriptor, uncapturedErrorCallbackInfo);
SAME(BufferDescriptor, WGPUBufferDescriptor);
SAME_FIELD(BufferDescriptor, size, WGPUBufferDescriptor, size);
SAME(PipelineDescriptor, WGPUComputePipelineDescriptor);
SAME_FIELD(PipelineDescriptor, module, WGPUComputePipelineDescriptor, compute.module);
SAME_FIELD(PipelineDescriptor, entry_point, WGPUComputePipelineDescriptor, compute.entryPoint);
SAME(BindGroupEntry, WGPUBindGroupEntry);
SAME_FIELD(BindGroupEntry, offset, WGPUBindGroupEntry, offset);
SAME(BindGroupDescriptor, WGPUBindGroupDescriptor);
static_assert(kMapRead == WGPUBufferUsage_MapRead && kCopySource == WGPUBufferUsage_CopySrc);
static_assert(kCopyTarget == WGPUBufferUsage_CopyDst && kStorage == WGPUBufferUsage_Storage);
static_assert(kProcessor == int{WGPUAdapterType_CPU} &&
              kIntegratedGpu == int{WGPUAdapterType_IntegratedGPU});
static_assert(kVulkan == WGPUInstanceBackend_Vulkan && kMetal == WGPUInstanceBackend_Metal);
static_assert(kDirect3d12 == WGPUInstanceBackend_DX12);
static_assert(kAllowSpontaneous == int{WGPUCallbackMode_AllowSpontaneous});
static_assert(WGPUSType_InstanceExtras == 0x30004);
static_assert(WGPUSType_ShaderSourceWGSL == 2 && WGPUShaderRuntimeChecks_None == 0);

namespace {

/// Whether two function types have equally many parameters, and each pair has the same size.
template <class Ours, class Theirs>
constexpr bool kAlike = false;
template <class R, class... A, class S, class... B>
constexpr bool kAlike<R(A...), S(B...)> = [] {
  if constexpr (sizeof...(A) != sizeof...(B))
    return false;
  else
    return ((sizeof(A) == sizeof(B)) && ...);
}();

#define CHECK_FUNCTION(name, c_name, ...) \
  static_assert(kAlike<__VA_ARGS__, std::remove_reference_t<decltype(wgpu##c_name)>>, #c_name);
HEARTH_WGPU_FUNCTIONS(CHECK_FUNCTION)
#undef CHECK_FUNCTION

}  // namespace
