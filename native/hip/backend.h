// The way to a HIP Ops: runtime, device, code object, self-test. Every "no" has its reason in
// words.
#pragma once

#include <memory>
#include <string>

#include "ops.h"

namespace hearth::hip {

/// folder holds <architecture>.co files (scripts/build-hip.mjs). Throws std::runtime_error with the
/// reason, for the status bar and `hearth doctor`, when the CPU must do.
std::unique_ptr<kernels::Ops> make_ops(const std::string& folder);

}  // namespace hearth::hip
