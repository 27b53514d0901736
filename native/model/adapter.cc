// kStacks lists the matrices that an adapter may change, in the order in which model.cc stacks
// their rows. The shapes of the adapter's tensors must fit the model's tensors.
#include "adapter.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "common/error.h"
#include "contract.h"
#include "gguf/gguf.h"
#include "rope_pairs.h"

namespace hearth {
namespace {

constexpr const char* kA = ".lora_a";
constexpr const char* kB = ".lora_b";
constexpr const char* kColumnsOfB = ".lora_bt";
constexpr float kMaxF16 = 65504;

struct Stack {
  std::unique_ptr<kernels::LowRank> AdapterLayer::*packed;
  std::vector<const char*> matrices;
};
/// A file has either attn_qkv.weight, or attn_q, attn_k and attn_v.
const Stack kStacks[] = {
    {&AdapterLayer::qkv, {"attn_qkv.weight", "attn_q.weight", "attn_k.weight", "attn_v.weight"}},
    {&AdapterLayer::attn_out, {"attn_output.weight"}},
    {&AdapterLayer::gate_up, {"ffn_gate.weight", "ffn_up.weight"}},
    {&AdapterLayer::ffn_down, {"ffn_down.weight"}},
};

[[noreturn]] void refuse_adapter(const std::string& path, const std::string& what) {
  throw EngineError("adapter-invalid", "The adapter file " + path + " cannot be used: " + what +
                                           ". Choose an adapter that was made for this model.");
}

/// Rewrites an error from gguf/, where every file is called a model.
EngineError about_adapter(const EngineError& error) {
  std::string code = error.code, message = error.what();
  if (code.starts_with("model-")) code.replace(0, 5, "adapter");
  constexpr std::string_view kModelFile = "model file";
  for (size_t at = 0; (at = message.find(kModelFile, at)) != std::string::npos;)
    message.replace(at, kModelFile.size(), "adapter file");
  return {code, message};
}

std::string text_of(const GgufFile& file, const char* key) { return file.string(key).value_or(""); }

void check_header(const GgufFile& file, const ModelConfig& config) {
  const std::string& path = file.path();
  if (text_of(file, "general.type") != "adapter")
    refuse_adapter(path, "its general.type is " + in_quotes(text_of(file, "general.type")) +
                             ", not " + in_quotes("adapter"));
  const std::string type = text_of(file, "adapter.type");
  if (type != "lora" || file.metadata().contains("adapter.alora.invocation_tokens"))
    refuse_adapter(path, "it is an adapter of type " + in_quotes(type == "lora" ? "alora" : type) +
                             ", and Hearth runs " + in_quotes("lora"));
  const std::string architecture = text_of(file, "general.architecture");
  if (architecture != config.family->architecture)
    refuse_adapter(path, "it was made for a model of architecture " + in_quotes(architecture) +
                             ", and this one is " +
                             in_quotes(std::string(config.family->architecture)));
  // False for NaN, too.
  if (!(std::fabs(file.number("adapter.lora.alpha").value_or(0)) <= kMaxF16))
    refuse_adapter(path, "its adapter.lora.alpha is not a number from -65504 to 65504");
}

/// The model's tensor that a tensor of the adapter changes, or "".
std::string changed_matrix(const std::string& name) {
  for (const std::string end : {kA, kB, kColumnsOfB})
    if (name.ends_with(end)) return name.substr(0, name.size() - end.size());
  return "";
}

std::string shape_text(uint64_t columns, uint64_t rows) {
  return "[" + std::to_string(columns) + ", " + std::to_string(rows) + "]";
}

void check_shape(const GgufTensor& tensor, uint64_t columns, uint64_t rows) {
  if (tensor.shape == std::vector<uint64_t>{columns, rows}) return;
  std::string own;
  for (const uint64_t length : tensor.shape)
    own += (own.empty() ? "" : ", ") + std::to_string(length);
  refuse_adapter(tensor.file, "its tensor " + tensor.name + " has shape [" + own + "] where " +
                                  shape_text(columns, rows) + " is needed");
}

void check_type(const GgufTensor& tensor) {
  if (!kernels::block_traits(tensor.type).name)
    throw EngineError("adapter-unsupported",
                      "The adapter file " + tensor.file + " cannot be used: its tensor " +
                          tensor.name + " has type id " + std::to_string(tensor.type_id) +
                          ", which Hearth does not run. Choose an F16 or Q8_0 file.");
}

/// Matrix B for a matrix of the model, stored by rows or by columns; null if there is none.
const GgufTensor* find_b(const GgufFile& file, const std::string& matrix) {
  const GgufTensor* b = file.find(matrix + kB);
  return b ? b : file.find(matrix + kColumnsOfB);
}

bool is_by_columns(const GgufTensor& b) { return b.name.ends_with(kColumnsOfB); }

void check_pair(const GgufFile& file, const GgufTensor& matrix) {
  const GgufTensor* a = file.find(matrix.name + kA);
  const GgufTensor* b = find_b(file, matrix.name);
  if (!a || !b)
    refuse_adapter(file.path(), "it has tensor " + (a ? a : b)->name + ", but not " + matrix.name +
                                    (a ? kB : kA));
  if (file.find(matrix.name + kB) && file.find(matrix.name + kColumnsOfB))
    refuse_adapter(file.path(),
                   "it has both " + matrix.name + kB + " and " + matrix.name + kColumnsOfB);
  const uint64_t rank = a->shape.back();
  if (rank > kernels::kMaxRank)
    refuse_adapter(file.path(), "its tensor " + a->name + " has rank " + std::to_string(rank) +
                                    ", and Hearth runs ranks up to " +
                                    std::to_string(kernels::kMaxRank));
  check_shape(*a, matrix.shape[0], rank);
  if (is_by_columns(*b))
    check_shape(*b, matrix.shape[1], rank);
  else
    check_shape(*b, rank, matrix.shape[1]);
  check_type(*a);
  check_type(*b);
}

void check_tensors(const GgufFile& file, const GgufFile& model, const ModelConfig& config) {
  std::set<std::string> changed;
  for (const GgufTensor& tensor : file.tensors()) changed.insert(changed_matrix(tensor.name));
  std::set<std::string> known;
  for (int layer = 0; layer < config.n_layers; layer++)
    for (const Stack& stack : kStacks)
      for (const char* matrix : stack.matrices) known.insert(layer_tensor(layer, matrix));
  for (const GgufTensor& tensor : file.tensors()) {
    const std::string matrix = changed_matrix(tensor.name);
    if (!model.find(matrix))
      refuse_adapter(file.path(),
                     "its tensor " + in_quotes(tensor.name) + " belongs to no matrix of the model");
    if (!known.contains(matrix))
      refuse_adapter(
          file.path(),
          "its tensor " + in_quotes(tensor.name) +
              " changes what Hearth has no adapters for: it has them for the matrices of "
              "attention and FFN, but not for experts, embedding and output");
  }
  if (changed.empty()) refuse_adapter(file.path(), "it has no tensors");
  for (const std::string& matrix : changed) check_pair(file, *model.find(matrix));
}

/// Transposes a matrix of n_rows rows.
std::vector<float> transposed(const std::vector<float>& rows, size_t n_rows) {
  const size_t n_cols = rows.size() / n_rows;
  std::vector<float> columns(rows.size());
  for (size_t row = 0; row < n_rows; row++)
    for (size_t i = 0; i < n_cols; i++) columns[i * n_rows + row] = rows[row * n_cols + i];
  return columns;
}

/// The file's change to one matrix of the model. A packed matrix may stack several of these
/// matrices.
struct AdapterPart {
  std::string_view matrix;  // its name in the layer
  const GgufTensor *a, *b;
  bool is_quantized;              // in the file, like the model's matrix
  int first_row, n_rows, n_cols;  // in the packed matrix
  int rank() const { return static_cast<int>(a->shape[1]); }
};

std::vector<AdapterPart> parts_of(const GgufFile& file, const GgufFile& model, int layer,
                                  const Stack& stack) {
  std::vector<AdapterPart> parts;
  int first_row = 0;
  for (const char* name : stack.matrices) {
    const GgufTensor* matrix = model.find(layer_tensor(layer, name));
    if (!matrix) continue;
    const int n_cols = static_cast<int>(matrix->shape[0]),
              n_rows = static_cast<int>(matrix->shape[1]);
    if (const GgufTensor* a = file.find(matrix->name + kA))
      parts.push_back({name, a, find_b(file, matrix->name),
                       !kernels::is_float(a->type) && !kernels::is_float(matrix->type), first_row,
                       n_rows, n_cols});
    first_row += n_rows;
  }
  return parts;
}

class AdapterLoader {
 public:
  AdapterLoader(const GgufFile& file, const GgufFile& model, const ModelConfig& config,
                kernels::Ops& ops)
      : file_(file), model_(model), config_(config), ops_(ops) {}

  Adapter load() {
    Adapter adapter;
    adapter.layers.resize(static_cast<size_t>(config_.n_layers));
    for (int i = 0; i < config_.n_layers; i++) {
      ops_.begin_layer(i);
      for (const Stack& stack : kStacks) {
        std::unique_ptr<kernels::LowRank> packed = pack(i, stack);
        if (packed) adapter.n_bytes += packed->n_bytes;
        adapter.layers[static_cast<size_t>(i)].*stack.packed = std::move(packed);
      }
    }
    return adapter;
  }

 private:
  std::unique_ptr<kernels::LowRank> pack(int layer, const Stack& stack) {
    const std::vector<AdapterPart> parts = parts_of(file_, model_, layer, stack);
    if (parts.empty()) return nullptr;
    std::vector<std::vector<float>> values;  // the sources point to these
    std::vector<kernels::LowRankSource> sources;
    values.reserve(2 * parts.size());
    for (const AdapterPart& part : parts) {
      const std::vector<float>& a = values.emplace_back(read(*part.a));
      const std::vector<float>& b = values.emplace_back(read_b(part));
      sources.push_back(
          {part.first_row, part.n_rows, part.rank(), scale(part.rank()), a, b, part.is_quantized});
    }
    return ops_.pack_low_rank(parts.front().n_cols, sources);
  }

  /// Matrix B by rows, in the order of the packed matrix.
  std::vector<float> read_b(const AdapterPart& part) const {
    std::vector<float> b = read(*part.b);
    if (is_by_columns(*part.b)) b = transposed(b, part.a->shape[1]);
    if (is_permuted(part.matrix))
      b = pairs_to_halves(std::span<const float>(b), static_cast<size_t>(part.n_rows),
                          static_cast<size_t>(config_.head_dim));
    return b;
  }

  bool is_permuted(std::string_view name) const {
    return config_.family->rope_pairs == RopePairs::kNeighbours &&
           (name == "attn_q.weight" || name == "attn_k.weight");
  }

  /// As in llama.cpp, if alpha is 0 or missing, the rank is used instead.
  float scale(int rank) const {
    const double alpha = file_.number("adapter.lora.alpha").value_or(0);
    return alpha == 0 ? 1 : static_cast<float>(alpha / rank);
  }

  std::vector<float> read(const GgufTensor& tensor) const {
    const std::span<const std::byte> data = file_.data(tensor);
    const size_t n_cols = tensor.shape[0], n_rows = tensor.shape[1];
    std::vector<float> values(n_cols * n_rows);
    for (size_t row = 0; row < n_rows; row++)
      kernels::dequantize_row(tensor.type, data.data() + data.size() / n_rows * row,
                              values.data() + row * n_cols, static_cast<int>(n_cols));
    // False for NaN, too.
    if (!std::ranges::all_of(values, [](float x) { return std::fabs(x) <= kMaxF16; }))
      refuse_adapter(tensor.file, "its tensor " + tensor.name +
                                      " holds a value that is not a number from -65504 to 65504");
    file_.release(tensor);
    return values;
  }

  const GgufFile& file_;
  const GgufFile& model_;
  const ModelConfig& config_;
  kernels::Ops& ops_;
};

}  // namespace

GgufFile open_adapter(const std::string& path, const GgufFile& model,
                      const ModelConfig& config) try {
  GgufFile file = GgufFile::open(path);
  check_header(file, config);
  check_tensors(file, model, config);
  return file;
} catch (const EngineError& error) {
  throw about_adapter(error);
}

std::vector<LowRankShape> low_rank_shapes(const GgufFile& file, const GgufFile& model,
                                          const ModelConfig& config) {
  std::vector<LowRankShape> shapes;
  for (int i = 0; i < config.n_layers; i++) {
    for (const Stack& stack : kStacks) {
      const std::vector<AdapterPart> parts = parts_of(file, model, i, stack);
      if (parts.empty()) continue;
      LowRankShape& shape = shapes.emplace_back();
      shape.layer = i;
      shape.n_parts = static_cast<int>(parts.size());
      shape.n_rows = parts.back().first_row + parts.back().n_rows;
      shape.n_cols = parts.back().n_cols;
      for (const AdapterPart& part : parts) {
        shape.rank = std::max(shape.rank, part.rank());
        shape.is_quantized &= part.is_quantized;
      }
    }
  }
  return shapes;
}

Adapter load_adapter(const GgufFile& file, const GgufFile& model, const ModelConfig& config,
                     kernels::Ops& ops) {
  return AdapterLoader(file, model, config, ops).load();
}

}  // namespace hearth
