// The GPU that the HIP tests run on: the CPU emulation (emulation_api.cc) or an NVIDIA GPU through
// its driver (cuda_api.cc). A program links one of them.
#pragma once

#include "hip/device.h"

namespace test {

const hearth::kernels::hip::GpuApi& gpu_api();
/// Throws if there is none, with the runtime's message.
const hearth::kernels::hip::DeviceChoice& gpu_choice();

}  // namespace test
