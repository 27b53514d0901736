// Writes small GGUF files for tests, valid or deliberately damaged.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "temporary_folder.h"

namespace test {

/// Builds the bytes of a GGUF file; n_keys, n_tensors and version can be set to wrong values.
class GgufBuilder {
 public:
  enum Type : uint32_t {
    kU8 = 0,
    kU16 = 2,
    kI32 = 5,
    kU32 = 4,
    kF32 = 6,
    kBool = 7,
    kString = 8,
    kArray = 9,
    kU64 = 10,
    kI64 = 11,
    kF64 = 12
  };

  uint32_t version = 3;
  int64_t n_keys = 0;
  int64_t n_tensors = 0;

  template <typename T>
  static std::string raw(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  static std::string raw(const std::string& text) { return raw(uint64_t{text.size()}) + text; }

  template <typename T>
  GgufBuilder& key(const std::string& name, Type type, const T& value) {
    keys_ += raw(name) + raw(uint32_t{type}) + raw(value);
    n_keys++;
    return *this;
  }
  template <typename T>
  GgufBuilder& array(const std::string& name, Type type, const std::vector<T>& values) {
    return bare_array(name, type, values.size(), values);
  }
  /// Adds an array that claims to have n entries, but holds `values`.
  template <typename T>
  GgufBuilder& bare_array(const std::string& name, Type type, uint64_t n,
                          const std::vector<T>& values) {
    keys_ += raw(name) + raw(uint32_t{kArray}) + raw(uint32_t{type}) + raw(n);
    if constexpr (sizeof(T) == 1)
      keys_.append(values.begin(), values.end());
    else
      for (const T& value : values) keys_ += raw(value);
    n_keys++;
    return *this;
  }
  GgufBuilder& tensor(const std::string& name, const std::vector<uint64_t>& shape, uint32_t type,
                      uint64_t offset) {
    infos_ += raw(name) + raw(static_cast<uint32_t>(shape.size()));
    for (const uint64_t size : shape) infos_ += raw(size);
    infos_ += raw(type) + raw(offset);
    n_tensors++;
    return *this;
  }

  std::string bytes(const std::string& data, size_t alignment = 32) const {
    std::string all = "GGUF" + raw(version) + raw(n_tensors) + raw(n_keys) + keys_ + infos_;
    all.resize((all.size() + alignment - 1) / alignment * alignment);
    return all + data;
  }

 private:
  std::string keys_;
  std::string infos_;
};

}  // namespace test
