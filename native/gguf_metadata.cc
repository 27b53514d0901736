#include "gguf_metadata.h"

#include <utility>

#include "error.h"

namespace hearth {
namespace {

// Far above any real vocabulary; bounds the memory that a damaged count can ask for.
constexpr uint64_t kMaxArray = uint64_t{1} << 24;

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

template <typename Stored, typename Wide>
std::vector<Wide> read_numbers(GgufCursor& from, uint64_t n) {
  if (from.left() / sizeof(Stored) < n) from.ends_early();
  std::vector<Wide> values(n);
  for (Wide& value : values) value = static_cast<Wide>(from.take<Stored>());
  return values;
}

GgufValue read_array(GgufCursor& from) {
  const ValueType type = static_cast<ValueType>(from.take<uint32_t>());
  const uint64_t n = from.take<uint64_t>();
  if (n > kMaxArray) from.invalid(from.where() + " claims " + std::to_string(n) + " entries");
  switch (type) {
    case ValueType::kU8:
    case ValueType::kBool:
      return read_numbers<uint8_t, uint64_t>(from, n);
    case ValueType::kI8:
      return read_numbers<int8_t, int64_t>(from, n);
    case ValueType::kU16:
      return read_numbers<uint16_t, uint64_t>(from, n);
    case ValueType::kI16:
      return read_numbers<int16_t, int64_t>(from, n);
    case ValueType::kU32:
      return read_numbers<uint32_t, uint64_t>(from, n);
    case ValueType::kI32:
      return read_numbers<int32_t, int64_t>(from, n);
    case ValueType::kF32:
      return read_numbers<float, double>(from, n);
    case ValueType::kU64:
      return read_numbers<uint64_t, uint64_t>(from, n);
    case ValueType::kI64:
      return read_numbers<int64_t, int64_t>(from, n);
    case ValueType::kF64:
      return read_numbers<double, double>(from, n);
    case ValueType::kArray:
      from.invalid(from.where() + " is an array of arrays");
    case ValueType::kString:
      break;
    default:
      from.invalid(from.where() + " has an array of unknown type");
  }
  if (from.left() / sizeof(uint64_t) < n) from.ends_early();
  std::vector<std::string> texts;
  texts.reserve(n);
  for (uint64_t i = 0; i < n; i++) texts.push_back(from.take_string());
  return texts;
}

GgufValue read_value(GgufCursor& from, ValueType type) {
  switch (type) {
    case ValueType::kU8:
      return uint64_t{from.take<uint8_t>()};
    case ValueType::kI8:
      return int64_t{from.take<int8_t>()};
    case ValueType::kU16:
      return uint64_t{from.take<uint16_t>()};
    case ValueType::kI16:
      return int64_t{from.take<int16_t>()};
    case ValueType::kU32:
      return uint64_t{from.take<uint32_t>()};
    case ValueType::kI32:
      return int64_t{from.take<int32_t>()};
    case ValueType::kF32:
      return double{from.take<float>()};
    case ValueType::kBool:
      return from.take<uint8_t>() != 0;
    case ValueType::kString:
      return from.take_string();
    case ValueType::kArray:
      return read_array(from);
    case ValueType::kU64:
      return from.take<uint64_t>();
    case ValueType::kI64:
      return from.take<int64_t>();
    case ValueType::kF64:
      return from.take<double>();
  }
  from.invalid(from.where() + " has the unknown type " +
               std::to_string(static_cast<uint32_t>(type)));
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
