// GEMM fragments. A fragment describes how one kind of GPU multiplies one group (32 columns of a
// tile of weights) by some tokens, with a matrix instruction or with dot products: the weights that
// each lane supplies, and the rows and tokens of the sums that it receives. A lane receives sums
// for rows whose weights it supplies, so that it needs no other lane's scales. On AMD, a lane
// receives sums for the part of the second operand that it supplied, so the weights are the second
// operand and the tokens the first. Dot products of a group, or of its halves, are exact integers,
// and so equal in all fragments.
//
// A packed lane is one lane's share of a tile in formats.h. Fragments have
//   kPackedLanes       the number of neighbouring packed lanes whose weights a lane supplies
//   kRows              the rows of a lane, 8 apart. If 1, the lane loads two rows and
//                      ignores one
//   kWarpTiles         the tiles of rows of a warp; they share the operands of a token
//   kCopiesWeights     whether the weights, like the tokens, are copied to shared memory
//                      asynchronously
//   kTokens            the number of tokens multiplied at a time
//   kOwn, kStep        the number of tokens whose sums a lane gets, and their distance
//   kSums              kRows * kOwn
//   place()            a lane's first row, first token and first packed lane
//   scales()           loads the scales of the lane's tokens
//   dots<kHalves>()    sets c[half][row * kOwn + token] from the weight words a[packed][2 * half +
//                      row]. With kHalves each half group has its own sum; without, both go to
//                      c[0], and c[1] has no meaning. c[0] starts from `start`. It reads only the
//                      tokens' codes, not their scales.
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
struct MmaFragment {
  static constexpr int kPackedLanes = 1, kRows = 2;
  static constexpr int kWarpTiles = kCopiesAhead ? 2 : 1;
  static constexpr bool kCopiesWeights = kCopiesAhead;
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

/// Dot products, for GPUs without matrix instructions: a lane has the whole group of two rows and
/// multiplies it by four tokens. Its tokens are four apart, so that lanes read different banks of
/// shared memory.
struct DotFragment {
  static constexpr int kPackedLanes = 4, kRows = 2, kWarpTiles = 1;
  static constexpr bool kCopiesWeights = false;
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

/// WMMA of gfx11 (Radeon RX 7000): 32 lanes. Lanes l and l + 16 both supply the same 16 columns of
/// a token and of a row, and each gets that row's sums for eight tokens. Lane half h (lane / 16)
/// gets the sums of rows h, 2 + h, 4 + h, ... of the first operand. We want it to get tokens 8h to
/// 8h + 7, so token 8h + i goes into operand row 2i + h.
struct WmmaFragment {
  static constexpr int kPackedLanes = 4, kRows = 1, kWarpTiles = 1;
  static constexpr bool kCopiesWeights = false;
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

/// WMMA of gfx12 (Radeon RX 9000): 32 lanes. Lane l supplies eight columns of a token and of a row,
/// lane l + 16 supplies the other eight, and each gets that row's sums for eight tokens.
struct Wmma12Fragment {
  static constexpr int kPackedLanes = 2, kRows = 1, kWarpTiles = 1;
  static constexpr bool kCopiesWeights = false;
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
using Fragment = MmaFragment<GPU_COPIES_AHEAD>;
#elif defined(GPU_EMULATION)  // chosen at run time
#elif defined(GPU_HAS_WMMA)
using Fragment = WmmaFragment;
#elif defined(GPU_HAS_WMMA12)
using Fragment = Wmma12Fragment;
#else
using Fragment = DotFragment;
#endif

}  // namespace hearth::kernels::hip
