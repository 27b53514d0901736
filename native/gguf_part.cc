// Layout (GGUF specification, little-endian): "GGUF", version u32, tensor count u64, key count u64,
// keys {name, type u32, value}, tensor infos {name, n_dims u32, dims u64[], type u32, offset u64},
// padding to general.alignment, tensor data. Counts are trusted only as far as bytes are left.
#include "gguf_part.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <set>
#include <type_traits>
#include <utility>

#include "error.h"

namespace hearth {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF data are used as they lie");

// Far above any real vocabulary; bounds the memory that a damaged count can ask for.
constexpr uint64_t kMaxArray = uint64_t{1} << 24;
constexpr uint64_t kMinKeyBytes = 8 + 4 + 1;
constexpr uint64_t kMinTensorBytes = 8 + 4 + 8 + 4 + 8;
constexpr uint64_t kDefaultAlignment = 32;
constexpr uint64_t kMaxAlignment = 1 << 20;
// Sizes and offsets stay below this, so that sums of a few cannot overflow.
constexpr uint64_t kMaxBytes = uint64_t{1} << 60;

enum class ValueType : uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64
};

std::string count_text(uint64_t n) { return std::to_string(n); }

class Parser {
 public:
  explicit Parser(const MappedFile& file) : path_(file.path()), bytes_(file.bytes()) {}

  void run(GgufPart& part);

 private:
  [[noreturn]] void invalid(const std::string& what) const {
    throw EngineError("model-invalid",
                      "The model file " + path_ + " is damaged: " + what + ". Download it again.");
  }
  [[noreturn]] void unsupported(const std::string& what, const std::string& advice) const {
    throw EngineError("model-unsupported", "The model file " + path_ + " " + what + ". " + advice);
  }
  [[noreturn]] void ends_early() const {
    throw EngineError("model-truncated", "The model file " + path_ +
                                             " is truncated or damaged: its " +
                                             count_text(bytes_.size()) + " bytes end inside " +
                                             where_ + ", which starts at byte " +
                                             count_text(where_offset_) + ". Download it again.");
  }

  void enter(std::string where) {
    where_ = std::move(where);
    where_offset_ = offset_;
  }

  uint64_t left() const { return bytes_.size() - offset_; }

  template <typename T>
  T take() {
    if (left() < sizeof(T)) ends_early();
    T value;
    std::memcpy(&value, bytes_.data() + offset_, sizeof(T));
    offset_ += sizeof(T);
    return value;
  }

  std::string take_string() {
    const uint64_t length = take<uint64_t>();
    if (left() < length) ends_early();
    std::string text(reinterpret_cast<const char*>(bytes_.data() + offset_), length);
    offset_ += length;
    return text;
  }

  void read_version();
  void read_key(GgufPart& part);
  GgufValue read_value(ValueType type);
  GgufValue read_array();
  template <typename Stored, typename Wide>
  std::vector<Wide> read_numbers(uint64_t n);
  GgufTensor read_tensor();
  uint64_t alignment(const GgufPart& part) const;
  void place_tensors(GgufPart& part, uint64_t data_start) const;
  uint64_t tensor_bytes(const GgufTensor& tensor) const;

  const std::string path_;
  std::span<const std::byte> bytes_;
  uint64_t offset_ = 0;
  std::string where_ = "its header";
  uint64_t where_offset_ = 0;
  std::vector<uint64_t> tensor_offsets_;  // relative to the data section, in file order
};

void Parser::run(GgufPart& part) {
  read_version();
  const uint64_t n_tensors = take<uint64_t>();
  const uint64_t n_keys = take<uint64_t>();
  if (n_keys > left() / kMinKeyBytes || n_tensors > left() / kMinTensorBytes) ends_early();
  for (uint64_t i = 0; i < n_keys; i++) read_key(part);
  std::set<std::string, std::less<>> names;
  for (uint64_t i = 0; i < n_tensors; i++) {
    enter("tensor description " + count_text(i));
    GgufTensor tensor = read_tensor();
    if (!names.insert(tensor.name).second) {
      invalid("it describes the tensor " + quoted(tensor.name) + " twice");
    }
    part.tensors.push_back(std::move(tensor));
  }
  const uint64_t align = alignment(part);
  place_tensors(part, (offset_ + align - 1) / align * align);
}

void Parser::read_version() {
  const char* advice = "Choose a GGUF file of version 2 or 3.";
  // A shorter file that begins alike is a cut-off download; any other is no model at all.
  const size_t n_magic = std::min<size_t>(4, bytes_.size());
  if (n_magic == 0 || std::memcmp(bytes_.data(), "GGUF", n_magic) == 0) {
    if (n_magic < 4) ends_early();
  } else {
    throw EngineError("model-invalid", "The file " + path_ + " is not a GGUF model. " + advice);
  }
  offset_ = 4;
  const uint32_t version = take<uint32_t>();
  if (version == 2 || version == 3) return;
  if ((version & 0xffff) == 0) unsupported("is a big-endian GGUF", advice);
  unsupported("has GGUF version " + count_text(version), advice);
}

void Parser::read_key(GgufPart& part) {
  enter("its metadata");
  std::string key = take_string();
  enter("the metadata value " + quoted(key));
  GgufValue value = read_value(static_cast<ValueType>(take<uint32_t>()));
  if (part.metadata.contains(key)) invalid("it has the metadata key " + quoted(key) + " twice");
  part.metadata.emplace(std::move(key), std::move(value));
}

GgufValue Parser::read_value(ValueType type) {
  switch (type) {
    case ValueType::kU8:
      return uint64_t{take<uint8_t>()};
    case ValueType::kI8:
      return int64_t{take<int8_t>()};
    case ValueType::kU16:
      return uint64_t{take<uint16_t>()};
    case ValueType::kI16:
      return int64_t{take<int16_t>()};
    case ValueType::kU32:
      return uint64_t{take<uint32_t>()};
    case ValueType::kI32:
      return int64_t{take<int32_t>()};
    case ValueType::kF32:
      return double{take<float>()};
    case ValueType::kBool:
      return take<uint8_t>() != 0;
    case ValueType::kString:
      return take_string();
    case ValueType::kArray:
      return read_array();
    case ValueType::kU64:
      return take<uint64_t>();
    case ValueType::kI64:
      return take<int64_t>();
    case ValueType::kF64:
      return take<double>();
  }
  invalid(where_ + " has the unknown type " + count_text(static_cast<uint32_t>(type)));
}

template <typename Stored, typename Wide>
std::vector<Wide> Parser::read_numbers(uint64_t n) {
  if (left() / sizeof(Stored) < n) ends_early();
  std::vector<Wide> values(n);
  for (Wide& value : values) value = static_cast<Wide>(take<Stored>());
  return values;
}

GgufValue Parser::read_array() {
  const ValueType type = static_cast<ValueType>(take<uint32_t>());
  const uint64_t n = take<uint64_t>();
  if (n > kMaxArray) invalid(where_ + " claims " + count_text(n) + " entries");
  switch (type) {
    case ValueType::kU8:
    case ValueType::kBool:
      return read_numbers<uint8_t, uint64_t>(n);
    case ValueType::kI8:
      return read_numbers<int8_t, int64_t>(n);
    case ValueType::kU16:
      return read_numbers<uint16_t, uint64_t>(n);
    case ValueType::kI16:
      return read_numbers<int16_t, int64_t>(n);
    case ValueType::kU32:
      return read_numbers<uint32_t, uint64_t>(n);
    case ValueType::kI32:
      return read_numbers<int32_t, int64_t>(n);
    case ValueType::kF32:
      return read_numbers<float, double>(n);
    case ValueType::kU64:
      return read_numbers<uint64_t, uint64_t>(n);
    case ValueType::kI64:
      return read_numbers<int64_t, int64_t>(n);
    case ValueType::kF64:
      return read_numbers<double, double>(n);
    case ValueType::kArray:
      invalid(where_ + " is an array of arrays");
    case ValueType::kString:
      break;
    default:
      invalid(where_ + " has an array of unknown type");
  }
  if (left() / sizeof(uint64_t) < n) ends_early();
  std::vector<std::string> texts;
  texts.reserve(n);
  for (uint64_t i = 0; i < n; i++) texts.push_back(take_string());
  return texts;
}

GgufTensor Parser::read_tensor() {
  GgufTensor tensor;
  tensor.name = take_string();
  enter("the description of tensor " + quoted(tensor.name));
  const uint32_t n_dims = take<uint32_t>();
  if (n_dims < 1 || n_dims > 4) invalid(where_ + " has " + count_text(n_dims) + " dimensions");
  for (uint32_t i = 0; i < n_dims; i++) {
    const uint64_t size = take<uint64_t>();
    if (size == 0 || size > std::numeric_limits<int32_t>::max()) {
      invalid(where_ + " has a dimension of " + count_text(size));
    }
    tensor.shape.push_back(size);
  }
  tensor.type_id = take<uint32_t>();
  tensor.type = static_cast<kernels::BlockType>(tensor.type_id);
  tensor.file = path_;
  tensor_offsets_.push_back(take<uint64_t>());
  return tensor;
}

uint64_t Parser::alignment(const GgufPart& part) const {
  const auto entry = part.metadata.find("general.alignment");
  if (entry == part.metadata.end()) return kDefaultAlignment;
  const uint64_t* value = std::get_if<uint64_t>(&entry->second);
  if (!value || !std::has_single_bit(*value) || *value > kMaxAlignment) {
    invalid("its general.alignment is not a power of two up to 1 MiB");
  }
  return *value;
}

uint64_t Parser::tensor_bytes(const GgufTensor& tensor) const {
  const kernels::BlockTraits traits = kernels::block_traits(tensor.type);
  if (!traits.name) return 0;  // of unknown size; model.cc refuses it if it is needed
  if (tensor.shape[0] % static_cast<uint64_t>(traits.weights) != 0) {
    invalid("the rows of tensor " + quoted(tensor.name) + " are no whole number of " + traits.name +
            " blocks");
  }
  uint64_t n_bytes =
      tensor.shape[0] / static_cast<uint64_t>(traits.weights) * static_cast<uint64_t>(traits.bytes);
  for (size_t i = 1; i < tensor.shape.size(); i++) {
    if (n_bytes > kMaxBytes / tensor.shape[i]) {
      invalid("the shape of tensor " + quoted(tensor.name) + " is too large");
    }
    n_bytes *= tensor.shape[i];
  }
  return n_bytes;
}

void Parser::place_tensors(GgufPart& part, uint64_t data_start) const {
  const uint64_t align = alignment(part);
  uint64_t file_end = 0;
  for (size_t i = 0; i < part.tensors.size(); i++) {
    GgufTensor& tensor = part.tensors[i];
    const uint64_t n_bytes = tensor_bytes(tensor);
    const uint64_t offset = tensor_offsets_[i];
    if (offset % align != 0 || offset > kMaxBytes) {
      invalid("tensor " + quoted(tensor.name) + " lies at the impossible offset " +
              count_text(offset));
    }
    const uint64_t begin = data_start + offset;
    file_end = std::max(file_end, begin + n_bytes);
    if (file_end <= bytes_.size()) tensor.data = bytes_.subspan(begin, n_bytes);
  }
  if (file_end > bytes_.size()) {
    throw EngineError("model-truncated", "The model file " + path_ + " is incomplete: it has " +
                                             count_text(bytes_.size()) + " bytes of " +
                                             count_text(file_end) + ". Download it again.");
  }
}

}  // namespace

GgufPart read_gguf_part(const std::string& path) {
  GgufPart part{MappedFile(path), {}, {}};
  Parser(part.file).run(part);
  return part;
}

std::string quoted(std::string_view text) {
  constexpr size_t kMaxLength = 80;
  std::string result = "\"";
  for (const char c : text.substr(0, kMaxLength)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > kMaxLength ? "...\"" : "\"");
}

}  // namespace hearth
