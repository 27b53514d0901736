// Reads one metadata key of a GGUF file: {name, type u32, value}. Values are widened to the largest
// type of their kind (GgufValue), so that callers need not know how a converter stored them.
#include <type_traits>
#include <utility>

#include "error.h"
#include "gguf_part.h"

namespace hearth {
namespace {

// Far above any real vocabulary; bounds the memory that a damaged count can ask for.
constexpr uint64_t kMaxArray = uint64_t{1} << 24;

// As the GGUF specification numbers them.
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

template <typename T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double,
                                std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

/// Calls read with a zero of the C++ type that a number or bool is stored as.
template <typename Read>
GgufValue read_as(GgufCursor& from, ValueType type, const std::string& fault, const Read& read) {
  switch (type) {
    case ValueType::kU8:
    case ValueType::kBool:
      return read(uint8_t{});
    case ValueType::kI8:
      return read(int8_t{});
    case ValueType::kU16:
      return read(uint16_t{});
    case ValueType::kI16:
      return read(int16_t{});
    case ValueType::kU32:
      return read(uint32_t{});
    case ValueType::kI32:
      return read(int32_t{});
    case ValueType::kF32:
      return read(float{});
    case ValueType::kU64:
      return read(uint64_t{});
    case ValueType::kI64:
      return read(int64_t{});
    case ValueType::kF64:
      return read(double{});
    default:
      from.invalid(from.where() + fault);
  }
}

/// An array: {type u32, count u64, elements}.
GgufValue read_array(GgufCursor& from) {
  const ValueType type = static_cast<ValueType>(from.take<uint32_t>());
  const uint64_t n = from.take<uint64_t>();
  if (n > kMaxArray) from.invalid(from.where() + " claims " + std::to_string(n) + " entries");
  if (type == ValueType::kArray) from.invalid(from.where() + " is an array of arrays");
  const auto require_left = [&](size_t n_bytes) {
    if (from.left() / n_bytes < n) from.ends_early();
  };
  if (type == ValueType::kString) {
    require_left(sizeof(uint64_t));  // the length of each
    std::vector<std::string> texts;
    texts.reserve(n);
    for (uint64_t i = 0; i < n; i++) texts.push_back(from.take_string());
    return texts;
  }
  return read_as(from, type, " has an array of unknown type", [&](auto stored) -> GgufValue {
    require_left(sizeof stored);
    std::vector<Wide<decltype(stored)>> values(n);
    for (auto& value : values) value = from.take<decltype(stored)>();
    return values;
  });
}

GgufValue read_value(GgufCursor& from, ValueType type) {
  if (type == ValueType::kString) return from.take_string();
  if (type == ValueType::kArray) return read_array(from);
  if (type == ValueType::kBool) return from.take<uint8_t>() != 0;
  const std::string fault = " has the unknown type " + std::to_string(static_cast<uint32_t>(type));
  return read_as(from, type, fault, [&](auto stored) -> GgufValue {
    return Wide<decltype(stored)>{from.take<decltype(stored)>()};
  });
}

}  // namespace

void read_key(GgufCursor& from, GgufMetadata& metadata) {
  from.enter("its metadata");
  std::string key = from.take_string();
  from.enter("the metadata value " + quoted(key));
  GgufValue value = read_value(from, static_cast<ValueType>(from.take<uint32_t>()));
  if (metadata.contains(key)) from.invalid("it has the metadata key " + quoted(key) + " twice");
  metadata.emplace(std::move(key), std::move(value));
}

}  // namespace hearth
