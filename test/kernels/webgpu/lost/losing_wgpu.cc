// wgpu-native, except that devices are lost once the file named by HEARTH_LOST_GPU exists.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

extern "C" {

void wgpuDeviceDestroy(void* device);

/// Hearth creates an encoder before each submit.
__attribute__((visibility("default"))) void* wgpuDeviceCreateCommandEncoder(
    void* device, const void* descriptor) {
  using Create = void* (*)(void*, const void*);
  static const auto create =
      reinterpret_cast<Create>(dlsym(RTLD_NEXT, "wgpuDeviceCreateCommandEncoder"));
  const char* file = std::getenv("HEARTH_LOST_GPU");
  if (file && access(file, F_OK) == 0) wgpuDeviceDestroy(device);
  return create(device, descriptor);
}

}  // extern "C"
