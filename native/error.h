// The one exception of the engine: a code for programs, a message for people.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace hearth {

/// code: "model-not-found", "model-unreadable", "model-truncated", "model-invalid",
/// "model-unsupported", "out-of-memory" (or out of threads), "bad-argument", "context-full",
/// "cancelled" (loading only), "backend-failed" (the GPU is lost or computes garbage: load again on
/// the CPU), "cache-unwritable" (closing only), "engine-fault" (a defect of ours or of the
/// machine). The message names the file or tensor and says what to do about it.
class EngineError : public std::runtime_error {
 public:
  EngineError(std::string code, const std::string& message)
      : std::runtime_error(message), code(std::move(code)) {}
  std::string code;
};

/// Text from a file, fit for a message: short, with control characters and non-ASCII as '?'.
std::string quoted(std::string_view text);

}  // namespace hearth
