// x * w^T for 2 to 8 tokens, as in speculative decoding. This is still memory-bound, so the weights
// are read once. A warp takes one tile of 16 rows and up to four of its slices (split-K); other
// warps take the other slices, so that a matrix of few rows still fills the GPU.
#pragma once

#include "block_tiles.hip.h"
#include "mma.hip.h"
#include "weights.hip.h"

namespace hearth::kernels::hip {

/// A lane's operand from the activations: its columns of a token's group, and the scales of the two
/// tokens whose results the lane gets.
struct Operand {
  int q[2];
  GroupScale scales[2];
};

/// The location of a lane's operand in a group: the columns of token g, and the scales of tokens 2t
/// and 2t + 1. In place of missing tokens the lane reads the last one: the results are never
/// stored, and unconditional loads can all be in flight together.
struct OperandPlace {
  int q, scales[2];

  GPU_DEVICE OperandPlace of(int n_tokens, int lane) {
    const int last = n_tokens - 1, t = lane % 4;
    return {compute_now(min(lane / 4, last) * kGroup + t * 8),
            {compute_now(min(2 * t, last)), compute_now(min(2 * t + 1, last))}};
  }
};
struct OperandSource {
  const int8_t* q;
  const GroupScale* scales[2];

  GPU_DEVICE OperandSource of(const Activations& x, const OperandPlace& place) {
    return {x.q + place.q, {x.scales + place.scales[0], x.scales + place.scales[1]}};
  }
  /// The operand of the group that begins at slot `at`.
  GPU_MEMBER Operand load(int at) const {
    Operand x;
    load_pair(x.q, q + at * kGroup);
    x.scales[0] = scales[0][at], x.scales[1] = scales[1][at];
    return x;
  }
};

/// A lane's operand from the weights: the words of one group of one tile, and the scales of rows g
/// and g + 8, or of one of them.
template <BlockType kType, int kPackedLanes = 1, int kRows = 2>
struct GroupWeights {
  int a[kPackedLanes][4];
  RowScale scales[kRows];

  GPU_DEVICE GroupWeights of(const Unit<kType, kPackedLanes>& w, int group) {
    GroupWeights u;
    GPU_UNROLL for (int packed = 0; packed < kPackedLanes; packed++)
        GPU_UNROLL for (int i = 0; i < 4; i++) u.a[packed][i] = w.codes[packed].word(group, i);
    GPU_UNROLL for (int row = 0; row < kRows; row++) u.scales[row] = w.scales.scale(row, group);
    return u;
  }
};

/// Adds one unpacked group w of a unit to the sums of [row g, g + 8][token 2t, 2t + 1].
template <BlockType kType, int kGroupOfUnit>
GPU_DEVICE void multiply_group(const GroupWeights<kType>& w, const Unit<kType>& unit,
                               const Operand& x, int n_tokens, RowSum (&sum)[4]) {
  int c[2][4] = {};
  mma_group<Layout<kType>::kHalves>(0, c, w.a[0], x.q, n_tokens);
  GPU_UNROLL for (int i = 0; i < 4; i++) {
    const int dots[2] = {c[0][i], c[1][i]};
    add_group<kType>(sum[i], w.scales[i / 2], dots, x.scales[i % 2]);
    add_minima<kType, kGroupOfUnit>(sum[i], unit.scales.minima(i / 2), x.scales[i % 2]);
  }
}

template <BlockType kType, int kGroupOfUnit>
GPU_DEVICE void multiply_group(const Unit<kType>& unit, const Operand& x, int n_tokens,
                               RowSum (&sum)[4]) {
  multiply_group<kType, kGroupOfUnit>(GroupWeights<kType>::of(unit, kGroupOfUnit), unit, x,
                                      n_tokens, sum);
}

/// Whether a unit is the last of a super-block.
template <BlockType kType>
GPU_DEVICE constexpr bool is_super_block_end(int unit) {
  constexpr int kUnits = Layout<kType>::kUnits;
  return kUnits > 1 && unit % kUnits == kUnits - 1;
}

/// Grid (1, p.n_tiles / p.block_tiles, rounded up). Shared memory: the tokens, if they are staged,
/// their sums of squares, the sums, the QkvRows, the adapter's data (added_bytes).
template <BlockType kType>
GPU_DEVICE void stream_matmul(const MatmulParams& p) {
  GPU_DYNAMIC_SHARED(uint4, shared);
  constexpr int kTokens = kTileTokens;
  constexpr int kDepth = 4;  // units in flight
  const int lane = threadIdx.x % GPU_LANES, g = lane / 4, t = lane % 4;
  const int warp = threadIdx.x / GPU_LANES, n_warps = blockDim.x / GPU_LANES;
  const int log2_n = max(p.log2_slices - p.log2_warp_slices, 0), n_slices = 1 << p.log2_slices;
  const int n_tiles = count_block_tiles(p), tiles_at_once = n_warps >> log2_n;
  const int first_slice = (warp & ((1 << log2_n) - 1)) << p.log2_warp_slices;
  const int end_slice = min(first_slice + (1 << p.log2_warp_slices), n_slices);
  const int begin = slice_begin<kType>(p, first_slice), end = slice_begin<kType>(p, end_slice);
  const bool is_quad = !Layout<kType>::kSuper && 1 << p.log2_warp_slices == kQuad;

  // If the units in flight are exactly a super-block, a slice ends only at the last of them.
  using L = Layout<kType>;
  constexpr bool kWholeBlocks = L::kUnits == kDepth;
  const auto begin_of = [&](int tile) {
    return tile_data(p, first_tile(p) + tile) + begin / L::kUnits * L::kRecordBytes;
  };
  int next_tile = warp >> log2_n, next_unit = begin;
  const uint8_t* next = begin_of(min(next_tile, n_tiles - 1));
  // After the end it loads the last unit, or super-block, again: for a conditional load, the
  // compiler would insert a wait immediately.
  const auto load_next = [&](Unit<kType>& w, int i) {
    constexpr int kStep = kWholeBlocks ? kDepth : 1;
    const int in_record = kWholeBlocks ? i : next_unit % L::kUnits;
    w = Unit<kType>::load_at(next + in_record * L::kUnitBytes, next + L::kTailOffset, lane);
    if (kWholeBlocks && i < kDepth - 1) return;
    const bool is_end = next_unit + kStep == end;
    if (is_end && next_tile + tiles_at_once >= n_tiles) return;
    next_unit += kStep;
    if (in_record == L::kUnits - 1) next += L::kRecordBytes;
    if (is_end) next_unit = begin, next = begin_of(next_tile += tiles_at_once);
  };
  Unit<kType> ring[kDepth];
  GPU_UNROLL for (int i = 0; i < kDepth; i++) load_next(ring[i], i);
  let_next_start();
  uint8_t* bytes = reinterpret_cast<uint8_t*>(shared);
  using Sums = BlockSums<kTokens>;
  const Sums block_sums = {reinterpret_cast<float*>(bytes + p.input_bytes),
                           is_quad ? 1 << log2_n : n_slices,
                           is_quad || L::kSuper ? 1 : min(kQuad, n_slices)};

  const int n_tokens = min(kTokens, p.n_tokens);
  QkvRow* qkv_rows = reinterpret_cast<QkvRow*>(
      block_sums.data + p.block_tiles * block_sums.n_addends * Sums::kAddend);
  if (p.epilogue.kind == EpilogueKind::kQkv)
    load_qkv_rows<kTokens>(reload(p), n_tiles, n_tokens, qkv_rows);
  prefetch_norm(reload(p));
  copy_rank_tiles(reload(p));
  const int residual_at = compute_now(place_before<kTokens>(reload(p), n_tiles, n_tokens));
  const bool is_staged = p.input != InputKind::kMemory;
  const Activations staged = staged_tokens(p, p.n_tokens, shared);
  const OperandPlace place = OperandPlace::of(n_tokens, lane);
  // The place of the lane's sums for the warp's first tile: row g, token 2t.
  const int first_addend = is_quad ? first_slice / kQuad : first_slice;
  const int tile_sums = block_sums.n_addends * Sums::kAddend;
  float* to =
      block_sums.data + compute_now((warp >> log2_n) * tile_sums + first_addend * Sums::kAddend +
                                    g * Sums::kStride + 2 * t);
  const int first_end = compute_now(slice_begin<kType>(p, first_slice + 1));
  wait_for_previous();
  const EarlyRows early = {qkv_rows, reload(p).epilogue.out[residual_at],
                           is_staged ? staged.squares : reinterpret_cast<const float*>(shared)};
  // Compiled twice, for tokens in shared and in global memory. With one version, GPUs use generic
  // loads, which are slower (eight tokens take 2 to 6 % longer on an H200).
  const auto multiply = [&](const Activations& x) GPU_INLINE {
    const OperandSource source = OperandSource::of(x, place);
    const int n_slots = x.n_slots, begin_slot = 2 * begin * n_slots;
    RowSum sums[4] = {};  // of the slice that is being read
    float quad[4] = {};   // of the quad's slices before it
    int unit = begin, at = begin_slot, slice = first_slice, slice_end = first_end;
    const float* all = block_sums.data + n_tiles * tile_sums;
    const auto step = [&](int i) {
      Unit<kType>& from = ring[i];
      const bool ends_block = kWholeBlocks ? i == kDepth - 1 : is_super_block_end<kType>(unit);
      const Operand x0 = source.load(at);
      const Operand x1 = source.load(at + n_slots);
      multiply_group<kType, 0>(from, x0, n_tokens, sums);
      multiply_group<kType, 1>(from, x1, n_tokens, sums);
      if (ends_block) {
        const RowScale rows[2] = {from.scales.scale(0, 0), from.scales.scale(1, 0)};
        GPU_UNROLL for (int j = 0; j < 4; j++)
            close_block<kType>(sums[j], rows[j / 2], x0.scales[j % 2].scale);
      }
      load_next(from, i);
      unit++, at += 2 * n_slots;
      if ((kWholeBlocks && i < kDepth - 1) || unit < slice_end) return;
      GPU_UNROLL for (int j = 0; j < 4; j++) quad[j] += sums[j].total, sums[j].total = 0;
      const bool ends_tile = ++slice == end_slice;
      if (!is_quad || ends_tile) {
        GPU_UNROLL for (int j = 0; j < 4; j++) {
          to[j / 2 * 8 * Sums::kStride + j % 2] = quad[j];
          quad[j] = 0;
        }
        to += is_quad ? 0 : Sums::kAddend;
      }
      if (ends_tile) {
        unit = begin, at = begin_slot, slice = first_slice;
        to += tiles_at_once * tile_sums - (is_quad ? 0 : (end_slice - first_slice) * Sums::kAddend);
      }
      slice_end = slice_begin<kType>(p, slice + 1);
    };
    // Written out instead of a loop over the ring, because registers cannot be indexed at run time.
    static_assert(kDepth == 4);
    GPU_NO_UNROLL while (to < all) {
      step(0);
      if (kWholeBlocks || to < all) step(1);
      if (kWholeBlocks || to < all) step(2);
      if (kWholeBlocks || to < all) step(3);
    }
  };
  if (is_staged)
    stage_tokens<kType>(reload(p), nullptr, p.n_tokens, staged);
  else
    stage_squares(reload(p), n_tokens, shared);
  if (is_staged)
    multiply(staged);
  else
    multiply(reload(p).x);
  take_lowered<2>(reload(p));
  __syncthreads();
  store_block<kTokens>(reload(p), block_sums, n_tokens, early);
}

}  // namespace hearth::kernels::hip
