// Runs HIP kernels on the CPU, one block at a time, with a fiber for each thread. Lanes run until
// they meet at a shuffle or a barrier. The emulation reports the numbers of lanes that meet at
// different ones, or after others have left. It fills dynamic shared memory with NaN between
// blocks. It detects wrong indices, missing barriers and divergence, but not races between blocks.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <cstddef>
#include <memory>
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

/// Returns the previous value. Atomic, because threads take turns.
inline uint32_t atomicAdd(uint32_t* counter, uint32_t value) {
  *counter += value;
  return *counter - value;
}

namespace emulation {

/// Grid positions. They are signed, because kernels compare them with counts.
struct Index {
  int x, y, z;
};

constexpr int kLanes = 32, kSlotBytes = 32;
enum class State { kRunning, kExchange, kBarrier, kDone };

/// A thread of a block, with a stack of its own.
struct Fiber {
  // Two slots, used in turn: a fast lane may publish again before a slow one has read.
  alignas(128) char slots[2][kSlotBytes];
  void* sp = nullptr;
  uint32_t n_exchanges = 0;
  State state = State::kDone;
  int line = 0;
  std::unique_ptr<char[]> stack;
};

/// The running thread. In the header, because kernels ask for it with every other instruction.
struct Running {
  int thread = 0;
  Fiber* fiber = nullptr;  // of the thread
  Fiber* warp = nullptr;   // its first lane
  Index block{}, block_size{}, grid_size{};
  char* shared = nullptr;
};
inline Running running;

inline Index thread_index() { return {running.thread, 0, 0}; }
inline Index block_index() { return running.block; }
inline Index block_size() { return running.block_size; }
inline Index grid_size() { return running.grid_size; }
inline void* dynamic_shared() { return running.shared; }
inline int lane() { return running.thread % kLanes; }

/// Waits for the other lanes, or for the other threads.
void meet(State at, int line);
inline void barrier(int line) { meet(State::kBarrier, line); }

/// Publishes a value and waits for the other lanes, whose values can be read afterwards.
template <class T>
class Exchange {
 public:
  Exchange(const T& mine, int line) {
    static_assert(sizeof(T) <= kSlotBytes);
    Fiber& fiber = *running.fiber;
    turn_ = ++fiber.n_exchanges % 2;
    memcpy(fiber.slots[turn_], &mine, sizeof(T));
    meet(State::kExchange, line);
  }
  T of(int lane) const {
    T value;
    memcpy(&value, running.warp[lane].slots[turn_], sizeof(T));
    return value;
  }

 private:
  uint32_t turn_;
};

template <class T>
T shuffle(T value, int source) {
  return Exchange<T>(value, 0).of(source);
}

/// AMD's matrix instructions, with one lane's operands in the layouts that
/// kernels/hip/matrix_unit.hip.h describes.
void wmma_16x16x16(int* c, const int (&a)[4], const int (&b)[4]);
void wmma12_16x16x16(int* c, const int (&a)[2], const int (&b)[2]);

/// The instructions with which kernels multiply matrices: WMMA by default.
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
/// The kernel with this name; null if there is none.
const Kernel* find(const std::string& name);
/// A broken kernel, which does nothing.
inline Kernel broken{[](const void*) {}, 0};
/// The names of all kernels.
std::vector<std::string> names();
/// Runs all blocks of a grid one after the other.
void launch(Launcher kernel, dim3 grid, dim3 block, size_t shared_bytes, const void* params);

}  // namespace emulation
