// A copy of a model file in memory, which a test can change and write to a new file.
#pragma once

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "gguf/gguf.h"
#include "gguf_builder.h"

namespace test {

struct GgufCopy {
  struct Tensor {
    std::string name;
    std::vector<uint64_t> shape;
    uint32_t type = 0;
    std::string data;
  };
  hearth::GgufMetadata metadata;
  std::vector<Tensor> tensors;

  static GgufCopy of(const std::string& path) {
    const hearth::GgufFile file = hearth::GgufFile::open(path);
    GgufCopy copy{file.metadata(), {}};
    for (const hearth::GgufTensor& tensor : file.tensors())
      copy.tensors.push_back(
          {tensor.name,
           tensor.shape,
           tensor.type_id,
           {reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()}});
    return copy;
  }

  std::string bytes() const {
    GgufBuilder builder;
    for (const auto& [name, value] : metadata)
      std::visit([&](const auto& held) { add(builder, name, held); }, value);
    std::string data;
    for (const Tensor& tensor : tensors) {
      builder.tensor(tensor.name, tensor.shape, tensor.type, data.size());
      data += tensor.data;
      data.resize((data.size() + 31) / 32 * 32);
    }
    return builder.bytes(data);
  }

  template <typename T>
  std::vector<T>& list(const std::string& key) {
    return std::get<std::vector<T>>(metadata.at(key));
  }

 private:
  template <typename T>
  static constexpr GgufBuilder::Type type_of() {
    if (std::is_same_v<T, std::string>) return GgufBuilder::kString;
    if (std::is_same_v<T, bool>) return GgufBuilder::kBool;
    if (std::is_same_v<T, double>) return GgufBuilder::kF64;
    return std::is_same_v<T, int64_t> ? GgufBuilder::kI64 : GgufBuilder::kU64;
  }
  template <typename T>
  static void add(GgufBuilder& builder, const std::string& name, const T& value) {
    builder.key(name, type_of<T>(), value);
  }
  template <typename T>
  static void add(GgufBuilder& builder, const std::string& name, const std::vector<T>& values) {
    builder.array(name, type_of<T>(), values);
  }
};

}  // namespace test
