// HipOps: the head, from the last layer's output to logits and the best token.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "ops_hip.h"

namespace hearth::kernels::hip {

const int32_t* HipOps::upload_rows(std::span<const int32_t> rows, int n_batch) {
  bool is_all = static_cast<int>(rows.size()) == n_batch;
  for (size_t i = 0; i < rows.size(); i++) is_all = is_all && rows[i] == static_cast<int>(i);
  if (is_all) return nullptr;
  if (rows_pending_) queue_.flush();  // an earlier head still needs its rows
  rows_upload_.send(rows.data(), rows.size_bytes());
  rows_pending_ = true;
  return rows_upload_.device<int32_t>();
}

void HipOps::norm_head(const float* norm, float eps, const Matrix& head, const float* x,
                       std::span<const int32_t> rows, float* logits) {
  if (is_cancelled() || rows.empty()) return;
  MatmulParams p =
      normed_input(head, x, norm, eps, upload_rows(rows, n_), static_cast<int>(rows.size()));
  p.epilogue.kind = EpilogueKind::kStore;
  p.epilogue.stride = head.n_rows;
  p.epilogue.out = logits;
  matmul(packed(head), p);
}

void HipOps::norm_head_candidates(const float* norm, float eps, const Matrix& head, const float* x,
                                  int32_t row, std::span<const uint32_t> candidates,
                                  float* logits) {
  if (is_cancelled() || candidates.empty()) return;
  // One upload holds the row, the candidates, then for each strip the tiles with candidates.
  std::vector<int32_t> ints{row};
  ints.insert(ints.end(), candidates.begin(), candidates.end());
  std::vector<size_t> starts;
  for (const HipStrip& strip : packed(head).strips) {
    starts.push_back(ints.size());
    for (const uint32_t id : candidates) {
      const int in_strip = static_cast<int>(id) - strip.row0;
      if (in_strip < 0 || in_strip >= strip.n_rows) continue;
      const int tile = in_strip / kTileRows;
      if (ints.size() == starts.back() || ints.back() != tile) ints.push_back(tile);
    }
  }
  starts.push_back(ints.size());
  if (ints.size() * sizeof(int32_t) > rows_upload_.n_bytes())
    throw std::invalid_argument("too many candidates for the GPU");
  upload_rows(ints, -1);  // -1: these are never all rows of a batch
  const int32_t* uploaded = rows_upload_.device<int32_t>();

  MatmulParams p = normed_input(head, x, norm, eps, uploaded, 1);
  p.epilogue.kind = EpilogueKind::kStore;
  p.epilogue.stride = head.n_rows;
  p.epilogue.out = candidate_logits_.as<float>();
  for (size_t i = 0; i < packed(head).strips.size(); i++) {
    const int n_ids = static_cast<int>(starts[i + 1] - starts[i]);
    if (!n_ids) continue;
    prepare_input(p, packed(head), packed(head).strips[i]);
    matmul(packed(head).strips[i], p, uploaded + starts[i], n_ids);
  }
  GatherParams gather = {};
  gather.from = p.epilogue.out;
  gather.ids = uploaded + 1;
  gather.to = logits;
  gather.n = static_cast<int>(candidates.size());
  launch({"gather_256"}, {ceil_div(gather.n, 256), 1, 1}, 256, 0, gather);
}

void HipOps::argmax(const float* logits, int n_rows, int n_vocab, std::span<Argmax> out) {
  for (int first = 0; first < n_rows; first += kArgmaxRows) {
    if (is_cancelled()) return;
    argmax_rows(logits + static_cast<size_t>(first) * n_vocab, n_vocab,
                out.subspan(first, std::min(kArgmaxRows, n_rows - first)));
  }
}

void HipOps::argmax_rows(const float* logits, int n_vocab, std::span<Argmax> out) {
  make_head_room(n_vocab);
  const int n_rows = static_cast<int>(out.size());
  ArgmaxParams p = {};
  p.logits = logits;
  p.ranges = argmax_ranges_.as<RangeArgmax>();
  p.n_vocab = n_vocab;
  p.n_ranges = ceil_div(n_vocab, kArgmaxLogits);
  const std::span ranges(p.ranges, size_t(n_rows) * p.n_ranges);
  for (RangeArgmax& range : ranges) range.id = range.finite = kNotYet;
  launch({"argmax_512"}, {p.n_ranges, n_rows, 1}, kArgmaxThreads, 0, p);
  queue_.flush();
  rows_pending_ = false;
  for (RangeArgmax& range : ranges) {
    device_.wait_for(range.id, kNotYet);
    device_.wait_for(range.finite, kNotYet);
  }
  for (Argmax& row : out)
    row = argmax_of_row(&ranges[(&row - out.data()) * static_cast<size_t>(p.n_ranges)], p.n_ranges);
}

}  // namespace hearth::kernels::hip
