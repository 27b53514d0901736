// The software pipeline of the GEMM, which brings units of weights and tokens to the lanes.
// WidePlace is a warp's place, and ShareCursor walks through the units that it reads. Two pipelines
// with the same members keep the next units in flight while one is multiplied: RegisterUnits loads
// through registers (AMD, sm_75), CopiedUnits copies asynchronously to shared memory (NVIDIA from
// sm_80 on).
#pragma once

#include <type_traits>

#include "fragment.hip.h"
#include "matmul.hip.h"

namespace hearth::kernels::hip {

/// A lane's place in its thread block. A warp has some tiles and tokens. The warps that together
/// cover all tiles and tokens of the thread block are a split.
template <int kTokens, int kTiles, class F>
struct WidePlace {
  static constexpr int kWarpTokens = F::kWarpTiles > 1 ? 32 : kTokens;
  static constexpr int kTokenWarps = kTokens / kWarpTokens;
  static constexpr int kSplitThreads = kTiles / F::kWarpTiles * kTokenWarps * GPU_LANES;
  int lane, tile, token_tile, split, n_splits;

  GPU_DEVICE WidePlace of_thread() {
    WidePlace w;
    const unsigned thread = reload_thread();  // unsigned, so that % is a mask
    w.lane = thread % GPU_LANES;
    w.n_splits = blockDim.x / kSplitThreads;
    w.split = uniform(thread / kSplitThreads);  // whole waves
    const unsigned warp = thread % kSplitThreads / GPU_LANES;
    w.tile = warp / kTokenWarps * F::kWarpTiles;
    w.token_tile = warp % kTokenWarps * (kWarpTokens / kTileTokens);
    return w;
  }
  /// The index of the thread in its split.
  GPU_DEVICE int thread() { return reload_thread() % kSplitThreads; }
};

/// The current unit of a split, which reads the shares split, split + n_splits, ... of a row in
/// turn. A share is a quad of slices or, in super-block formats, a slice. After the last share the
/// cursor is empty.
struct ShareCursor {
  int share, unit, end;

  template <BlockType kType>
  GPU_DEVICE ShareCursor of(const MatmulParams& p, int share) {
    constexpr int kSlices = Layout<kType>::kSuper ? 1 : kQuad;
    const int first = share * kSlices, n_slices = 1 << p.log2_slices;
    if (first >= n_slices) return {share, 0, 0};
    return {share, slice_begin<kType>(p, first),
            slice_begin<kType>(p, min(first + kSlices, n_slices))};
  }
  GPU_MEMBER bool has_unit() const { return unit < end; }
  template <BlockType kType>
  GPU_MEMBER ShareCursor next(const MatmulParams& p, int n_splits) const {
    if (unit + 1 < end) return {share, unit + 1, end};
    return of<kType>(p, share + n_splits);
  }
};

/// The slice of the current unit in its quad; for formats without super-blocks.
struct SliceCursor {
  int slice, end;  // end: the unit after the slice's last one

  template <BlockType kType>
  GPU_DEVICE SliceCursor of(const MatmulParams& p, int share) {
    return {share * kQuad, slice_begin<kType>(p, share * kQuad + 1)};
  }
  GPU_MEMBER bool is_first_of_quad() const { return slice % kQuad == 0; }
  template <BlockType kType>
  GPU_MEMBER SliceCursor next(const MatmulParams& p) const {
    return {slice + 1, slice_begin<kType>(p, slice + 2)};
  }
};

/// A tile of the thread block; past the end, the last tile.
GPU_DEVICE const uint8_t* wide_tile(const MatmulParams& p, int tile) {
  return tile_data(p, first_tile(p) + min(tile, count_block_tiles(p) - 1));
}

/// The scale entries of a super-block's four units, unit_step bytes apart, from which minima are
/// unpacked.
struct BlockEntries {
  const uint8_t* first;
  int unit_step;
};

/// The minima of a lane's rows in the 16 half groups of a super-block, as operand words of a group.
template <BlockType kType, class F>
GPU_DEVICE void load_minima(int (&a)[F::kPackedLanes][4], const BlockEntries& entries,
                            const LanePlace& place) {
  GPU_UNROLL for (int packed = 0; packed < F::kPackedLanes; packed++) {
    const int unit = (place.packed_lane + packed) % 4, row = place.packed_lane / 4;
    uint32_t words[2];
    load_words(words,
               entries.first + unit * entries.unit_step + row * 4 * Layout<kType>::kEntryBytes);
    if (F::kRows == 1) words[0] = choose(place.row & 8, words[1], words[0]);
    GPU_UNROLL for (int i = 0; i < 4; i++) a[packed][i] = minima_word<kType>(words[i % F::kRows]);
  }
}

/// The pipeline through registers. The next unit of tokens is loaded into registers and then stored
/// to one of two buffers in shared memory, while the other buffer is in use. The next unit of
/// weights stays in registers.
template <BlockType kType, int kTokens, int kTiles, class F>
struct RegisterUnits {
  using Place = WidePlace<kTokens, kTiles, F>;
  using Tokens = TokenUnit<kTokens>;
  using InFlight = UnitInFlight<kTokens, (Place::kSplitThreads < 128 ? Place::kSplitThreads : 128)>;
  using Weights = Unit<kType, F::kPackedLanes>;
  static_assert(F::kWarpTiles == 1);
  const uint8_t* data;
  Weights weights, next;
  InFlight in_flight;
  Tokens* buffers;
  int current;

  GPU_DEVICE uint4* end(uint4* shared, int n_splits) {
    return reinterpret_cast<uint4*>(reinterpret_cast<Tokens*>(shared) + 2 * n_splits);
  }
  /// Called before wait_for_previous(): loads the first weights.
  GPU_DEVICE RegisterUnits of(const MatmulParams& p, const Place& w, const LanePlace& place,
                              const ShareCursor& first, uint4* shared) {
    RegisterUnits u;
    u.data = wide_tile(p, w.tile);
    u.buffers = reinterpret_cast<Tokens*>(shared) + 2 * w.split;
    u.current = 0;
    u.weights = Weights::load(u.data, first.unit, place.packed_lane);
    return u;
  }
  /// Loads the first unit of tokens and advances `ahead`.
  GPU_MEMBER void start(const MatmulParams& p, const Place& w, ShareCursor& ahead) {
    const int first_tile = blockIdx.x * (kTokens / kTileTokens);
    in_flight = InFlight::load(p.x, first_tile, ahead.unit, Place::thread());
    in_flight.store(Place::thread(), buffers[0]);
    ahead = ahead.next<kType>(p, w.n_splits);
    __syncthreads();
  }
  /// Starts loading the unit at `ahead`; the unit at `now` is in weights_of() and tokens(). At the
  /// end it reads the last unit again: for a conditional load, the compiler would insert a wait
  /// immediately.
  GPU_MEMBER void begin_step(const MatmulParams& p, const Place& w, const ShareCursor& now,
                             ShareCursor& ahead) {
    if (!now.has_unit()) return;
    const int first_tile = blockIdx.x * (kTokens / kTileTokens);
    const int unit = ahead.has_unit() ? ahead.unit : now.unit;
    const int packed_lane = F::place(reload_thread() % GPU_LANES).packed_lane;
    next = Weights::load(data, unit, packed_lane);
    in_flight = InFlight::load(p.x, first_tile, unit, Place::thread());
    if (ahead.has_unit()) ahead = ahead.next<kType>(p, w.n_splits);
  }
  GPU_MEMBER Weights weights_of(int) const {
    if constexpr (F::kRows == 1)
      return weights.keep_row((F::place(reload_thread() % GPU_LANES).row & 8) != 0);
    else
      return weights;
  }
  GPU_MEMBER const Tokens& tokens() const { return buffers[current]; }
  /// For the super-block that ends with this unit: the scale entries of one tile of weights.
  GPU_MEMBER BlockEntries entries_of(const MatmulParams& p, int tile, int unit) const {
    using L = Layout<kType>;
    return {record_of<kType>(wide_tile(p, tile), unit) + L::kScaleOffset, L::kUnitBytes};
  }
  /// For the same super-block: the half sums of the tokens from token_tile on.
  GPU_MEMBER GroupTokens half_sums_of(const MatmulParams& p, int token_tile, int unit) const {
    const int n_blocks = p.x.n_groups / kBlockGroups, step = kTileTokens * kGroup / 16;
    const int64_t tile = int64_t{blockIdx.x} * (kTokens / kTileTokens) + token_tile;
    const uint4* from = reinterpret_cast<const uint4*>(p.x.half_sums);
    return {from + (tile * n_blocks + unit / kBlockUnits) * step, nullptr, n_blocks * step};
  }
  GPU_MEMBER void end_step(bool had_unit) {
    if (had_unit) {
      weights = next;
      current = 1 - current;
      in_flight.store(Place::thread(), buffers[current]);
    }
    __syncthreads();
  }
};

/// The pipeline of asynchronous copies: tokens and packed weights go to shared memory, several
/// units ahead (kCopyStages).
template <BlockType kType, int kTokens, int kTiles, class F>
struct CopiedUnits {
  using Place = WidePlace<kTokens, kTiles, F>;
  using Tokens = TokenUnit<kTokens>;
  using Weights = Unit<kType, F::kPackedLanes>;
  using L = Layout<kType>;
  static constexpr int kTailBytes = L::kSuper ? 16 * L::kTailEntry : 0;
  static constexpr int kTileBytes = L::kUnitBytes + kTailBytes;
  struct PlainStage {
    Tokens tokens;
    uint4 weights[kTiles][kTileBytes / 16];
  };
  /// In super-block formats with minima, the stage of a super-block's last unit also has the scale
  /// entries of its four units (per tile and unit: kEntries words of 16 bytes) and the half sums
  /// (per token tile: kHalfSums words).
  static constexpr int kEntries = 2 * L::kEntryBytes, kHalfSums = kTileTokens * kGroup / 16;
  struct MinimaStage : PlainStage {
    uint4 entries[kTiles][kBlockUnits * kEntries];
    uint4 half_sums[Tokens::kTokenTiles][kHalfSums];
  };
  using Stage = std::conditional_t<L::kMinima, MinimaStage, PlainStage>;
  /// A warp's part of the copies of each unit, 16 bytes per lane at a time: kOwnTiles tiles of
  /// weights, and kTokenTiles token tiles, each with 512 bytes of codes and 128 bytes (kScales
  /// words) of scales.
  static constexpr int kWarps = Place::kSplitThreads / GPU_LANES;
  static constexpr int kOwnTiles = kTiles / kWarps, kTokenTiles = Tokens::kTokenTiles / kWarps;
  static constexpr int kScales = Tokens::kScales;
  static_assert(kOwnTiles > 0 && kTokenTiles * kScales <= GPU_LANES && kTileBytes % 16 == 0);
  static_assert(kTokenTiles * kHalfSums % GPU_LANES == 0 && kBlockUnits * kEntries <= GPU_LANES);
  const uint8_t* data[kOwnTiles];
  const uint4 *codes, *scales, *half_sums;
  int64_t codes_step;
  Stage* stages;
  int stage;

  GPU_DEVICE uint4* end(uint4* shared, int n_splits) {
    return reinterpret_cast<uint4*>(reinterpret_cast<Stage*>(shared) + n_splits * kCopyStages);
  }
  GPU_DEVICE CopiedUnits of(const MatmulParams& p, const Place& w, const LanePlace&,
                            const ShareCursor& first, uint4* shared) {
    CopiedUnits u;
    const int warp = Place::thread() / GPU_LANES, lane = threadIdx.x % GPU_LANES;
    GPU_UNROLL for (int k = 0; k < kOwnTiles; k++) u.data[k] = wide_tile(p, warp * kOwnTiles + k);
    const int64_t tile = int64_t{blockIdx.x} * Tokens::kTokenTiles + warp * kTokenTiles;
    const int64_t codes = tile * p.x.n_groups * kTileTokens * kGroup;
    u.codes = reinterpret_cast<const uint4*>(p.x.q + codes) + lane;
    u.codes_step = int64_t{p.x.n_groups} * kTileTokens * kGroup / 16;
    const int64_t scales = (tile + lane / kScales) * p.x.n_groups * kTileTokens;
    u.scales = reinterpret_cast<const uint4*>(p.x.scales + scales) + lane % kScales;
    const int64_t half_sums = (tile + lane / kHalfSums) * (p.x.n_groups / kBlockGroups) * kHalfSums;
    u.half_sums = reinterpret_cast<const uint4*>(p.x.half_sums);
    if constexpr (L::kMinima) u.half_sums += half_sums + lane % kHalfSums;
    u.stages = reinterpret_cast<Stage*>(shared) + w.split * kCopyStages;
    u.stage = 0;
    ShareCursor ahead = first;
    GPU_NO_UNROLL for (int i = 0; i < kCopyStages - 1; i++) {
      if (ahead.has_unit()) u.copy_weights(ahead.unit, u.stages[i]);
      ahead = ahead.next<kType>(p, w.n_splits);
    }
    return u;
  }
  GPU_MEMBER void copy_weights(int unit, Stage& to) const {
    const int warp = Place::thread() / GPU_LANES, lane = threadIdx.x % GPU_LANES;
    GPU_UNROLL for (int k = 0; k < kOwnTiles; k++) {
      uint4* tile = to.weights[warp * kOwnTiles + k] + lane;
      const uint4* from = reinterpret_cast<const uint4*>(unit_at<kType>(data[k], unit)) + lane;
      GPU_UNROLL for (int i = 0; i < L::kUnitBytes / 16;
                      i += GPU_LANES) if (i + lane < L::kUnitBytes / 16)
          copy_async(tile + i, from + i);
      const uint4* tail = reinterpret_cast<const uint4*>(tail_at<kType>(data[k], unit)) + lane;
      if (lane < kTailBytes / 16) copy_async(tile + L::kUnitBytes / 16, tail);
      if constexpr (L::kMinima) {
        const uint8_t* entries = record_of<kType>(data[k], unit) + L::kScaleOffset +
                                 lane / kEntries * L::kUnitBytes + lane % kEntries * 16;
        if (is_super_block_end<kType>(unit) && lane < kBlockUnits * kEntries)
          copy_async(to.entries[warp * kOwnTiles + k] + lane,
                     reinterpret_cast<const uint4*>(entries));
      }
    }
  }
  GPU_MEMBER void copy_tokens(int unit, Stage& to) const {
    const int tile = Place::thread() / GPU_LANES * kTokenTiles, lane = threadIdx.x % GPU_LANES;
    GPU_UNROLL for (int k = 0; k < kTokenTiles; k++)
        copy_async(&to.tokens.q[tile + k][lane], codes + k * codes_step + unit * GPU_LANES);
    if (lane < kTokenTiles * kScales)
      copy_async(&to.tokens.scales[tile + lane / kScales][lane % kScales], scales + unit * kScales);
    if constexpr (L::kMinima) {
      constexpr int kAtOnce = GPU_LANES / kHalfSums;  // token tiles
      // The distance to the next token tile: a super-block has eight groups of codes, but one of
      // half sums.
      const int64_t step = codes_step / kBlockGroups;
      if (!is_super_block_end<kType>(unit)) return;
      GPU_UNROLL for (int k = 0; k < kTokenTiles; k += kAtOnce) copy_async(
          to.half_sums[tile + k] + lane, half_sums + k * step + unit / kBlockUnits * kHalfSums);
    }
  }
  /// Starts copying the first units of tokens and moves `ahead` past the units in flight.
  GPU_MEMBER void start(const MatmulParams& p, const Place& w, ShareCursor& ahead) {
    GPU_NO_UNROLL for (int i = 0; i < kCopyStages - 1; i++) {
      if (ahead.has_unit()) copy_tokens(ahead.unit, stages[i]);
      commit_copies();
      ahead = ahead.next<kType>(p, w.n_splits);
    }
  }
  /// Waits for the unit at `now` and starts copying the one at `ahead`. The barrier ensures that
  /// all threads have finished reading the stage that this copy fills.
  GPU_MEMBER void begin_step(const MatmulParams& p, const Place& w, const ShareCursor& now,
                             ShareCursor& ahead) {
    if (now.has_unit()) wait_for_copies<kCopyStages - 2>();
    barrier<Place::kSplitThreads>();
    if (!now.has_unit()) return;
    if (ahead.has_unit()) {
      Stage& to = stages[stage == 0 ? kCopyStages - 1 : stage - 1];
      copy_weights(ahead.unit, to);
      copy_tokens(ahead.unit, to);
      ahead = ahead.next<kType>(p, w.n_splits);
    }
    commit_copies();
  }
  GPU_MEMBER Weights weights_of(int k) const {
    const Place w = Place::of_thread();
    const int packed_lane = F::place(w.lane).packed_lane;
    const uint8_t* tile = reinterpret_cast<const uint8_t*>(stages[stage].weights[w.tile + k]);
    return Weights::load_at(tile, tile + L::kUnitBytes, packed_lane);
  }
  GPU_MEMBER const Tokens& tokens() const { return stages[stage].tokens; }
  GPU_MEMBER BlockEntries entries_of(const MatmulParams&, int tile, int) const {
    return {reinterpret_cast<const uint8_t*>(stages[stage].entries[tile]), kEntries * 16};
  }
  GPU_MEMBER GroupTokens half_sums_of(const MatmulParams&, int token_tile, int) const {
    return {stages[stage].half_sums[token_tile], nullptr, kHalfSums};
  }
  GPU_MEMBER void end_step(bool had_unit) {
    if (had_unit) stage = stage == kCopyStages - 1 ? 0 : stage + 1;
  }
};

template <BlockType kType, int kTokens, int kTiles, class F>
using WideUnits = std::conditional_t<F::kCopiesWeights, CopiedUnits<kType, kTokens, kTiles, F>,
                                     RegisterUnits<kType, kTokens, kTiles, F>>;

}  // namespace hearth::kernels::hip
