// Mixture of experts. The plan groups the batch's tokens by expert; an op quantizes each group's
// inputs, then threads multiply chunks of the experts' rows. Experts without tokens are not read.
#include <algorithm>
#include <cstring>

#include "cpu_ops.h"

namespace hearth::kernels::cpu {

void CpuOps::plan_experts(const Experts& experts, const float* routes) {
  expert_plan_.make(routes, batch_.size());
  workspace_.reserve(std::max(experts.gate_up.n_cols, experts.down.n_cols),
                     expert_plan_.max_tokens());
}

void CpuOps::norm_route(const float* norm, float eps, const Experts& experts, const float* x,
                        float* routes) {
  const int n_experts = experts.n_experts;
  expert_plan_.reserve(n_experts, experts.n_used, kernels_.wide_tile);
  const PackedMatrix& w = packed(experts.router);
  float* logits = expert_plan_.logits();
  product(w, norm_and_quantize(norm, eps, w, batch_.size(), x), logits);
  for_ranges(batch_.size(), 8, [&](int begin, int end, int) {
    for (int token = begin; token < end; token++)
      choose_experts(logits + static_cast<size_t>(token) * n_experts, n_experts, experts.n_used,
                     routes + static_cast<size_t>(token) * experts.route_stride());
  });
}

/// Quantizes the inputs of all rows of the plan. fill_row(row, out) writes a row's input, w.n_cols
/// floats, to `out`.
void CpuOps::quantize_for_experts(const PackedMatrix& w, const auto& fill_row) {
  const std::span<const ExpertPlan::Tile> tiles = expert_plan_.tiles();
  for_chunks(static_cast<int>(tiles.size()), [&](int i, int thread) {
    const ExpertPlan::Tile& tile = tiles[static_cast<size_t>(i)];
    const ExpertPlan::Group& group = expert_plan_.groups()[static_cast<size_t>(tile.group)];
    float* rows = workspace_.rows(thread);
    for (int k = 0; k < tile.n; k++)
      fill_row(expert_plan_.row(group.first + tile.first + k),
               rows + static_cast<size_t>(k) * w.n_cols);
    Activations input = workspace_.view(group.before, group.n, w.n_cols);
    kernels_.quantize_tokens(rows, tile.first, tile.n, w.input_formats(), input);
  });
}

/// A chunk is a range of row tiles of gate and up, for one expert.
void CpuOps::norm_gate_up_experts(const float* norm, float eps, const Experts& experts,
                                  const float* routes, const float* x, float* h) {
  const PackedMatrix& w = packed(experts.gate_up);
  plan_experts(experts, routes);
  // The experts of a single token have the same input.
  const bool has_one_input = batch_.size() == 1;
  if (has_one_input) {
    norm_and_quantize(norm, eps, w, 1, x);
  } else {
    quantize_for_experts(w, [&](int row, float* out) {
      const size_t token = static_cast<size_t>(expert_plan_.token_of(row));
      kernels_.rmsnorm(x + token * w.n_cols, norm, eps, w.n_cols, out);
    });
  }
  const std::span<const ExpertPlan::Group> groups = expert_plan_.groups();
  const int n_groups = static_cast<int>(groups.size()), n_ff = experts.n_ff();
  const int n_tiles = tiles_of(n_ff), n_mean = (expert_plan_.n_rows() + n_groups - 1) / n_groups;
  const int per_chunk = tiles_per_chunk(static_cast<double>(w.tile_bytes()), w.n_cols,
                                        2 * n_tiles * n_groups, n_mean, 2);
  const int n_chunks = (n_tiles + per_chunk - 1) / per_chunk;
  for_chunks(n_groups * n_chunks, [&](int i, int thread) {
    const ExpertPlan::Group& group = groups[static_cast<size_t>(i / n_chunks)];
    const int begin = i % n_chunks * per_chunk, end = std::min(n_tiles, begin + per_chunk);
    const Activations input = workspace_.view(has_one_input ? 0 : group.before, group.n, w.n_cols);
    const size_t stride = chunk_stride(end - begin);
    float* gate = workspace_.tiles(thread);
    float* up = gate + static_cast<size_t>(group.n) * stride;
    w.matmul_part(2 * group.expert, input, begin, end, gate, stride);
    w.matmul_part(2 * group.expert + 1, input, begin, end, up, stride);
    const int first = begin * kTileRows, n_rows = std::min(n_ff, end * kTileRows) - first;
    for (int k = 0; k < group.n; k++, gate += stride, up += stride) {
      const size_t row = static_cast<size_t>(expert_plan_.row(group.first + k));
      kernels_.silu_mul(gate, up, n_rows, h + row * n_ff + first);
    }
  });
}

/// A chunk is a range of row tiles. It adds up the experts in a fixed order.
void CpuOps::add_experts(const Experts& experts, const float* routes, const float* h, float* x) {
  const PackedMatrix& w = packed(experts.down);
  plan_experts(experts, routes);
  const int n_ff = experts.n_ff(), n_out = experts.gate_up.n_cols;
  quantize_for_experts(w, [&](int row, float* out) {
    std::memcpy(out, h + static_cast<size_t>(row) * n_ff, sizeof(float) * n_ff);
  });
  const std::span<const ExpertPlan::Group> groups = expert_plan_.groups();
  const int n_tiles = tiles_of(n_out);
  const int per_chunk = tiles_per_chunk(static_cast<double>(w.tile_bytes() * groups.size()),
                                        w.n_cols, n_tiles, expert_plan_.n_rows(), 1);
  for_ranges(n_tiles, per_chunk, [&](int begin, int end, int thread) {
    const size_t stride = chunk_stride(end - begin);
    const int first = begin * kTileRows, n_rows = std::min(n_out, end * kTileRows) - first;
    for (const ExpertPlan::Group& group : groups) {
      float* product = workspace_.tiles(thread);
      w.matmul_part(group.expert, workspace_.view(group.before, group.n, w.n_cols), begin, end,
                    product, stride);
      for (int k = 0; k < group.n; k++, product += stride) {
        const int row = expert_plan_.row(group.first + k);
        const float weight = residual_scale * expert_plan_.weight(row);
        for (int i = 0; i < n_rows; i++) product[i] *= weight;
        kernels_.add(x + static_cast<size_t>(expert_plan_.token_of(row)) * n_out + first, product,
                     n_rows);
      }
    }
  });
}

}  // namespace hearth::kernels::cpu
