// The GPU that the HIP tests run on: the emulation on the CPU (emulation_api.cc) or an NVIDIA GPU
// through its driver (cuda_api.cc). A program links one of them.
#pragma once

#include "hip/device.h"

namespace test {

const hearth::kernels::hip::GpuApi& gpu_api();
/// Throws the runtime's message if there is no GPU.
const hearth::kernels::hip::DeviceChoice& gpu_choice();

}  // namespace test
