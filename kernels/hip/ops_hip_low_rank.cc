// HipOps: adapters (low_rank.hip.h).
#include <algorithm>
#include <limits>
#include <utility>

#include "ops_hip.h"

namespace hearth::kernels::hip {
namespace {

// The limit of shared memory for lowering and raising in a product's own launch, if a thread block
// has as few tiles as possible. If more is needed (eight tokens with many ranks), a separate launch
// lowers the tokens.
constexpr int kMaxAddedBytes = 16 << 10;
constexpr int kMinTiles = 4;
// The limit of shared memory for a thread block that lowers.
constexpr int kMaxLoweringBytes = 48 << 10;
// A warp multiplies at most this many units of a rank one after the other, where possible.
constexpr int kMaxUnits = 10;
/// More than the rounds of any step.
constexpr uint32_t kStepRounds = 1 << 16;

/// Sets the slices of a row of `a` that a lowering thread block takes: all, or one quad.
void divide_rows(Added& added, int n_units, int log2_block_slices) {
  added.log2_block_slices = log2_block_slices;
  const int n_own = ceil_div(n_units, 1 << (added.log2_slices - log2_block_slices));
  const int n_eights = ceil_div(n_units, kBlockUnits);
  added.block_eights = std::min(ceil_div(n_own, kBlockUnits) + 1, n_eights);
}

}  // namespace

std::unique_ptr<LowRank> HipOps::pack_low_rank(int n_cols, std::span<const LowRankSource> sources) {
  queue_.flush();
  auto packed = hip::pack_low_rank(device_, n_cols, sources);
  make_workspace(n_cols, false);
  const auto make_room = [&](Memory& memory, size_t n_bytes) {
    if (memory.n_bytes() >= n_bytes) return;
    device_.wait();
    memory = device_.allocate(n_bytes, "activations");
  };
  const size_t n_ranks = packed->added.n_ranks, n_shares = packed->a().slices.n_shares();
  make_room(lowered_, 2 * kMaxBatch * n_ranks * sizeof(float));
  make_room(lowered_words_, 2 * kTileTokens * n_ranks * n_shares * sizeof(uint64_t));
  return packed;
}

void HipOps::begin_rounds() {
  first_round_ += static_cast<uint32_t>(std::exchange(n_rounds_, 0));
  if (first_round_ < std::numeric_limits<uint32_t>::max() - kStepRounds) return;
  // Before round numbers repeat, clears all words.
  device_.wait();
  lowered_words_ = device_.allocate(lowered_words_.n_bytes(), "activations");
  first_round_ = 1;
}

void HipOps::add(const LowRank* added, const HipMatrix& w, MatmulParams& p) {
  if (!added) return;
  const auto& packed = static_cast<const HipLowRank&>(*added);
  Added& to = p.epilogue.added;
  to = packed.added;
  // A thread block has about kMaxWarps warps for one token, twice as many for more.
  const int n_warps = p.n_tokens == 1 ? kMaxWarps : 2 * kMaxWarps;
  const int n_units = count_units(p.norm.n_cols);
  divide_rows(to, n_units, to.log2_slices);
  if (n_units > kMaxUnits * n_warps || lowering_bytes(to, p.n_tokens) > kMaxLoweringBytes)
    divide_rows(to, n_units, std::min(to.log2_slices, log2_of(kQuad)));
  if (w.has_floats || p.n_tokens > kTileTokens ||
      added_bytes(to, p.n_tokens, kMinTiles) > kMaxAddedBytes ||
      lowering_bytes(to, p.n_tokens) > kMaxLoweringBytes)
    return lower(packed, w, p);
  to.n_blocks = ceil_div(to.n_ranks, kTileRows) << (to.log2_slices - to.log2_block_slices);
  to.words = lowered_words_.as<uint64_t>();
  to.first_round = batch_ints_.as<uint32_t>() + 4 * n_;
  to.round = n_rounds_++;
}

void HipOps::lower(const HipLowRank& added, const HipMatrix& w, MatmulParams& p) {
  // Quantizes the tokens as for the first strip, and their remainders.
  const HipStrip& first = w.has_floats ? added.a() : w.strips.front();
  float* const f32 = p.x.f32;
  p.x = activations(in_q_, in_scales_, p.norm.n_cols, p.n_tokens);
  p.x.f32 = f32;
  set_scales(p, first);
  const bool is_gemm = p.n_tokens > kTileTokens;
  const int n = is_gemm ? ceil_div(p.n_tokens, kTileTokens) * kTileTokens : p.n_tokens;
  p.x.remainder_at = n * p.x.n_groups;
  quantize(p.norm, p.x, p.n_tokens, w.has_floats && is_norm(p.norm));
  MatmulParams lowering = p;
  lowering.norm.weight = nullptr;  // adapters are added to sums that are not normalized yet
  lowering.epilogue = {};
  lowering.epilogue.kind = EpilogueKind::kStore;
  lowering.epilogue.stride = added.added.n_ranks;
  lowering.epilogue.out = lowered_.as<float>();
  p.epilogue.added.lowered = lowered_.as<float>();
  p.epilogue.added.remainder_at = n * added.added.n_ranks;
  const int remainder_at = std::exchange(p.x.remainder_at, 0);
  if (is_gemm) {
    // With float strips, another kernel might come between this one and the product.
    if (!w.has_floats) lowering.overlap = Overlap::kLowers, p.overlap = Overlap::kIsLowered;
    lowering.n_tokens = 2 * n;
    return matmul(added.a(), lowering);
  }
  matmul(added.a(), lowering);
  lowering.x.q += remainder_at * kGroup;
  lowering.x.scales += remainder_at;
  lowering.epilogue.out += p.epilogue.added.remainder_at;
  matmul(added.a(), lowering);
}

}  // namespace hearth::kernels::hip
