// Many tokens by tiles of 16 rows, as each kind of GPU multiplies small matrices: which lanes work
// together, whose weights a lane brings, and which rows' and tokens' sums it gets. A lane's sums
// are of the rows whose weights it has, so that it needs no other lane's scales; therefore AMD's
// instructions get the tokens as their first operand. Dots of a group, or of its two halves, are
// exact integers: the same whichever fragment adds them.
//
// Fragments have
//   kLanes, kTiles     lanes that work together, and tiles of rows that they take
//   kParts             neighbouring lanes of the packed layout (formats.h) whose weights a lane has
//   kRows              rows of a lane, 8 apart; 1: it drops the other half of what it loads
//   kRowTiles          so many times kTiles they take: a token's operands serve them all
//   kCopies            whether weights come to shared memory, too, in copies that pass no register
//   kTokens            tokens at a time
//   kOwn, kStep        how many of them are a lane's, and how far apart
//   place()            a lane's tile, first row and first token, and its first packed lane
//   scales()           of its tokens
//   dots()             c[half][row][own token], from words a[part][2 * half + row]; half 0 begins
//                      with `start`. Of the tokens it reads the codes alone.
#pragma once

#include "matrix_unit.hip.h"
#include "mma.hip.h"
#include "token_unit.hip.h"

namespace hearth::kernels::hip {

struct LanePlace {
  int tile, row, token, packed_lane;
};

/// Scales of neighbouring tokens, the first an even one: two a load.
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

/// NVIDIA's matrix instruction, for which the packed layout was made: see mma.hip.h.
struct QuadFragment {
  static constexpr int kLanes = 32, kTiles = 1, kParts = 1, kRows = 2, kRowTiles = 2;
  static constexpr bool kCopies = true;
  static constexpr int kTokens = 8, kOwn = 2, kStep = 1, kSums = kRows * kOwn;

  GPU_DEVICE LanePlace place(int lane) { return {0, lane / 4, lane % 4 * 2, lane}; }
  GPU_DEVICE void scales(GroupScale (&to)[kOwn], const GroupTokens& tokens, int lane) {
    copy_neighbours(to, tokens.scales + lane % 4);
  }

  template <bool kHalves>
  GPU_DEVICE void dots(int start, int (&c)[2][kSums], const int (&a)[1][4],
                       const GroupTokens& tokens, int lane) {
    const uint2 x = reinterpret_cast<const uint2*>(tokens.q)[lane];
    const int b[2] = {static_cast<int>(x.x), static_cast<int>(x.y)};
    if constexpr (kHalves) {
      start_dots(start, c);
      mma_16(c[0], a[0][0], a[0][1], b[0], kTokens);
      mma_16(c[1], a[0][2], a[0][3], b[1], kTokens);
    } else {
      mma_32_from(start, c[0], a[0], b, kTokens);
    }
  }
};

/// No matrix instruction: a lane has whole groups of two rows and multiplies four tokens by them.
/// Its tokens are four apart, so that lanes read different banks of shared memory.
struct DotFragment {
  static constexpr int kLanes = 32, kTiles = 1, kParts = 4, kRows = 2, kRowTiles = 1;
  static constexpr bool kCopies = false;
  static constexpr int kTokens = 16, kOwn = 4, kStep = 4, kSums = kRows * kOwn;

  GPU_DEVICE LanePlace place(int lane) { return {0, lane % 8, lane / 8, lane % 8 * 4}; }
  GPU_DEVICE void scales(GroupScale (&to)[kOwn], const GroupTokens& tokens, int lane) {
    GPU_UNROLL for (int j = 0; j < kOwn; j++) to[j] =
        *GroupTokens::scale(tokens, lane / 8 + j * kStep);
  }

  template <bool kHalves>
  GPU_DEVICE void dots(int start, int (&c)[2][kSums], const int (&a)[4][4],
                       const GroupTokens& tokens, int lane) {
    start_dots(start, c);
    schedule_fence();
    GPU_UNROLL for (int j = 0; j < kOwn; j++) {
      const uint4* x = GroupTokens::columns(tokens, lane / 8 + j * kStep);
      GPU_UNROLL for (int i = 0; i < 2; i++) {
        const uint4 v = x[i];
        const uint32_t words[4] = {v.x, v.y, v.z, v.w};
        GPU_UNROLL for (int k = 0; k < 4; k++) GPU_UNROLL for (int row = 0; row < kRows; row++) {
          const int part = 2 * i + k / 2, half = k % 2;
          int& to = c[kHalves ? half : 0][row * kOwn + j];
          to = dot4(a[part][2 * half + row], static_cast<int>(words[k]), to);
        }
      }
    }
  }
};

#if defined(GPU_HAS_MFMA)

/// Instinct: 64 lanes; a lane brings four columns of a token and four of a row, and gets the row's
/// sums with four tokens. Rows of two tiles fill the 16 columns of the instruction, twice.
struct MfmaFragment {
  static constexpr int kLanes = 64, kTiles = 2, kParts = 1, kRows = 2, kRowTiles = 1;
  static constexpr bool kCopies = false;
  static constexpr int kTokens = 16, kOwn = 4, kStep = 1, kSums = kRows * kOwn;

  GPU_DEVICE LanePlace place(int lane) {
    return {lane / 8 % 2, lane % 8, lane / 16 * 4, lane % 8 * 4 + lane / 16};
  }
  GPU_DEVICE void scales(GroupScale (&to)[kOwn], const GroupTokens& tokens, int lane) {
    copy_neighbours(to, GroupTokens::scale(tokens, lane / 16 * 4));
  }

  template <bool kHalves>
  GPU_DEVICE void dots(int start, int (&c)[2][kSums], const int (&a)[1][4],
                       const GroupTokens& tokens, int lane) {
    start_dots(start, c);
    const uint4* columns = GroupTokens::columns(tokens, lane % 16);
    const uint2 x = reinterpret_cast<const uint2*>(columns)[lane / 16];
    const int b[2] = {static_cast<int>(x.x), static_cast<int>(x.y)};
    GPU_UNROLL for (int row = 0; row < kRows; row++) {
      const int words[2] = {a[0][row], a[0][2 + row]};
      if constexpr (kHalves) {
        mfma_half(c[0] + row * kOwn, b[0], words[0]);
        mfma_half(c[1] + row * kOwn, b[1], words[1]);
      } else {
        mfma_group(c[0] + row * kOwn, b, words);
      }
    }
  }
};

#endif
#if defined(GPU_HAS_WMMA)

/// Radeon RX 7000: 32 lanes; a lane brings 16 columns of a token and of a row, as does the lane 16
/// from it, and each gets the row's sums with eight tokens: those of every other row of the first
/// operand, so that token 8h + i goes to its row 2i + h.
struct WmmaFragment {
  static constexpr int kLanes = 32, kTiles = 1, kParts = 4, kRows = 1, kRowTiles = 1;
  static constexpr bool kCopies = false;
  static constexpr int kTokens = 16, kOwn = 8, kStep = 1, kSums = kRows * kOwn;

  GPU_DEVICE LanePlace place(int lane) { return {0, lane % 16, lane / 16 * 8, lane % 8 * 4}; }
  GPU_DEVICE void scales(GroupScale (&to)[kOwn], const GroupTokens& tokens, int lane) {
    copy_neighbours(to, GroupTokens::scale(tokens, lane / 16 * 8));
  }

  template <bool kHalves>
  GPU_DEVICE void dots(int start, int (&c)[2][kSums], const int (&a)[4][4],
                       const GroupTokens& tokens, int lane) {
    start_dots(start, c);
    schedule_fence();
    const uint4* x = GroupTokens::columns(tokens, lane % 2 * 8 + lane % 16 / 2);
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

/// Radeon RX 9000: 32 lanes; a lane brings eight columns of a token and of a row, the lane 16 from
/// it the other eight, and each gets the row's sums with eight tokens.
struct Wmma12Fragment {
  static constexpr int kLanes = 32, kTiles = 1, kParts = 2, kRows = 1, kRowTiles = 1;
  static constexpr bool kCopies = false;
  static constexpr int kTokens = 16, kOwn = 8, kStep = 1, kSums = kRows * kOwn;

  GPU_DEVICE LanePlace place(int lane) {
    return {0, lane % 16, lane / 16 * 8, lane % 8 * 4 + lane / 16 * 2};
  }
  GPU_DEVICE void scales(GroupScale (&to)[kOwn], const GroupTokens& tokens, int lane) {
    copy_neighbours(to, GroupTokens::scale(tokens, lane / 16 * 8));
  }

  template <bool kHalves>
  GPU_DEVICE void dots(int start, int (&c)[2][kSums], const int (&a)[2][4],
                       const GroupTokens& tokens, int lane) {
    start_dots(start, c);
    schedule_fence();
    const uint4 x = GroupTokens::columns(tokens, lane % 16)[lane / 16];
    const int b[2][2] = {{int(x.x), int(x.z)}, {int(x.y), int(x.w)}};
    GPU_UNROLL for (int half = 0; half < 2; half++) {
      const int words[2] = {a[0][2 * half], a[1][2 * half]};
      wmma_half(c[kHalves ? half : 0], b[half], words);
    }
  }
};

#endif

#if defined(GPU_NV_SHIM)
using Fragment = QuadFragment;
#elif defined(GPU_EMULATION)  // chosen when it runs
#elif defined(GPU_HAS_MFMA)
using Fragment = MfmaFragment;
#elif defined(GPU_HAS_WMMA)
using Fragment = WmmaFragment;
#elif defined(GPU_HAS_WMMA12)
using Fragment = Wmma12Fragment;
#else
using Fragment = DotFragment;
#endif

}  // namespace hearth::kernels::hip
