#include "emulation.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

// Saves the callee-saved registers on the running fiber's stack and continues another one. With the
// calling convention of Linux; on Windows, the caller saves what it has to keep beside.
extern "C" [[gnu::sysv_abi]] void emulation_switch(void** from, void* to);
asm(".text\n.globl emulation_switch\nemulation_switch:\n"
    " push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
    " mov %rsp,(%rdi)\n mov %rsi,%rsp\n"
    " pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");

namespace emulation {
namespace {

constexpr size_t kStackBytes = 256 << 10;
constexpr int kLanes = 32;
enum class State { kRunning, kExchange, kBarrier, kDone };

struct Fiber {
  std::unique_ptr<char[]> stack;
  void* sp = nullptr;
  State state = State::kDone;
  int line = 0;
  uint32_t n_exchanges = 0;
  // A fast lane may publish again before a slow one has read: two slots, used in turn.
  alignas(16) char slots[2][kSlotBytes];
};

struct Block {
  std::vector<Fiber> fibers;  // as many as the largest block so far had threads
  std::vector<char> shared;
  Index index{}, size{}, grid{};
  Launcher kernel = nullptr;
  const void* params = nullptr;
  void* scheduler = nullptr;
  int current = 0;
} block;

[[noreturn]] void fail(const char* what, int a, int b) {
  std::fprintf(stderr,
               "emulation: %s: thread %d (line %d), thread %d (line %d) of block %d %d %d\n", what,
               a, block.fibers[a].line, b, block.fibers[b].line, block.index.x, block.index.y,
               block.index.z);
  std::abort();
}

void yield(State state) {
  Fiber& fiber = block.fibers[block.current];
  fiber.state = state;
  emulation_switch(&fiber.sp, block.scheduler);
}

void fiber_main() {
  block.kernel(block.params);
  yield(State::kDone);
}

/// A frame as emulation_switch leaves it: six registers, then the address to return to.
void start(Fiber& fiber) {
  if (!fiber.stack) fiber.stack.reset(new char[kStackBytes]);
  char* top = fiber.stack.get() + kStackBytes;
  constexpr uintptr_t kShadow = 32;  // Windows lets a function write above its return address
  top -= reinterpret_cast<uintptr_t>(top) % 16 + kShadow;
  void** sp = reinterpret_cast<void**>(top) - 1;
  *--sp = reinterpret_cast<void*>(fiber_main);
  for (int i = 0; i < 6; i++) *--sp = nullptr;
  fiber.sp = sp;
  fiber.state = State::kRunning;
  fiber.n_exchanges = 0;
}

/// Runs the lanes first..last of one group of 32 until all wait at the same place or are done.
void check_group(int first, int last) {
  int waiting = -1, at_barrier = -1, done = -1;
  for (int i = first; i < last; i++) {
    const State state = block.fibers[i].state;
    (state == State::kExchange ? waiting : state == State::kBarrier ? at_barrier : done) = i;
  }
  if (waiting >= 0 && at_barrier >= 0)
    fail("some lanes shuffle, others are at a barrier", waiting, at_barrier);
  if (waiting >= 0 && done >= 0) fail("lanes shuffle after others have left", waiting, done);
  if (at_barrier >= 0 && done >= 0) fail("a barrier after lanes have left", at_barrier, done);
  for (int i = first; i < last && waiting >= 0; i++) {
    if (block.fibers[i].n_exchanges != block.fibers[waiting].n_exchanges)
      fail("lanes are at different shuffles", i, waiting);
    block.fibers[i].state = State::kRunning;
  }
}

/// Runs a wave until none of its lanes can go on without the other waves.
void run_wave(int first, int last) {
  for (bool progress = true; progress;) {
    progress = false;
    for (int i = first; i < last; i++) {
      if (block.fibers[i].state != State::kRunning) continue;
      progress = true;
      block.current = i;
      emulation_switch(&block.scheduler, block.fibers[i].sp);
    }
    check_group(first, last);
  }
}

void run_block() {
  const int n = block.size.x;
  for (int i = 0; i < n; i++) start(block.fibers[i]);
  for (;;) {
    int n_done = 0, waiting = -1;
    for (int i = 0; i < n; i += kLanes) run_wave(i, std::min(i + kLanes, n));
    for (int i = 0; i < n; i++) {
      if (block.fibers[i].state == State::kDone) n_done++;
      if (block.fibers[i].state == State::kBarrier) waiting = i;
    }
    if (n_done == n) return;
    for (int i = 0; i < n; i++) {
      Fiber& fiber = block.fibers[i];
      if (fiber.state == State::kDone) continue;
      if (fiber.line != block.fibers[waiting].line)
        fail("threads at different barriers", i, waiting);
      fiber.state = State::kRunning;
    }
  }
}

std::map<std::string, Kernel>& registry() {
  static std::map<std::string, Kernel> kernels;
  return kernels;
}

}  // namespace

Index thread_index() { return {block.current, 0, 0}; }
Index block_index() { return block.index; }
Index block_size() { return block.size; }
Index grid_size() { return block.grid; }
void* dynamic_shared() { return block.shared.data(); }
int lane() { return block.current % kLanes; }

const void* exchange(const void* mine, size_t n_bytes, int line) {
  Fiber& fiber = block.fibers[block.current];
  fiber.line = line;
  memcpy(fiber.slots[++fiber.n_exchanges % 2], mine, n_bytes);
  yield(State::kExchange);
  return published(lane());
}

const void* published(int source) {
  const uint32_t slot = block.fibers[block.current].n_exchanges % 2;
  return block.fibers[block.current / kLanes * kLanes + source].slots[slot];
}

void barrier(int line) {
  block.fibers[block.current].line = line;
  yield(State::kBarrier);
}

Register::Register(const char* name, Kernel kernel) { registry()[name] = kernel; }

const Kernel* find(const std::string& name) {
  const auto found = registry().find(name);
  return found == registry().end() ? nullptr : &found->second;
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& [name, kernel] : registry()) names.push_back(name);
  return names;
}

void launch(Launcher kernel, dim3 grid, dim3 size, size_t shared_bytes, const void* params) {
  block.kernel = kernel;
  block.params = params;
  block.size = {static_cast<int>(size.x), 1, 1};
  block.grid = {static_cast<int>(grid.x), static_cast<int>(grid.y), static_cast<int>(grid.z)};
  if (block.fibers.size() < size.x) block.fibers = std::vector<Fiber>(size.x);
  for (unsigned z = 0; z < grid.z; z++)
    for (unsigned y = 0; y < grid.y; y++)
      for (unsigned x = 0; x < grid.x; x++) {
        block.index = {static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
        block.shared.assign(shared_bytes + 16, static_cast<char>(0xff));
        run_block();
      }
}

}  // namespace emulation
