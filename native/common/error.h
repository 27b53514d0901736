// The only exception that leaves the engine: a code for programs and a message for people. Any
// other exception is converted to an EngineError before a caller sees it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace hearth {

/// Codes: "model-not-found", "model-unreadable", "model-truncated", "model-invalid",
/// "model-unsupported", "out-of-memory" (or out of threads), "bad-argument", "context-full",
/// "cancelled" (only for a load, since a cancelled request gives a result), "backend-failed" (the
/// GPU is lost or computes garbage: load again on the CPU), "cache-unwritable" (when the engine
/// closes), "engine-fault" (a defect in Hearth or in the machine). The message names the file or
/// tensor and says what the user can do.
class EngineError : public std::runtime_error {
 public:
  EngineError(std::string code, const std::string& message)
      : std::runtime_error(message), code(std::move(code)) {}
  std::string code;
};

/// Puts untrusted text in quotation marks, for a message. The text is cut to 80 characters; control
/// characters and non-ASCII become '?'.
std::string in_quotes(std::string_view text);

}  // namespace hearth
