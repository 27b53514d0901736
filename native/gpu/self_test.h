// Known answers before trust: every kernel on the GPU (but those for
// matrices of thousands of rows) must give what the CPU's scalar kernels give.
// A driver or compiler that gets one wrong is found before it writes a word.
#pragma once

#include <functional>
#include <memory>

#include "ops.h"

namespace hearth::hip {

/// Throws std::runtime_error naming the first result that is wrong. The Ops that it makes are of no
/// use to anybody else.
void self_test(const std::function<std::unique_ptr<kernels::Ops>()>& make_gpu);

}  // namespace hearth::hip
