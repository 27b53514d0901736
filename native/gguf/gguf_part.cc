// Reads the file from its beginning to the end of the descriptions, then places the tensors in the
// mapping. A count is trusted only if the file has enough bytes left for it.
#include "gguf_part.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "common/error.h"
#include "gguf_cursor.h"

namespace hearth {
namespace {

constexpr uint64_t kMinKeyBytes = 8 + 4 + 1;
constexpr uint64_t kMinTensorBytes = 8 + 4 + 8 + 4 + 8;
constexpr uint64_t kDefaultAlignment = 32;
constexpr uint64_t kMaxAlignment = 1 << 20;
// Sizes and offsets stay below this, so that adding a few of them cannot overflow.
constexpr uint64_t kMaxBytes = uint64_t{1} << 60;

void read_version(GgufCursor& from) {
  const char* advice = "Choose a GGUF file of version 2 or 3.";
  // A file that ends inside the magic number might be an interrupted download.
  const size_t n_magic = std::min<size_t>(4, from.bytes().size());
  if (n_magic > 0 && std::memcmp(from.bytes().data(), "GGUF", n_magic) != 0) {
    throw EngineError("model-invalid",
                      "The file " + from.path() + " is not a GGUF model. " + advice);
  }
  from.take<uint32_t>();
  const uint32_t version = from.take<uint32_t>();
  if (version == 2 || version == 3) return;
  if ((version & 0xffff) == 0) from.unsupported("is a big-endian GGUF", advice);
  from.unsupported("has GGUF version " + std::to_string(version), advice);
}

/// Reads a description. offset: where the tensor's data begin, counted from the data section.
GgufTensor read_tensor(GgufCursor& from, uint64_t& offset) {
  GgufTensor tensor;
  tensor.name = from.take_string();
  from.enter("the description of tensor " + in_quotes(tensor.name));
  const uint32_t n_dims = from.take<uint32_t>();
  if (n_dims < 1 || n_dims > 4)
    from.invalid(from.where() + " has " + std::to_string(n_dims) + " dimensions");
  for (uint32_t i = 0; i < n_dims; i++) {
    const uint64_t size = from.take<uint64_t>();
    if (size == 0 || size > std::numeric_limits<int32_t>::max()) {
      from.invalid(from.where() + " has a dimension of " + std::to_string(size));
    }
    tensor.shape.push_back(size);
  }
  tensor.type_id = from.take<uint32_t>();
  tensor.type = static_cast<kernels::BlockType>(tensor.type_id);
  tensor.file = from.path();
  offset = from.take<uint64_t>();
  return tensor;
}

uint64_t alignment_of(const GgufCursor& from, const GgufMetadata& metadata) {
  const auto entry = metadata.find("general.alignment");
  if (entry == metadata.end()) return kDefaultAlignment;
  const uint64_t* value = std::get_if<uint64_t>(&entry->second);
  if (!value || !std::has_single_bit(*value) || *value > kMaxAlignment) {
    from.invalid("its general.alignment is not a power of two up to 1 MiB");
  }
  return *value;
}

uint64_t tensor_bytes(const GgufCursor& from, const GgufTensor& tensor) {
  const kernels::BlockTraits traits = kernels::block_traits(tensor.type);
  if (!traits.name) return 0;  // contract.cc refuses unsupported formats
  if (tensor.shape[0] % static_cast<uint64_t>(traits.weights) != 0) {
    from.invalid("the rows of tensor " + in_quotes(tensor.name) + " cannot be divided into " +
                 traits.name + " blocks");
  }
  uint64_t n_bytes =
      tensor.shape[0] / static_cast<uint64_t>(traits.weights) * static_cast<uint64_t>(traits.bytes);
  for (size_t i = 1; i < tensor.shape.size(); i++) {
    if (n_bytes > kMaxBytes / tensor.shape[i]) {
      from.invalid("the shape of tensor " + in_quotes(tensor.name) + " is too large");
    }
    n_bytes *= tensor.shape[i];
  }
  return n_bytes;
}

/// Sets the data of all tensors. `from` is at the end of the descriptions.
void place_tensors(const GgufCursor& from, const std::vector<uint64_t>& offsets, uint64_t align,
                   std::vector<GgufTensor>& tensors) {
  const uint64_t data_start = (from.offset() + align - 1) / align * align;
  uint64_t file_end = 0;
  for (size_t i = 0; i < tensors.size(); i++) {
    GgufTensor& tensor = tensors[i];
    const uint64_t n_bytes = tensor_bytes(from, tensor);
    const uint64_t offset = offsets[i];
    if (offset % align != 0 || offset > kMaxBytes) {
      from.invalid("tensor " + in_quotes(tensor.name) + " lies at the impossible offset " +
                   std::to_string(offset));
    }
    const uint64_t begin = data_start + offset;
    file_end = std::max(file_end, begin + n_bytes);
    if (file_end <= from.bytes().size()) tensor.data = from.bytes().subspan(begin, n_bytes);
  }
  if (file_end > from.bytes().size()) {
    throw EngineError("model-truncated", "The model file " + from.path() +
                                             " is incomplete: it has " +
                                             std::to_string(from.bytes().size()) + " bytes of " +
                                             std::to_string(file_end) + ". Download it again.");
  }
}

}  // namespace

GgufPart read_gguf_part(const std::string& path) {
  GgufPart part{MappedFile(path), {}, {}};
  GgufCursor from(part.file);
  read_version(from);
  const uint64_t n_tensors = from.take<uint64_t>();
  const uint64_t n_keys = from.take<uint64_t>();
  if (n_keys > from.left() / kMinKeyBytes || n_tensors > from.left() / kMinTensorBytes)
    from.ends_early();
  part.metadata = read_metadata(from, n_keys);
  std::set<std::string, std::less<>> names;
  std::vector<uint64_t> offsets(n_tensors);
  for (uint64_t i = 0; i < n_tensors; i++) {
    from.enter("tensor description " + std::to_string(i));
    GgufTensor tensor = read_tensor(from, offsets[i]);
    if (!names.insert(tensor.name).second)
      from.invalid("it describes the tensor " + in_quotes(tensor.name) + " twice");
    part.tensors.push_back(std::move(tensor));
  }
  place_tensors(from, offsets, alignment_of(from, part.metadata), part.tensors);
  return part;
}

}  // namespace hearth
