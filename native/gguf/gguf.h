// A GGUF model file (versions 2 and 3). Opening it memory-maps, parses and checks the whole file.
// GgufFile then looks up metadata and tensors; tensor data are spans into the mapping. A model
// split into several files (parts) can be opened through any of them and looks like one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "quant_blocks.h"

namespace hearth {

struct GgufTensor {
  std::string name;
  uint32_t type_id = 0;             // as in the file; Hearth may not support the format
  kernels::BlockType type{};        // valid if block_traits(type).name is not null
  std::vector<uint64_t> shape;      // ggml's ne[], columns first
  std::span<const std::byte> data;  // in the mapping
  std::string file;                 // path of the part that holds it
};

/// A metadata value. Numbers, alone or in arrays, have the widest type of their kind.
using GgufValue = std::variant<uint64_t, int64_t, double, bool, std::string, std::vector<uint64_t>,
                               std::vector<int64_t>, std::vector<double>, std::vector<std::string>>;
using GgufMetadata = std::map<std::string, GgufValue, std::less<>>;

struct GgufPart;

/// Owns the mappings: tensors and their data are valid as long as it lives.
class GgufFile {
 public:
  /// Opens PATH or, for PREFIX-00001-of-0000N.gguf, all N parts. Throws EngineError
  /// (model-not-found, model-unreadable, model-truncated, model-invalid, model-unsupported). Its
  /// message names the file and the offset or tensor, and says what to do.
  static GgufFile open(const std::string& path);
  GgufFile(GgufFile&&) noexcept;
  ~GgufFile();

  const std::string& path() const { return path_; }
  uint64_t n_bytes() const { return n_bytes_; }  // of all parts
  /// One part unless the model is split.
  const std::vector<GgufPart>& parts() const { return parts_; }
  const GgufMetadata& metadata() const;
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  const GgufTensor* find(std::string_view name) const;

  /// Typed look-ups: nullopt or null if the key is absent. If the value has another kind, they
  /// throw EngineError "model-invalid", which names the key.
  std::optional<uint64_t> unsigned_value(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<std::string> string(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  const std::vector<std::string>* strings(std::string_view key) const;
  const std::vector<double>* numbers(std::string_view key) const;  // an array of floats
  /// An array of whole numbers or of booleans; null also if the value is a single number.
  const std::vector<uint64_t>* counts(std::string_view key) const;

  /// Returns tensor.data. If another program has changed the file since it was opened, throws
  /// EngineError.
  std::span<const std::byte> data(const GgufTensor& tensor) const;
  /// Releases the physical memory of a tensor's mapping. The data stay valid; the system has them
  /// in its page cache or reads them again.
  void release(const GgufTensor& tensor) const;

 private:
  explicit GgufFile(const std::string& path);
  void add(GgufPart part);
  void index_names();
  const GgufValue* value(std::string_view key) const;
  template <typename T>
  const T* get(std::string_view key, const char* expected) const;
  [[noreturn]] void refuse_kind(std::string_view key, const char* expected) const;
  const GgufPart& part_of(const GgufTensor& tensor) const;

  std::string path_;
  uint64_t n_bytes_ = 0;
  std::vector<GgufPart> parts_;
  std::vector<GgufTensor> tensors_;
  std::unordered_map<std::string_view, size_t> by_name_;  // into tensors_
};

}  // namespace hearth
