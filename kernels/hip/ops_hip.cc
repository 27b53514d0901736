// HipOps: memory, KV pages, and the batch. The ops of a layer are in ops_hip_step.cc, the
// head in ops_hip_head.cc.
#include "ops_hip.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rope_table.h"

namespace hearth::kernels::hip {
namespace {

// The maximum number of page ids in a batch: enough for 256 sequences of 32,768 positions.
constexpr size_t kMaxPageIds = size_t{256} * 1024;
constexpr size_t kBatchBytes = (4 * kMaxBatch + 1 + kMaxPageIds) * sizeof(int32_t);
static_assert(kBatchBytes >= kMailThreads * sizeof(int32_t[2]));
static_assert(kPage == kPageTokens);
// Room for a row index, the candidates of a constrained token, and the tiles with the candidates.
constexpr size_t kRowsBytes = size_t{4} << 20;

class HipBuffer : public Buffer {
 public:
  HipBuffer(Memory memory, size_t n) : memory_(std::move(memory)) {
    data = memory_.as<float>();
    n_floats = n;
  }

 private:
  Memory memory_;
};

}  // namespace

HipOps::HipOps(const GpuApi& api, const DeviceChoice& choice)
    : device_(api, choice),
      queue_(device_),
      mail_(device_.allocate_host(kMailHeader * sizeof(int32_t) + kBatchBytes)),
      batch_ints_(device_.allocate(kBatchBytes, "the batch")),
      rows_upload_(device_, kRowsBytes) {
  mail_.as<uint32_t>()[kMailPending] = 0;
}

std::string HipOps::description() const {
  return device_.choice().backend + " " + device_.choice().name;
}

void HipOps::require_support(const ModelShape& shape) const {
  const AttentionShape& attention = shape.attention;
  const int d = attention.head_dim;
  if (attention.kv_type != KvType::kF16)
    throw std::runtime_error("a KV cache of int8 is for the CPU only (the GPU kernels know f16)");
  if (d != 32 && d != 64 && d != 128 && d != 256)
    throw std::runtime_error(
        "heads of " + std::to_string(d) +
        " dimensions run on the CPU only (the GPU kernels know 32, 64, 128, 256)");
  if (shape.has_float_experts)
    throw std::runtime_error("experts that are not quantized run on the CPU only");
  if (shape.n_experts > kMaxExperts)
    throw std::runtime_error("mixtures of more than " + std::to_string(kMaxExperts) +
                             " experts run on the CPU only");
  if (shape.has_mixed_gate_up)
    throw std::runtime_error("FFN gate and up of different types run on the CPU only");
}

void HipOps::wait() {
  queue_.flush();
  device_.wait();
}

std::unique_ptr<Matrix> HipOps::pack(std::span<const MatrixSource> sources) {
  queue_.flush();
  auto matrix = pack_matrix(device_, sources);
  make_workspace(matrix->n_cols, matrix->has_floats);
  make_head_room(matrix->n_rows);  // any matrix may be the head
  return matrix;
}

void HipOps::make_head_room(int n_vocab) {
  if (n_vocab <= head_room_) return;
  device_.wait();
  head_room_ = n_vocab;
  candidate_logits_ = device_.allocate(n_vocab * sizeof(float), "candidate logits");
  argmax_ranges_ =
      device_.allocate_host(kArgmaxRows * ceil_div(n_vocab, kArgmaxLogits) * sizeof(RangeArgmax));
}

void HipOps::make_workspace(int n_cols, bool with_f32) {
  const bool has_f32 = in_f32_.n_bytes() > 0;
  if (n_cols <= workspace_cols_ && (has_f32 || !with_f32)) return;
  workspace_cols_ = std::max(workspace_cols_, n_cols);
  const size_t padded = size_t{kUnit} * count_units(workspace_cols_);
  device_.wait();
  const auto make = [&](Memory& q, Memory& scales, size_t n_rows) {
    q = device_.allocate(n_rows * padded, "activations");
    scales = device_.allocate(n_rows * padded / kGroup * sizeof(GroupScale), "activations");
  };
  make(in_q_, in_scales_, 2 * kMaxBatch);  // the second half: remainders
  make(next_q_, next_scales_, kMaxBatch);
  squares_ = device_.allocate(
      kMaxBatch * squares_stride(static_cast<int>(padded) / kGroup) * sizeof(float), "activations");
  in_half_sums_ = device_.allocate(kMaxBatch * padded / kBlockGroups, "activations");
  if (with_f32 || has_f32)
    in_f32_ = device_.allocate(kMaxBatch * padded * sizeof(float), "activations");
}

Activations HipOps::activations(const Memory& q, const Memory& scales, int n_cols, int n) const {
  return {q.as<int8_t>(),
          scales.as<GroupScale>(),
          in_f32_.as<float>(),
          nullptr,
          squares_.as<float>(),
          2 * count_units(n_cols),
          std::min(n, kTileTokens),
          1,
          0};
}

std::unique_ptr<Buffer> HipOps::buffer(size_t n_floats) {
  return std::make_unique<HipBuffer>(device_.allocate(n_floats * sizeof(float), "a buffer"),
                                     n_floats);
}

void HipOps::write(float* destination, std::span<const float> source) {
  queue_.flush();
  device_.upload(destination, source.data(), source.size_bytes());
}

void HipOps::read(std::span<float> destination, const float* source) {
  queue_.flush();
  rows_pending_ = false;
  device_.download(destination.data(), source, destination.size_bytes());
}

void HipOps::make_kv_pool(const AttentionShape& shape, int n_pages) {
  const int d = shape.head_dim;
  shape_ = shape;
  pool_.layer_values = uint64_t{2} * shape.n_kv_heads * kPage * d;
  pool_.page_values = pool_.layer_values * shape.n_layers;
  pool_.n_heads = shape.n_heads;
  pool_.n_kv_heads = shape.n_kv_heads;
  pool_.head_dim = d;
  pool_.log2_head_dim = log2_of(d);
  kv_ = device_.allocate(kv_page_bytes() * n_pages, "the KV cache");
  pool_.data = kv_.as<uint16_t>();
  for (const bool slides : {false, true}) {
    if (slides && shape.is_sliding.empty()) continue;
    const std::vector<float> table = rope_table(shape, slides);
    Memory& to = slides ? sliding_cos_sin_ : cos_sin_;
    to = device_.allocate(table.size() * sizeof(float), "the RoPE table");
    device_.upload(to.as(), table.data(), table.size() * sizeof(float));
  }
  make_workspace(shape.n_heads * d, false);  // attention's output is quantized there
  if (!shape.q_norms.empty()) make_head_norms();
  // Room for four parts of each token of a full batch, and for all parts of eight tokens, doubled
  // because attention() rounds their number up to a power of two.
  const size_t max_parts = ceil_div(shape.max_positions, kPartChunks * kChunk);
  const size_t n_parts = std::max<size_t>(4 * kMaxBatch, 8 * 2 * max_parts);
  attention_arrived_ = device_.allocate(sizeof(uint32_t) * kMaxBatch * shape.n_heads, "attention");
  attention_parts_ =
      device_.allocate(n_parts * shape.n_heads * (d + 2) * sizeof(float), "attention");
}

void HipOps::make_head_norms() {
  const size_t d = shape_.head_dim;
  std::vector<float> norms;  // [layer][q, k][head_dim]
  for (int layer = 0; layer < shape_.n_layers; layer++)
    for (const std::vector<float>* all : {&shape_.q_norms, &shape_.k_norms})
      norms.insert(norms.end(), all->begin() + layer * d, all->begin() + (layer + 1) * d);
  head_norms_ = device_.allocate(norms.size() * sizeof(float), "norms of heads");
  device_.upload(head_norms_.as(), norms.data(), norms.size() * sizeof(float));
  const size_t n_rows = (shape_.n_heads + 2 * shape_.n_kv_heads) * d;
  plain_qkv_ = device_.allocate(kMaxBatch * n_rows * sizeof(float), "q, k and v");
}

void HipOps::copy_page(int to, int from, int) {
  queue_.flush();
  device_.copy(kv_.as() + to * kv_page_bytes(), kv_.as() + from * kv_page_bytes(), kv_page_bytes(),
               kDeviceToDevice);
}

void HipOps::read_page(std::span<std::byte> destination, int page) {
  queue_.flush();
  device_.download(destination.data(), kv_.as() + page * kv_page_bytes(), kv_page_bytes());
}

void HipOps::write_page(int page, std::span<const std::byte> source) {
  queue_.flush();
  device_.upload(kv_.as() + page * kv_page_bytes(), source.data(), kv_page_bytes());
}

void HipOps::begin(const Batch& batch) {
  queue_.flush();
  queue_.begin_step();
  rows_pending_ = false;
  n_ = batch.size();
  n_chunks_ = 1;
  size_t n_ids = 0;
  offsets_.clear();
  for (const auto& table : batch.page_tables) {
    offsets_.push_back(static_cast<int32_t>(n_ids));
    n_ids += table.size();
  }
  if (n_ids > kMaxPageIds) throw std::invalid_argument("too many pages in one batch for the GPU");
  uint32_t* mail = mail_.as<uint32_t>();
  device_.wait_for(mail[kMailPending], 1);  // until an earlier batch has been taken
  int32_t* ints = mail_.as<int32_t>() + kMailHeader;
  for (int i = 0; i < n_; i++) {
    const int position = batch.positions[i], sequence = batch.sequences[i];
    ints[i] = static_cast<int32_t>(batch.tokens[i]);
    ints[n_ + i] = position;
    ints[2 * n_ + i] = batch.page_tables[sequence][position / kPage];
    ints[3 * n_ + i] = offsets_[sequence];
    n_chunks_ = std::max(n_chunks_, position / kChunk + 1);
  }
  begin_rounds();
  ints[4 * n_] = static_cast<int32_t>(first_round_);
  int32_t* ids = ints + 4 * n_ + 1;
  for (const auto& table : batch.page_tables) ids = std::copy(table.begin(), table.end(), ids);
  mail[kMailInts] = static_cast<uint32_t>(ids - ints);
  is_in_mail_ = true;
  int32_t* to = batch_ints_.as<int32_t>();
  batch_ = {to, to + n_, to + 2 * n_, to + 3 * n_, to + 4 * n_ + 1};
}

void* HipOps::function(const KernelName& name) {
  for (const auto& [known, function] : functions_)
    if (known == name) return function;
  void* function = device_.function(std::string(name.first) + name.second + name.third);
  return functions_.emplace_back(name, function).second;
}

BatchParams HipOps::take_mail() {
  uint32_t* mail = mail_.as<uint32_t>();
  mail[kMailPending] = 1;
  is_in_mail_ = false;
  return {mail, batch_ints_.as<int32_t>()};
}

}  // namespace hearth::kernels::hip
