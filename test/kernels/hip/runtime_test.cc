// Loads AMD's own runtime, if it is installed. Without an AMD GPU, the error must say so.
#include "gpu/backend.h"

#include "gpu.h"
#include "system/libraries.h"
#include "test.h"

TEST("without an AMD GPU the HIP backend says what is missing") {
  std::string reason;
  try {
    hearth::gpu::make_ops({"hip", "", "no-such-folder", 0});
  } catch (const std::runtime_error& error) {
    reason = error.what();
  }
  const bool is_installed = hearth::system::open_library("libamdhip64.so.5");  // as Debian has it
  CHECK(reason.starts_with("no AMD GPU") ||
        reason.starts_with("Hearth has no GPU kernels for gfx"));
  if (is_installed) CHECK(reason.find("is not installed") == std::string::npos);
}
