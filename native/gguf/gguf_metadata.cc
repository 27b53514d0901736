// Reads the metadata of a GGUF file, n_keys x {name, type u32, value}. Values are widened to the
// largest type of their kind (GgufValue), so that callers need not know how a converter stored
// them.
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "common/error.h"
#include "gguf_part.h"

namespace hearth {
namespace {

// The limit for the elements of all arrays of a file together: far more than real vocabularies
// need. Since widening turns one byte into up to eight, this limits the memory that a damaged or
// hostile file can demand.
constexpr uint64_t kMaxElements = uint64_t{1} << 24;

struct Text {};
struct Array {};
// The types in the order of their numbers in the GGUF specification.
using Types = std::tuple<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, float, bool, Text,
                         Array, uint64_t, int64_t, double>;

/// Calls read(T{}), where T is the type with this number; nullopt if there is none.
template <size_t I = 0, typename Read>
std::optional<GgufValue> with_type(uint32_t number, const Read& read) {
  if constexpr (I == std::tuple_size_v<Types>)
    return std::nullopt;
  else
    return number == I ? read(std::tuple_element_t<I, Types>{}) : with_type<I + 1>(number, read);
}

template <typename T>
using Wide = std::conditional_t<
    std::is_same_v<T, Text>, std::string,
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>>;

template <typename T>
Wide<T> take(GgufCursor& from) {
  if constexpr (std::is_same_v<T, Text>)
    return from.take_string();
  else
    return from.take<T>();
}

template <typename T>
GgufValue take_array(GgufCursor& from, uint64_t n) {
  constexpr size_t kMinElementBytes = std::is_same_v<T, Text> ? sizeof(uint64_t) : sizeof(T);
  if (from.left() / kMinElementBytes < n) from.ends_early();
  std::vector<Wide<T>> values(n);
  for (Wide<T>& value : values) value = take<T>(from);
  return values;
}

/// Reads {type u32, count u64, elements}. Elements of type bool become numbers. n_left: how many
/// elements the arrays of the file may still have.
GgufValue read_array(GgufCursor& from, uint64_t& n_left) {
  const auto number = from.take<uint32_t>();
  const auto n = from.take<uint64_t>();
  if (n > n_left)
    from.invalid(from.where() + " claims " + std::to_string(n) +
                 " entries, more than all lists of a model have");
  n_left -= n;
  auto values = with_type(number, [&](auto type) -> GgufValue {
    using T = decltype(type);
    if constexpr (std::is_same_v<T, Array>)
      from.invalid(from.where() + " is an array of arrays");
    else
      return take_array<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>(from, n);
  });
  if (!values) from.invalid(from.where() + " has an array of unknown type");
  return std::move(*values);
}

GgufValue read_value(GgufCursor& from, uint64_t& n_left) {
  const auto number = from.take<uint32_t>();
  auto value = with_type(number, [&](auto type) -> GgufValue {
    using T = decltype(type);
    if constexpr (std::is_same_v<T, Array>)
      return read_array(from, n_left);
    else if constexpr (std::is_same_v<T, bool>)
      return from.take<uint8_t>() != 0;
    else
      return take<T>(from);
  });
  if (!value) from.invalid(from.where() + " has the unknown type " + std::to_string(number));
  return std::move(*value);
}

}  // namespace

GgufMetadata read_metadata(GgufCursor& from, uint64_t n_keys) {
  GgufMetadata metadata;
  uint64_t n_left = kMaxElements;
  for (uint64_t i = 0; i < n_keys; i++) {
    from.enter("its metadata");
    std::string key = from.take_string();
    from.enter("the metadata value " + in_quotes(key));
    GgufValue value = read_value(from, n_left);
    if (metadata.contains(key))
      from.invalid("it has the metadata key " + in_quotes(key) + " twice");
    metadata.emplace(std::move(key), std::move(value));
  }
  return metadata;
}

}  // namespace hearth
