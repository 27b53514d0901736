#include "cpu/arena.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "cpu/workspace.h"
#include "test.h"

using hearth::kernels::cpu::Slabs, hearth::kernels::cpu::Workspace;

TEST("pieces of a slab follow each other, aligned to cache lines") {
  Slabs slabs;
  const Slabs::Piece first = slabs.take(100), second = slabs.take(64), third = slabs.take(1);
  CHECK_EQUAL(reinterpret_cast<uintptr_t>(first.data) % 64, uintptr_t{0});
  CHECK_EQUAL(second.data - first.data, 128);
  CHECK_EQUAL(third.data - second.data, 64);
}

TEST("a piece that does not fit into the rest of a slab goes into a new, zeroed slab") {
  Slabs slabs;
  const size_t large = size_t{200} << 20;
  const Slabs::Piece first = slabs.take(large), second = slabs.take(large);
  CHECK(first.slab != second.slab);
  std::memset(second.data + large - 4096, 1, 4096);
  CHECK(std::all_of(first.data + large - 4096, first.data + large,
                    [](std::byte byte) { return byte == std::byte{0}; }));
}

TEST("a slab lives as long as any of its pieces") {
  std::optional<Slabs> slabs(std::in_place);
  std::weak_ptr<const hearth::kernels::cpu::Arena> slab;
  {
    Slabs::Piece piece = slabs->take(4096);
    slab = piece.slab;
    slabs.reset();
    std::memset(piece.data, 1, 4096);
    CHECK(!slab.expired());
  }
  CHECK(slab.expired());
}

TEST("smaller pieces can still be allocated after one that exceeds the memory") {
  Slabs slabs;
  CHECK_THROWS(slabs.take(SIZE_MAX / 4), "alloc");
  const Slabs::Piece piece = slabs.take(100);
  CHECK(piece.slab != nullptr && piece.data == piece.slab->data());
}

TEST("a workspace that cannot grow throws, keeps its memory, and can grow later") {
  Workspace workspace(1);
  workspace.reserve(64);
  const float* const f32 = workspace.activations(1, 64).f32;
  const ptrdiff_t room_for_rows = workspace.rows(1) - workspace.rows(0);
  CHECK_THROWS(workspace.reserve(1 << 24, INT_MAX), "alloc");
  CHECK_EQUAL(workspace.activations(1, 64).f32, f32);
  CHECK_EQUAL(workspace.rows(1) - workspace.rows(0), room_for_rows);
  workspace.reserve(1024);
  CHECK(workspace.rows(1) - workspace.rows(0) == 2 * room_for_rows);
}
