// Joins the parts of a split model and answers look-ups; gguf_part.cc reads one file. Parts are
// recognized by llama.cpp's names, PREFIX-00001-of-00003.gguf. The metadata of each part must have
// the same part number as its name. The first part has the model's metadata.
#include "gguf.h"

#include <charconv>
#include <cstdio>
#include <utility>

#include "common/error.h"
#include "gguf_part.h"

namespace hearth {
namespace {

struct SplitName {
  std::string prefix;
  int part = 0;  // from 1
  int n_parts = 0;

  std::string path_of(int i) const {
    char tail[48];
    std::snprintf(tail, sizeof tail, "-%05d-of-%05d.gguf", i, n_parts);
    return prefix + tail;
  }
};

/// -1 if the text is not a number.
int number_of(std::string_view digits) {
  unsigned value = 0;
  const char* last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value);
  return error == std::errc() && end == last ? static_cast<int>(value) : -1;
}

std::optional<SplitName> parse_split_name(const std::string& path) {
  constexpr std::string_view kShape = "-00000-of-00000.gguf";
  if (path.size() <= kShape.size()) return std::nullopt;
  const size_t start = path.size() - kShape.size();
  const std::string_view tail = std::string_view(path).substr(start);
  if (tail[0] != '-' || tail.substr(6, 4) != "-of-" || tail.substr(15) != ".gguf")
    return std::nullopt;
  const SplitName name{path.substr(0, start), number_of(tail.substr(1, 5)),
                       number_of(tail.substr(10, 5))};
  if (name.part < 1 || name.n_parts < name.part) return std::nullopt;
  return name;
}

[[noreturn]] void invalid(const std::string& path, const std::string& what) {
  throw EngineError("model-invalid", "The model file " + path + " " + what);
}

/// nullopt if the value is not a whole number >= 0. Converters write some counts as signed numbers.
std::optional<uint64_t> count_of(const GgufValue& value) {
  if (const auto* number = std::get_if<uint64_t>(&value)) return *number;
  const auto* number = std::get_if<int64_t>(&value);
  return number && *number >= 0 ? std::optional<uint64_t>(*number) : std::nullopt;
}

uint64_t split_value(const GgufPart& part, const char* key, uint64_t absent) {
  const auto entry = part.metadata.find(key);
  if (entry == part.metadata.end()) return absent;
  if (const std::optional<uint64_t> count = count_of(entry->second)) return *count;
  invalid(part.file.path(), "has a " + std::string(key) + " that is no count. Download it again.");
}

GgufPart read_split_part(const SplitName& name, int i) {
  const std::string path = name.path_of(i);
  try {
    GgufPart part = read_gguf_part(path);
    if (split_value(part, "split.count", 1) != static_cast<uint64_t>(name.n_parts) ||
        split_value(part, "split.no", 0) != static_cast<uint64_t>(i - 1)) {
      invalid(path, "is not the part of the model that its name says. Download it again.");
    }
    return part;
  } catch (const EngineError& error) {
    if (error.code != "model-not-found") throw;
    throw EngineError(error.code, "Part " + std::to_string(i) + " of " +
                                      std::to_string(name.n_parts) + " of the model is missing: " +
                                      path + ". Download it into the same folder.");
  }
}

}  // namespace

GgufFile::GgufFile(const std::string& path) : path_(path) {
  const std::optional<SplitName> name = parse_split_name(path);
  if (name && name->n_parts > 1) {
    for (int i = 1; i <= name->n_parts; i++) add(read_split_part(*name, i));
  } else {
    add(read_gguf_part(path));
    if (split_value(parts_.front(), "split.count", 1) > 1)
      invalid(path,
              "is one part of a split model, but is not named so. Give all parts their names "
              "back (NAME-00001-of-00003.gguf) and open the first.");
  }
  const uint64_t n_tensors = split_value(parts_.front(), "split.tensors.count", tensors_.size());
  if (n_tensors != tensors_.size())
    invalid(path, "belongs to a model of " + std::to_string(n_tensors) +
                      " tensors, but there are " + std::to_string(tensors_.size()) +
                      ". Download all parts again.");
  index_names();
}

GgufFile GgufFile::open(const std::string& path) { return GgufFile(path); }
GgufFile::GgufFile(GgufFile&&) noexcept = default;
GgufFile::~GgufFile() = default;

void GgufFile::add(GgufPart part) {
  n_bytes_ += part.file.bytes().size();
  for (GgufTensor& tensor : part.tensors) tensors_.push_back(std::move(tensor));
  part.tensors.clear();
  if (!parts_.empty()) part.metadata.clear();  // only the first part has the model's metadata
  parts_.push_back(std::move(part));
}

void GgufFile::index_names() {
  by_name_.reserve(tensors_.size());
  for (size_t i = 0; i < tensors_.size(); i++)
    if (!by_name_.emplace(tensors_[i].name, i).second)
      invalid(tensors_[i].file, "repeats the tensor " + in_quotes(tensors_[i].name) +
                                    " of another part. Download all parts again.");
}

const GgufMetadata& GgufFile::metadata() const { return parts_.front().metadata; }

const GgufTensor* GgufFile::find(std::string_view name) const {
  const auto entry = by_name_.find(name);
  return entry == by_name_.end() ? nullptr : &tensors_[entry->second];
}

const GgufPart& GgufFile::part_of(const GgufTensor& tensor) const {
  size_t i = 0;
  while (i + 1 < parts_.size() && parts_[i].file.path() != tensor.file) i++;
  return parts_[i];
}

const GgufValue* GgufFile::value(std::string_view key) const {
  const auto entry = metadata().find(key);
  return entry == metadata().end() ? nullptr : &entry->second;
}

void GgufFile::refuse_kind(std::string_view key, const char* expected) const {
  invalid(path_, "has " + in_quotes(key) + ", which should be " + expected +
                     ". Choose another model file.");
}

/// Null if the key is absent. Refuses a value whose type is not T. expected: T's name in the
/// message.
template <typename T>
const T* GgufFile::get(std::string_view key, const char* expected) const {
  const GgufValue* held = value(key);
  if (!held) return nullptr;
  if (const T* typed = std::get_if<T>(held)) return typed;
  refuse_kind(key, expected);
}

std::optional<uint64_t> GgufFile::unsigned_value(std::string_view key) const {
  const GgufValue* held = value(key);
  const std::optional<uint64_t> count = held ? count_of(*held) : std::nullopt;
  if (held && !count) refuse_kind(key, "a whole number from 0");
  return count;
}

std::optional<double> GgufFile::number(std::string_view key) const {
  const GgufValue* held = value(key);
  if (!held) return std::nullopt;
  if (const auto* number = std::get_if<double>(held)) return *number;
  if (const auto* number = std::get_if<uint64_t>(held)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<int64_t>(held)) return static_cast<double>(*number);
  refuse_kind(key, "a number");
}

std::optional<std::string> GgufFile::string(std::string_view key) const {
  const auto* text = get<std::string>(key, "text");
  return text ? std::optional(*text) : std::nullopt;
}

std::optional<bool> GgufFile::boolean(std::string_view key) const {
  const bool* flag = get<bool>(key, "true or false");
  return flag ? std::optional(*flag) : std::nullopt;
}

const std::vector<std::string>* GgufFile::strings(std::string_view key) const {
  return get<std::vector<std::string>>(key, "a list of texts");
}

const std::vector<double>* GgufFile::numbers(std::string_view key) const {
  return get<std::vector<double>>(key, "a list of numbers");
}

const std::vector<uint64_t>* GgufFile::counts(std::string_view key) const {
  const GgufValue* held = value(key);
  if (held && count_of(*held)) return nullptr;
  return get<std::vector<uint64_t>>(key, "a list of whole numbers");
}

std::span<const std::byte> GgufFile::data(const GgufTensor& tensor) const {
  part_of(tensor).file.require_unchanged();
  return tensor.data;
}

void GgufFile::release(const GgufTensor& tensor) const {
  part_of(tensor).file.release(tensor.data);
}

}  // namespace hearth
