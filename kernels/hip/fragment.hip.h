// GEMM fragments: for each kind of GPU, how a matrix instruction (or dot products) multiplies one
// group of 32 columns of a tile of weights by some tokens. A fragment says which weights a lane
// brings and which rows' and tokens' sums it gets. A lane's sums belong to the rows whose weights
// it brings, so that it needs no other lane's scales; therefore AMD's instructions take the tokens
// as their first operand. Dot products of a group, or of its halves, are exact integers and so the
// same in every fragment.
//
// Fragments have
//   kPackedLanes       packed lanes (formats.h) whose weights a lane brings
//   kRows              rows of a lane, 8 apart; with 1 it drops the other row of what it loads
//   kWarpTiles         the tiles of rows that a warp takes; they share a token's operands
//   kCopies            whether weights, too, are copied to shared memory asynchronously
//   kTokens            tokens multiplied at a time
//   kOwn, kStep        the number of these whose sums a lane gets, and their distance
//   place()            a lane's first row, first token and first packed lane
//   scales()           the scales of the lane's tokens
//   dots()             c[half][row][own token] from weight words a[packed][2 * half + row]; half 0
//                      starts from `start`. Reads only the tokens' codes, not their scales.
#pragma once

#include "matrix_unit.hip.h"
#include "mma.hip.h"
#include "token_unit.hip.h"

namespace hearth::kernels::hip {

struct LanePlace {
  int row, token, packed_lane;
};

/// Loads the scales of neighbouring tokens, two at a time; the first token is even.
template <int kCount>
GPU_DEVICE void copy_neighbours(GroupScale (&to)[kCount], const void* from) {
  GPU_UNROLL for (int i = 0; i < kCount / 2; i++) {
    const uint4 two = static_cast<const uint4*>(from)[i];
    memcpy(&to[2 * i], &two, sizeof two);
  }
}

template <int kSums>
GPU_DEVICE void start_dots(int start, int (&c)[2][kSums]) {
  GPU_UNROLL for (int i = 0; i < kSums; i++) c[0][i] = start, c[1][i] = 0;
}

/// NVIDIA's matrix instruction, whose operands are the words of the packed layout (mma.hip.h).
template <bool kCopiesAhead>
struct QuadFragment {
  static constexpr int kPackedLanes = 1, kRows = 2;
  static constexpr int kWarpTiles = kCopiesAhead ? 2 : 1;
  static constexpr bool kCopies = kCopiesAhead;
  static constexpr int kTokens = 8, kOwn = 2, kStep = 1, kSums = kRows * kOwn;

  GPU_DEVICE LanePlace place(int lane) { return {lane / 4, lane % 4 * 2, lane}; }
  GPU_DEVICE void scales(GroupScale (&to)[kOwn], const GroupTokens& tokens, int lane) {
    copy_neighbours(to, tokens.scales + lane % 4);
  }

  template <bool kHalves>
  GPU_DEVICE void dots(int start, int (&c)[2][kSums], const int (&a)[1][4],
                       const GroupTokens& tokens, int lane) {
    int b[2];
    load_pair(b, reinterpret_cast<const uint2*>(tokens.q) + lane);
    mma_group<kHalves>(start, c, a[0], b, kTokens);
  }
};

/// Dot products, for GPUs without matrix instructions: a lane has whole groups of two rows and
/// multiplies them by four tokens. Its tokens are four apart, so that lanes read different banks of
/// shared memory.
struct DotFragment {
  static constexpr int kPackedLanes = 4, kRows = 2, kWarpTiles = 1;
  static constexpr bool kCopies = false;
  static constexpr int kTokens = 16, kOwn = 4, kStep = 4, kSums = kRows * kOwn;

  GPU_DEVICE LanePlace place(int lane) { return {lane % 8, lane / 8, lane % 8 * 4}; }
  GPU_DEVICE void scales(GroupScale (&to)[kOwn], const GroupTokens& tokens, int lane) {
    GPU_UNROLL for (int j = 0; j < kOwn; j++) to[j] = *tokens.scale(lane / 8 + j * kStep);
  }

  template <bool kHalves>
  GPU_DEVICE void dots(int start, int (&c)[2][kSums], const int (&a)[4][4],
                       const GroupTokens& tokens, int lane) {
    start_dots(start, c);
    schedule_fence();
    GPU_UNROLL for (int j = 0; j < kOwn; j++) {
      const uint4* x = tokens.columns(lane / 8 + j * kStep);
      GPU_UNROLL for (int i = 0; i < 2; i++) {
        const uint4 v = x[i];
        const uint32_t words[4] = {v.x, v.y, v.z, v.w};
        GPU_UNROLL for (int k = 0; k < 4; k++) GPU_UNROLL for (int row = 0; row < kRows; row++) {
          const int packed = 2 * i + k / 2, half = k % 2;
          int& to = c[kHalves ? half : 0][row * kOwn + j];
          to = dot4(a[packed][2 * half + row], static_cast<int>(words[k]), to);
        }
      }
    }
  }
};

#if defined(GPU_HAS_WMMA)

/// WMMA of gfx11 (Radeon RX 7000): 32 lanes. Lanes l and l + 16 both bring the same 16 columns of a
/// token and of a row, and each gets the row's sums for eight tokens: those of every other row of
/// the first operand. So token 8h + i is put into row 2i + h of that operand.
struct WmmaFragment {
  static constexpr int kPackedLanes = 4, kRows = 1, kWarpTiles = 1;
  static constexpr bool kCopies = false;
  static constexpr int kTokens = 16, kOwn = 8, kStep = 1, kSums = kRows * kOwn;

  GPU_DEVICE LanePlace place(int lane) { return {lane % 16, lane / 16 * 8, lane % 8 * 4}; }
  GPU_DEVICE void scales(GroupScale (&to)[kOwn], const GroupTokens& tokens, int lane) {
    copy_neighbours(to, tokens.scale(lane / 16 * 8));
  }

  template <bool kHalves>
  GPU_DEVICE void dots(int start, int (&c)[2][kSums], const int (&a)[4][4],
                       const GroupTokens& tokens, int lane) {
    start_dots(start, c);
    schedule_fence();
    const uint4* x = tokens.columns(lane % 2 * 8 + lane % 16 / 2);
    const uint4 low = x[0], high = x[1];
    const int b[2][4] = {{int(low.x), int(low.z), int(high.x), int(high.z)},
                         {int(low.y), int(low.w), int(high.y), int(high.w)}};
    GPU_UNROLL for (int half = 0; half < 2; half++) {
      const int words[4] = {a[0][2 * half], a[1][2 * half], a[2][2 * half], a[3][2 * half]};
      wmma_half(c[kHalves ? half : 0], b[half], words);
    }
  }
};

#endif
#if defined(GPU_HAS_WMMA12)

/// WMMA of gfx12 (Radeon RX 9000): 32 lanes. Lane l brings eight columns of a token and of a row,
/// lane l + 16 the other eight, and each gets the row's sums for eight tokens.
struct Wmma12Fragment {
  static constexpr int kPackedLanes = 2, kRows = 1, kWarpTiles = 1;
  static constexpr bool kCopies = false;
  static constexpr int kTokens = 16, kOwn = 8, kStep = 1, kSums = kRows * kOwn;

  GPU_DEVICE LanePlace place(int lane) {
    return {lane % 16, lane / 16 * 8, lane % 8 * 4 + lane / 16 * 2};
  }
  GPU_DEVICE void scales(GroupScale (&to)[kOwn], const GroupTokens& tokens, int lane) {
    copy_neighbours(to, tokens.scale(lane / 16 * 8));
  }

  template <bool kHalves>
  GPU_DEVICE void dots(int start, int (&c)[2][kSums], const int (&a)[2][4],
                       const GroupTokens& tokens, int lane) {
    start_dots(start, c);
    schedule_fence();
    const uint4 x = tokens.columns(lane % 16)[lane / 16];
    const int b[2][2] = {{int(x.x), int(x.z)}, {int(x.y), int(x.w)}};
    GPU_UNROLL for (int half = 0; half < 2; half++) {
      const int words[2] = {a[0][2 * half], a[1][2 * half]};
      wmma_half(c[kHalves ? half : 0], b[half], words);
    }
  }
};

#endif

#if defined(GPU_HAS_MMA)
using Fragment = QuadFragment<GPU_COPIES_AHEAD>;
#elif defined(GPU_EMULATION)  // chosen at run time
#elif defined(GPU_HAS_WMMA)
using Fragment = WmmaFragment;
#elif defined(GPU_HAS_WMMA12)
using Fragment = Wmma12Fragment;
#else
using Fragment = DotFragment;
#endif

}  // namespace hearth::kernels::hip
