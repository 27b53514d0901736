// Runs HIP kernels on the CPU: a fiber per thread, a block at a time. Lanes run until they meet at
// a shuffle or a barrier; lanes that meet at different ones, or after others have left, are
// reported with their numbers. Shared memory is poisoned with NaN between blocks where it is
// dynamic. It shows wrong indices, missing barriers and divergence; it cannot show races between
// blocks, nor speed.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#define __shared__ static thread_local
#define __syncthreads() emulation::barrier(__LINE__)
#define threadIdx (emulation::thread_index())
#define blockIdx (emulation::block_index())
#define blockDim (emulation::block_size())
#define gridDim (emulation::grid_size())

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
struct uint2 {
  uint32_t x, y;
};
struct alignas(16) uint4 {
  uint32_t x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
using std::max;
using std::min;

/// Returns the value before. Threads take turns.
inline uint32_t atomicAdd(uint32_t* counter, uint32_t value) {
  *counter += value;
  return *counter - value;
}

namespace emulation {

/// Grid positions, as signed numbers where kernels compare them with counts.
struct Index {
  int x, y, z;
};
Index thread_index();
Index block_index();
Index block_size();
Index grid_size();
void* dynamic_shared();
int lane();

constexpr int kSlotBytes = 32;
/// Publishes bytes, waits for the other lanes, and returns what a lane has published.
const void* exchange(const void* mine, size_t n_bytes, int line);
const void* published(int lane);
void barrier(int line);

template <class T>
T shuffle(T value, int source) {
  static_assert(sizeof(T) <= kSlotBytes);
  exchange(&value, sizeof(T), 0);
  T result;
  memcpy(&result, published(source), sizeof(T));
  return result;
}

/// AMD's matrix instructions, on one lane's operands, in the layouts that
/// kernels/hip/matrix_unit.hip.h describes.
void wmma_16x16x16(int* c, const int (&a)[4], const int (&b)[4]);
void wmma12_16x16x16(int* c, const int (&a)[2], const int (&b)[2]);

/// What kernels multiply matrices with: WMMA, unless told.
enum class MatrixUnit { kNone, kQuad, kQuadInRegisters, kWmma, kWmma12 };
MatrixUnit matrix_unit();
void use_matrix_unit(MatrixUnit unit);

using Launcher = void (*)(const void* params);
/// Runs the kernel's body for one thread.
template <class Params, void (*kKernel)(Params)>
void run(const void* params) {
  Params p;
  memcpy(&p, params, sizeof(Params));
  kKernel(p);
}

struct Kernel {
  Launcher run = nullptr;
  size_t n_param_bytes = 0;
};
struct Register {
  Register(const char* name, Kernel kernel);
};
/// Null if there is none.
const Kernel* find(const std::string& name);
/// A broken one: it does nothing.
inline Kernel broken{[](const void*) {}, 0};
/// Of all kernels.
std::vector<std::string> names();
/// Runs all blocks of a grid, one after another.
void launch(Launcher kernel, dim3 grid, dim3 block, size_t shared_bytes, const void* params);

}  // namespace emulation
