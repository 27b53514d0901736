#include "gguf_cursor.h"

#include <utility>

#include "common/error.h"

namespace hearth {

std::string GgufCursor::take_string() {
  const uint64_t length = take<uint64_t>();
  if (left() < length) ends_early();
  std::string text(reinterpret_cast<const char*>(bytes_.data() + offset_), length);
  offset_ += length;
  return text;
}

void GgufCursor::enter(std::string where) {
  where_ = std::move(where);
  where_offset_ = offset_;
}

void GgufCursor::invalid(const std::string& what) const {
  throw EngineError("model-invalid",
                    "The model file " + path_ + " is damaged: " + what + ". Download it again.");
}

void GgufCursor::unsupported(const std::string& what, const std::string& advice) const {
  throw EngineError("model-unsupported", "The model file " + path_ + " " + what + ". " + advice);
}

void GgufCursor::ends_early() const {
  throw EngineError("model-truncated", "The model file " + path_ +
                                           " is truncated or damaged: its " +
                                           std::to_string(bytes_.size()) + " bytes end inside " +
                                           where_ + ", which starts at byte " +
                                           std::to_string(where_offset_) + ". Download it again.");
}

}  // namespace hearth
