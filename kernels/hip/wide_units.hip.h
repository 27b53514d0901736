// The software pipeline of the GEMM: how units of weights and tokens reach the lanes. First who
// works with whom (WidePlace) and which units they read (WayCursor). Then two pipelines with the
// same members, which keep the next units in flight while one is multiplied: RegisterUnits loads
// through registers (AMD), CopiedUnits copies asynchronously to shared memory (NVIDIA).
#pragma once

#include <type_traits>

#include "fragment.hip.h"
#include "matmul.hip.h"

namespace hearth::kernels::hip {

/// A lane's place in its thread block. The lanes of a fragment are a team, which has some tiles and
/// tokens. The teams that together cover all tiles and tokens of the thread block are a way.
template <int kTokens, int kTiles, class F>
struct WidePlace {
  static constexpr int kTeamTokens = F::kRowTiles > 1 ? 32 : kTokens;
  static constexpr int kTeamTiles = F::kTiles * F::kRowTiles;
  static constexpr int kTokenTeams = kTokens / kTeamTokens;
  static constexpr int kWayThreads = kTiles / kTeamTiles * kTokenTeams * F::kLanes;
  int lane, tile, token_tile, way, n_ways;

  GPU_DEVICE WidePlace of() {
    WidePlace w;
    const int thread = late_thread();
    w.lane = thread % F::kLanes;
    w.n_ways = blockDim.x / kWayThreads;
    w.way = uniform(thread / kWayThreads);  // a way consists of whole waves
    const int team = thread % kWayThreads / F::kLanes;
    w.tile = team / kTokenTeams * kTeamTiles;
    w.token_tile = team % kTokenTeams * (kTeamTokens / kTileTokens);
    return w;
  }
  /// The index of the thread in its way.
  GPU_DEVICE int thread() { return late_thread() % kWayThreads; }
};

/// The current unit of a way, which reads the parts way, way + n_ways, ... of a row in turn. A part
/// is a quad of slices or, in super-block formats, a slice. After the last part the cursor is
/// empty.
struct WayCursor {
  int part, unit, end;

  template <BlockType kType>
  GPU_DEVICE WayCursor of(const MatmulParams& p, int part) {
    constexpr int kSlices = Layout<kType>::kSuper ? 1 : kQuad;
    const int first = part * kSlices, n_slices = 1 << p.log2_slices;
    if (first >= n_slices) return {part, 0, 0};
    return {part, slice_begin<kType>(p, first),
            slice_begin<kType>(p, min(first + kSlices, n_slices))};
  }
  GPU_DEVICE bool has_unit(const WayCursor& c) { return c.unit < c.end; }
  template <BlockType kType>
  GPU_DEVICE WayCursor next(const WayCursor& c, const MatmulParams& p, int n_ways) {
    if (c.unit + 1 < c.end) return {c.part, c.unit + 1, c.end};
    return of<kType>(p, c.part + n_ways);
  }
};

/// A tile of the thread block. Lanes beyond the last tile read that one.
GPU_DEVICE const uint8_t* wide_tile(const MatmulParams& p, int tile) {
  return tile_data(p, blockIdx.y * p.block_tiles + min(tile, count_block_tiles(p) - 1));
}

/// The scale entries of a super-block, which its minima are unpacked from: those of its four units,
/// unit_step bytes apart.
struct BlockEntries {
  const uint8_t* first;
  int unit_step;
};

/// The minima of a lane's rows in the 16 half groups of a super-block, as operand words of a group.
template <BlockType kType, class F>
GPU_DEVICE void load_minima(int (&a)[F::kParts][4], const BlockEntries& entries,
                            const LanePlace& place) {
  GPU_UNROLL for (int part = 0; part < F::kParts; part++) {
    const int unit = (place.packed_lane + part) % 4, row = place.packed_lane / 4;
    uint32_t words[2];
    load_words(words,
               entries.first + unit * entries.unit_step + row * 4 * Layout<kType>::kEntryBytes);
    if (F::kRows == 1) words[0] = choose(place.row & 8, words[1], words[0]);
    GPU_UNROLL for (int i = 0; i < 4; i++) a[part][i] = minima_word<kType>(words[i % F::kRows]);
  }
}

/// The pipeline through registers: the next unit of tokens is loaded to registers and stored to the
/// other of two buffers in shared memory; the next unit of weights stays in registers.
template <BlockType kType, int kTokens, int kTiles, class F>
struct RegisterUnits {
  using Place = WidePlace<kTokens, kTiles, F>;
  using Tokens = TokenUnit<kTokens>;
  using InFlight = UnitInFlight<kTokens, (Place::kWayThreads < 128 ? Place::kWayThreads : 128)>;
  using Weights = Unit<kType, F::kParts>;
  static_assert(F::kRowTiles == 1);
  const uint8_t* data;
  Weights weights, next;
  InFlight in_flight;
  Tokens* buffers;
  int current;

  GPU_DEVICE uint4* end(uint4* shared, int n_ways) {
    return reinterpret_cast<uint4*>(reinterpret_cast<Tokens*>(shared) + 2 * n_ways);
  }
  /// Called before wait_for_previous(): loads the first weights.
  GPU_DEVICE RegisterUnits of(const MatmulParams& p, const Place& w, const LanePlace& place,
                              const WayCursor& first, uint4* shared) {
    RegisterUnits u;
    u.data = wide_tile(p, w.tile + place.tile);
    u.buffers = reinterpret_cast<Tokens*>(shared) + 2 * w.way;
    u.current = 0;
    u.weights = Weights::load(u.data, first.unit, place.packed_lane);
    return u;
  }
  /// Loads the first unit of tokens and advances `ahead`.
  GPU_DEVICE void start(RegisterUnits& u, const MatmulParams& p, const Place& w, WayCursor& ahead) {
    const int first_tile = blockIdx.x * (kTokens / kTileTokens);
    u.in_flight = InFlight::load(p.x, first_tile, ahead.unit, Place::thread());
    InFlight::store(u.in_flight, Place::thread(), u.buffers[0]);
    ahead = WayCursor::next<kType>(ahead, p, w.n_ways);
    __syncthreads();
  }
  /// Starts loading the unit at `ahead`; the unit at `now` is in weights_of() and tokens_of(). At
  /// the end it reads the last unit again: the compiler would wait for a conditional load at once.
  GPU_DEVICE void begin_step(RegisterUnits& u, const MatmulParams& p, const Place& w,
                             const WayCursor& now, WayCursor& ahead) {
    if (!WayCursor::has_unit(now)) return;
    const int first_tile = blockIdx.x * (kTokens / kTileTokens);
    const int unit = WayCursor::has_unit(ahead) ? ahead.unit : now.unit;
    const int packed_lane = F::place(late_thread() % F::kLanes).packed_lane;
    u.next = Weights::load(u.data, unit, packed_lane);
    u.in_flight = InFlight::load(p.x, first_tile, unit, Place::thread());
    if (WayCursor::has_unit(ahead)) ahead = WayCursor::next<kType>(ahead, p, w.n_ways);
  }
  GPU_DEVICE Weights weights_of(const RegisterUnits& u, int) {
    if constexpr (F::kRows == 1)
      return Weights::keep_row(u.weights, (F::place(late_thread() % F::kLanes).row & 8) != 0);
    else
      return u.weights;
  }
  GPU_DEVICE const Tokens& tokens_of(const RegisterUnits& u) { return u.buffers[u.current]; }
  /// For the super-block that ends with this unit: the scale entries of a tile, and the half sums
  /// of the tokens from a token tile on.
  GPU_DEVICE BlockEntries entries_of(const RegisterUnits&, const MatmulParams& p, int tile,
                                     int unit) {
    using L = Layout<kType>;
    return {record_of<kType>(wide_tile(p, tile), unit) + L::kScaleOffset, L::kUnitBytes};
  }
  GPU_DEVICE GroupTokens half_sums_of(const RegisterUnits&, const MatmulParams& p, int token_tile,
                                      int unit) {
    const int n_blocks = p.x.n_groups / kBlockGroups, step = kTileTokens * kGroup / 16;
    const int64_t tile = int64_t{blockIdx.x} * (kTokens / kTileTokens) + token_tile;
    const uint4* from = reinterpret_cast<const uint4*>(p.x.half_sums);
    return {from + (tile * n_blocks + unit / kBlockUnits) * step, nullptr, n_blocks * step};
  }
  GPU_DEVICE void end_step(RegisterUnits& u, bool had_unit) {
    if (had_unit) {
      u.weights = u.next;
      u.current = 1 - u.current;
      InFlight::store(u.in_flight, Place::thread(), u.buffers[u.current]);
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
  using Weights = Unit<kType, F::kParts>;
  using L = Layout<kType>;
  static constexpr int kTailBytes = L::kSuper ? 16 * L::kTailEntry : 0;
  static constexpr int kTileBytes = L::kUnitBytes + kTailBytes;
  struct PlainStage {
    Tokens tokens;
    uint4 weights[kTiles][kTileBytes / 16];
  };
  /// In formats with minima, the last unit of a super-block also brings the scale entries and half
  /// sums.
  static constexpr int kEntries = 2 * L::kEntryBytes, kHalfSums = kTileTokens * kGroup / 16;
  struct MinimaStage : PlainStage {
    uint4 entries[kTiles][kBlockUnits * kEntries];
    uint4 half_sums[Tokens::kTokenTiles][kHalfSums];
  };
  using Stage = std::conditional_t<L::kMinima, MinimaStage, PlainStage>;
  /// What a warp copies of a unit: some tiles, and some token tiles of 512 bytes of codes and 128
  /// bytes of scales each.
  static constexpr int kWarps = Place::kWayThreads / GPU_LANES;
  static constexpr int kOwnTiles = kTiles / kWarps, kTokenTiles = Tokens::kTokenTiles / kWarps;
  static constexpr int kScales = Tokens::kScales;
  static_assert(kOwnTiles > 0 && kTokenTiles * kScales <= GPU_LANES && kTileBytes % 16 == 0);
  static_assert(kTokenTiles * kHalfSums % GPU_LANES == 0 && kBlockUnits * kEntries <= GPU_LANES);
  const uint8_t* data[kOwnTiles];
  const uint4 *codes, *scales, *half_sums;
  int64_t codes_step;
  Stage* stages;
  int stage;

  GPU_DEVICE uint4* end(uint4* shared, int n_ways) {
    return reinterpret_cast<uint4*>(reinterpret_cast<Stage*>(shared) + n_ways * kCopyStages);
  }
  GPU_DEVICE CopiedUnits of(const MatmulParams& p, const Place& w, const LanePlace&,
                            const WayCursor& first, uint4* shared) {
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
    u.stages = reinterpret_cast<Stage*>(shared) + w.way * kCopyStages;
    u.stage = 0;
    WayCursor ahead = first;
    GPU_NO_UNROLL for (int i = 0; i < kCopyStages - 1; i++) {
      if (WayCursor::has_unit(ahead)) copy_weights(u, ahead.unit, u.stages[i]);
      ahead = WayCursor::next<kType>(ahead, p, w.n_ways);
    }
    return u;
  }
  GPU_DEVICE void copy_weights(const CopiedUnits& u, int unit, Stage& to) {
    const int warp = Place::thread() / GPU_LANES, lane = threadIdx.x % GPU_LANES;
    GPU_UNROLL for (int k = 0; k < kOwnTiles; k++) {
      uint4* tile = to.weights[warp * kOwnTiles + k] + lane;
      const uint4* from = reinterpret_cast<const uint4*>(unit_at<kType>(u.data[k], unit)) + lane;
      GPU_UNROLL for (int i = 0; i < L::kUnitBytes / 16;
                      i += GPU_LANES) if (i + lane < L::kUnitBytes / 16)
          copy_async(tile + i, from + i);
      const uint4* tail = reinterpret_cast<const uint4*>(tail_at<kType>(u.data[k], unit)) + lane;
      if (lane < kTailBytes / 16) copy_async(tile + L::kUnitBytes / 16, tail);
      if constexpr (L::kMinima) {
        const uint8_t* entries = record_of<kType>(u.data[k], unit) + L::kScaleOffset +
                                 lane / kEntries * L::kUnitBytes + lane % kEntries * 16;
        if (is_block_end<kType>(unit) && lane < kBlockUnits * kEntries)
          copy_async(to.entries[warp * kOwnTiles + k] + lane,
                     reinterpret_cast<const uint4*>(entries));
      }
    }
  }
  GPU_DEVICE void copy_tokens(const CopiedUnits& u, int unit, Stage& to) {
    const int tile = Place::thread() / GPU_LANES * kTokenTiles, lane = threadIdx.x % GPU_LANES;
    GPU_UNROLL for (int k = 0; k < kTokenTiles; k++)
        copy_async(&to.tokens.q[tile + k][lane], u.codes + k * u.codes_step + unit * GPU_LANES);
    if (lane < kTokenTiles * kScales)
      copy_async(&to.tokens.scales[tile + lane / kScales][lane % kScales],
                 u.scales + unit * kScales);
    if constexpr (L::kMinima) {
      constexpr int kAtOnce = GPU_LANES / kHalfSums;          // tiles
      const int64_t step = u.codes_step / (kBlockUnits * 2);  // of a tile
      if (!is_block_end<kType>(unit)) return;
      GPU_UNROLL for (int k = 0; k < kTokenTiles; k += kAtOnce) copy_async(
          to.half_sums[tile + k] + lane, u.half_sums + k * step + unit / kBlockUnits * kHalfSums);
    }
  }
  /// Copies the first units of tokens and moves `ahead` past the units in flight.
  GPU_DEVICE void start(CopiedUnits& u, const MatmulParams& p, const Place& w, WayCursor& ahead) {
    GPU_NO_UNROLL for (int i = 0; i < kCopyStages - 1; i++) {
      if (WayCursor::has_unit(ahead)) copy_tokens(u, ahead.unit, u.stages[i]);
      commit_copies();
      ahead = WayCursor::next<kType>(ahead, p, w.n_ways);
    }
  }
  /// After the barrier, all threads have finished reading the stage that is filled next.
  GPU_DEVICE void begin_step(CopiedUnits& u, const MatmulParams& p, const Place& w,
                             const WayCursor& now, WayCursor& ahead) {
    if (WayCursor::has_unit(now)) wait_for_copies<kCopyStages - 2>();
    meet<Place::kWayThreads>();
    if (!WayCursor::has_unit(now)) return;
    if (WayCursor::has_unit(ahead)) {
      Stage& stage = u.stages[u.stage == 0 ? kCopyStages - 1 : u.stage - 1];
      copy_weights(u, ahead.unit, stage);
      copy_tokens(u, ahead.unit, stage);
      ahead = WayCursor::next<kType>(ahead, p, w.n_ways);
    }
    commit_copies();
  }
  GPU_DEVICE Weights weights_of(const CopiedUnits& u, int k) {
    const Place w = Place::of();
    const int packed_lane = F::place(w.lane).packed_lane;
    const uint8_t* tile = reinterpret_cast<const uint8_t*>(u.stages[u.stage].weights[w.tile + k]);
    return Weights::load_at(tile, tile + L::kUnitBytes, packed_lane);
  }
  GPU_DEVICE const Tokens& tokens_of(const CopiedUnits& u) { return u.stages[u.stage].tokens; }
  GPU_DEVICE BlockEntries entries_of(const CopiedUnits& u, const MatmulParams&, int tile, int) {
    return {reinterpret_cast<const uint8_t*>(u.stages[u.stage].entries[tile]), kEntries * 16};
  }
  GPU_DEVICE GroupTokens half_sums_of(const CopiedUnits& u, const MatmulParams&, int token_tile,
                                      int) {
    return {u.stages[u.stage].half_sums[token_tile], nullptr, kHalfSums};
  }
  GPU_DEVICE void end_step(CopiedUnits& u, bool had_unit) {
    if (had_unit) u.stage = u.stage == kCopyStages - 1 ? 0 : u.stage + 1;
  }
};

template <BlockType kType, int kTokens, int kTiles, class F>
using WideUnits = std::conditional_t<F::kCopies, CopiedUnits<kType, kTokens, kTiles, F>,
                                     RegisterUnits<kType, kTokens, kTiles, F>>;

}  // namespace hearth::kernels::hip
