// HipOps: mixture of experts (routes.hip.h, experts.hip.h).
#include <stdexcept>

#include "ops_hip.h"

namespace hearth::kernels::hip {
namespace {

constexpr int kAddThreads = 256;
/// The maximum number of tokens whose routes one thread block chooses: one for each of its warps.
constexpr int kMaxRoutedAtOnce = kRouteThreads / 32;

/// The maximum number of rows in a batch's ExpertTiles: larger if an expert has more than two rows
/// on average.
int max_rows(int n_rows, int n_experts) {
  return n_rows > 2 * n_experts ? ExpertTile::kMaxRows : kTileTokens;
}

/// The plan lies after the routes of a full batch.
ExpertTile* plan_in(float* routes, const Experts& experts) {
  return reinterpret_cast<ExpertTile*>(routes + size_t{kMaxBatch} * experts.route_stride());
}
const ExpertTile* plan_of(const float* routes, const Experts& experts) {
  return plan_in(const_cast<float*>(routes), experts);
}

}  // namespace

size_t HipOps::n_route_floats(const Experts& experts) const {
  const int n_tiles =
      count_expert_tiles(kMaxBatch * experts.n_used, kTileTokens, experts.n_experts);
  return Ops::n_route_floats(experts) + n_tiles * sizeof(ExpertTile) / sizeof(float);
}

/// Allocates at the first pass, which is the warm-up of a load; later calls do nothing.
void HipOps::make_expert_room(const Experts& experts) {
  if (router_logits_.n_bytes() > 0) return;
  const size_t n_rows = size_t{kMaxBatch} * experts.n_used;
  const size_t padded = size_t{kUnit} * count_units(experts.n_ff());
  const int n_groups = static_cast<int>(padded) / kGroup;
  const char* what = "a mixture of experts";
  router_logits_ = device_.allocate(sizeof(float) * kMaxBatch * experts.n_experts, what);
  expert_rows_ = device_.allocate(sizeof(float) * n_rows * experts.gate_up.n_cols, what);
  expert_q_ = device_.allocate(n_rows * padded, what);
  expert_scales_ = device_.allocate(sizeof(GroupScale) * n_rows * n_groups, what);
  expert_squares_ = device_.allocate(sizeof(float) * n_rows * squares_stride(n_groups), what);
}

int HipOps::count_tiles(const Experts& experts) const {
  const int n_rows = n_ * experts.n_used;
  return count_expert_tiles(n_rows, max_rows(n_rows, experts.n_experts), experts.n_experts);
}

void HipOps::norm_route(const float* norm, float eps, const Experts& experts, const float* x,
                        float* routes) {
  if (is_cancelled()) return;
  make_expert_room(experts);
  MatmulParams product = normed_input(experts.router, x, norm, eps, nullptr, n_);
  product.epilogue.kind = EpilogueKind::kStore;
  product.epilogue.stride = experts.n_experts;
  product.epilogue.out = router_logits_.as<float>();
  matmul(packed(experts.router), product);
  RouteParams p = {};
  p.logits = router_logits_.as<float>();
  p.routes = routes;
  p.tiles = plan_in(routes, experts);
  p.n_tokens = n_;
  p.n_experts = experts.n_experts;
  p.n_used = experts.n_used;
  p.n_tiles = count_tiles(experts);
  p.max_rows = max_rows(n_ * experts.n_used, experts.n_experts);
  if (n_ <= kMaxRoutedAtOnce) return launch({"route_512"}, {1, 1, 1}, kRouteThreads, 0, p);
  launch({"choose_128"}, {ceil_div(n_, kChooseThreads / 32), 1, 1}, kChooseThreads, 0, p);
  launch({"plan_512"}, {1, 1, 1}, kRouteThreads, 0, p);
}

/// In a matrix of experts the sources follow one another, each padded to an even number of tiles.
/// All experts have the same sizes and formats, so expert_bytes is the distance from one expert to
/// the next.
void HipOps::multiply_experts(const HipMatrix& w, const Experts& experts, ExpertParams& p) {
  const HipStrip& strip = w.strips[0];
  const int n_tiles = padded_tiles(p.n_out);
  p.a = strip.data;
  p.tile_bytes = strip.type.tile_bytes;
  p.expert_bytes = n_tiles * p.tile_bytes;
  if (w.n_rows > experts.n_experts * p.n_out) {
    p.b = p.a + p.expert_bytes;
    p.expert_bytes *= 2;
  }
  p.n_units = count_units(w.n_cols);
  p.x.scale_groups = strip.type.has_blocks ? kBlockGroups : 1;
  quantize(p.norm, p.x, n_ * experts.n_used / p.rows_of_input, false);
  const bool has_many = max_rows(n_ * experts.n_used, experts.n_experts) > kTileTokens;
  launch(
      {"experts_", strip.type.name, has_many ? "_32" : "_8"},
      {ceil_div(p.n_out, has_many ? kTileRows * kExpertWarps : kTileRows), count_tiles(experts), 1},
      kExpertThreads, 0, p);
}

void HipOps::norm_gate_up_experts(const float* norm, float eps, const Experts& experts,
                                  const float* routes, const float* x, float* h) {
  if (is_cancelled()) return;
  const MatmulParams input = normed_input(experts.gate_up, x, norm, eps, nullptr, n_);
  ExpertParams p = {};
  p.tiles = plan_of(routes, experts);
  p.out = h;
  p.x = input.x;
  p.norm = input.norm;
  p.n_out = experts.n_ff();
  p.rows_of_input = experts.n_used;
  multiply_experts(packed(experts.gate_up), experts, p);
}

void HipOps::add_experts(const Experts& experts, const float* routes, const float* h, float* x) {
  if (is_cancelled()) return;
  const int n_ff = experts.n_ff(), n_cols = experts.gate_up.n_cols, n_rows = n_ * experts.n_used;
  ExpertParams p = {};
  p.tiles = plan_of(routes, experts);
  p.out = expert_rows_.as<float>();
  p.x = activations(expert_q_, expert_scales_, n_ff, n_rows);
  p.x.squares = expert_squares_.as<float>();
  p.norm = {h, nullptr, nullptr, 0, 0, n_ff, 0};
  p.n_out = n_cols;
  p.rows_of_input = 1;
  multiply_experts(packed(experts.down), experts, p);
  AddExpertsParams add = {};
  add.routes = routes;
  add.rows = p.out;
  add.x = x;
  add.n_cols = n_cols;
  add.n_used = experts.n_used;
  add.scale = residual_scale;
  launch({"add_experts_256"}, {n_, ceil_div(n_cols, kAddThreads), 1}, kAddThreads, 0, add);
}

}  // namespace hearth::kernels::hip
