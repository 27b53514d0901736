// The way to a HIP Ops: runtime, device, code object, self-test. Every "no" has its reason in
// words.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ops.h"

namespace hearth::hip {

/// folder holds <architecture>.co files (scripts/build-hip.mjs); n_bytes is what will be asked for.
/// Throws std::runtime_error with the reason, for the status bar and `hearth doctor`, when the CPU
/// must do.
std::unique_ptr<kernels::Ops> make_ops(const std::string& folder, uint64_t n_bytes);

/// What AMD's runtime sees here, for `hearth doctor`; throws like make_ops when that is nothing.
std::string describe_gpus();

}  // namespace hearth::hip
