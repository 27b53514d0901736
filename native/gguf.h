// GGUF v2/v3 reader: memory-maps the file (and the other parts of a split model), checks every read
// against the file's size, and answers metadata and tensors. Source: the GGUF specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "quant_blocks.h"

namespace hearth {

struct GgufTensor {
  std::string name;
  uint32_t type_id = 0;             // as in the file; may be one that Hearth does not run
  kernels::BlockType type{};        // valid if block_traits(type).name is not null
  std::vector<uint64_t> shape;      // ne[], fastest first: shape[0] = columns
  std::span<const std::byte> data;  // inside the map
  std::string file;                 // the part that holds it
};

/// Metadata value. Arrays of numbers become vectors of the widest type of their kind.
using GgufValue = std::variant<uint64_t, int64_t, double, bool, std::string, std::vector<uint64_t>,
                               std::vector<int64_t>, std::vector<double>, std::vector<std::string>>;

/// An open model file with all its parts. Spans and tensors are valid as long as it lives.
class GgufFile {
 public:
  /// Opens PATH, and for PREFIX-00001-of-0000N.gguf all N parts. Throws EngineError
  /// (model-not-found, model-unreadable, model-truncated, model-invalid, model-unsupported), naming
  /// the file, the offset or tensor, and what to do.
  static GgufFile open(const std::string& path);
  GgufFile(GgufFile&&) noexcept;
  ~GgufFile();

  const std::string& path() const;
  uint64_t n_bytes() const;  // of all parts
  const std::map<std::string, GgufValue, std::less<>>& metadata() const;
  const std::vector<GgufTensor>& tensors() const;
  const GgufTensor* find(std::string_view name) const;

  /// Typed look-ups. nullopt when absent; EngineError(model-invalid) naming the key when of another
  /// kind.
  std::optional<uint64_t> unsigned_value(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<std::string> string(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  const std::vector<std::string>* strings(std::string_view key) const;
  const std::vector<double>* numbers(std::string_view key) const;  // of an array of floats

  /// A tensor's bytes, to be read now: throws EngineError when its file has been changed.
  std::span<const std::byte> data(const GgufTensor& tensor) const;
  /// Lets go of the physical pages under a tensor (they stay in the page cache), after packing it.
  void release(const GgufTensor& tensor) const;

 private:
  struct State;
  explicit GgufFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hearth
