#include "emulation.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

// Saves the callee-saved registers on the running fiber's stack and continues another fiber. Uses
// Linux's calling convention; on Windows, the caller saves the registers that Windows requires in
// addition.
extern "C" [[gnu::sysv_abi]] void emulation_switch(void** from, void* to);
asm(".text\n.globl emulation_switch\nemulation_switch:\n"
    " push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
    " mov %rsp,(%rdi)\n mov %rsi,%rsp\n"
    " pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");

namespace emulation {
namespace {

constexpr size_t kStackBytes = 256 << 10;
// Offsets the stacks within a page; otherwise the stacks of a warp would not fit into the L1 cache
// together.
constexpr size_t kApart = 704;

std::vector<Fiber> fibers;  // one for each thread of the largest block so far
Launcher kernel = nullptr;
const void* params = nullptr;
void* scheduler = nullptr;
Fiber* warp_end = nullptr;

[[noreturn]] void fail(const char* what, int a, int b) {
  std::fprintf(
      stderr, "emulation: %s: thread %d (line %d), thread %d (line %d) of block %d %d %d\n", what,
      a, fibers[a].line, b, fibers[b].line, running.block.x, running.block.y, running.block.z);
  std::abort();
}

void resume(void** from, Fiber* fiber) {
  running.fiber = fiber;
  running.thread = static_cast<int>(fiber - fibers.data());
  emulation_switch(from, fiber->sp);
}

Fiber* next_running(Fiber* from) {
  return std::find_if(from, warp_end, [](const Fiber& f) { return f.state == State::kRunning; });
}

/// Continues with the next lane of the warp that can run, or with run_wave().
void leave(State state) {
  Fiber& fiber = *running.fiber;
  fiber.state = state;
  Fiber* next = next_running(&fiber + 1);
  if (next == warp_end) return emulation_switch(&fiber.sp, scheduler);
  resume(&fiber.sp, next);
}

void fiber_main() {
  kernel(params);
  leave(State::kDone);
}

/// Makes a stack frame like that of emulation_switch: six registers, then the return address.
void start(Fiber& fiber) {
  if (!fiber.stack) fiber.stack.reset(new char[kStackBytes]);
  char* top = fiber.stack.get() + kStackBytes - kApart * ((&fiber - fibers.data()) % kLanes);
  constexpr uintptr_t kShadow = 32;  // Windows lets a function write above its return address
  top -= reinterpret_cast<uintptr_t>(top) % 16 + kShadow;
  void** sp = reinterpret_cast<void**>(top) - 1;
  *--sp = reinterpret_cast<void*>(fiber_main);
  for (int i = 0; i < 6; i++) *--sp = nullptr;
  fiber.sp = sp;
  fiber.state = State::kRunning;
  fiber.n_exchanges = 0;
}

/// Lets a warp, lanes first..last, continue if all its lanes have met at the same place.
void check_group(int first, int last) {
  int waiting = -1, at_barrier = -1, done = -1;
  for (int i = first; i < last; i++) {
    const State state = fibers[i].state;
    (state == State::kExchange ? waiting : state == State::kBarrier ? at_barrier : done) = i;
  }
  if (waiting >= 0 && at_barrier >= 0)
    fail("some lanes shuffle, others are at a barrier", waiting, at_barrier);
  if (waiting >= 0 && done >= 0) fail("lanes shuffle after others have left", waiting, done);
  if (at_barrier >= 0 && done >= 0) fail("a barrier after lanes have left", at_barrier, done);
  for (int i = first; i < last && waiting >= 0; i++) {
    if (fibers[i].n_exchanges != fibers[waiting].n_exchanges)
      fail("lanes are at different shuffles", i, waiting);
    fibers[i].state = State::kRunning;
  }
}

/// Runs a wave until none of its lanes can continue without the other waves.
void run_wave(int first, int last) {
  running.warp = &fibers[first], warp_end = running.warp + (last - first);
  for (Fiber* next; (next = next_running(running.warp)) != warp_end;) {
    resume(&scheduler, next);
    check_group(first, last);
  }
}

void run_block() {
  const int n = running.block_size.x;
  for (int i = 0; i < n; i++) start(fibers[i]);
  for (;;) {
    int n_done = 0, waiting = -1;
    for (int i = 0; i < n; i += kLanes) run_wave(i, std::min(i + kLanes, n));
    for (int i = 0; i < n; i++) {
      if (fibers[i].state == State::kDone) n_done++;
      if (fibers[i].state == State::kBarrier) waiting = i;
    }
    if (n_done == n) return;
    for (int i = 0; i < n; i++) {
      Fiber& fiber = fibers[i];
      if (fiber.state == State::kDone) continue;
      if (fiber.line != fibers[waiting].line) fail("threads at different barriers", i, waiting);
      fiber.state = State::kRunning;
    }
  }
}

std::map<std::string, Kernel>& registry() {
  static std::map<std::string, Kernel> kernels;
  return kernels;
}

}  // namespace

void meet(State at, int line) {
  running.fiber->line = line;
  leave(at);
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

void launch(Launcher run, dim3 grid, dim3 size, size_t shared_bytes, const void* given) {
  static std::vector<char> shared;
  kernel = run;
  params = given;
  running.block_size = {static_cast<int>(size.x), 1, 1};
  running.grid_size = {static_cast<int>(grid.x), static_cast<int>(grid.y),
                       static_cast<int>(grid.z)};
  if (fibers.size() < size.x) fibers = std::vector<Fiber>(size.x);
  for (unsigned z = 0; z < grid.z; z++)
    for (unsigned y = 0; y < grid.y; y++)
      for (unsigned x = 0; x < grid.x; x++) {
        running.block = {static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
        shared.assign(shared_bytes + 16, static_cast<char>(0xff));
        running.shared = shared.data();
        run_block();
      }
}

}  // namespace emulation
