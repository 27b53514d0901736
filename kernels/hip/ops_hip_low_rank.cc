// HipOps: adapters. A product with an adapter takes one more launch, which projects its input down
// to the adapter's rank; the product's epilogue does the rest (low_rank.hip.h).
#include "ops_hip.h"

namespace hearth::kernels::hip {

std::unique_ptr<LowRank> HipOps::pack_low_rank(int n_cols, std::span<const LowRankSource> sources) {
  queue_.flush();
  auto packed = hip::pack_low_rank(device_, n_cols, sources);
  const size_t n_bytes = size_t{kMaxBatch} * packed->added.n_ranks * sizeof(float);
  if (lowered_.n_bytes() < n_bytes) {
    device_.wait();
    lowered_ = device_.allocate(n_bytes, "activations");
  }
  return packed;
}

void HipOps::add(const LowRank* added, MatmulParams& p) {
  if (!added) return;
  const auto& packed = static_cast<const HipLowRank&>(*added);
  p.epilogue.added = packed.added;
  p.epilogue.added.lowered = lowered_.as<float>();
  LowerParams lower = {};
  lower.norm = p.norm;
  lower.a = packed.a;
  lower.lowered = lowered_.as<float>();
  lower.n_ranks = packed.added.n_ranks;
  lower.n_tokens = p.n_tokens;
  const bool is_many = p.n_tokens > kTileTokens;
  launch({is_many ? "lower_4" : "lower_1"},
         {lower.n_ranks / (is_many ? kLoweredRanks : 1), ceil_div(p.n_tokens, kTileTokens), 1},
         kLowerThreads, 0, lower);
}

}  // namespace hearth::kernels::hip
