// The loader against what this machine has: with no AMD GPU it says so, in words.
#include "hip/backend.h"

#include <string>

#include "gpu.h"
#include "hip/ops_hip.h"
#include "hip/self_test.h"
#include "test.h"

TEST("without an AMD GPU the HIP backend says what is missing") {
  std::string reason;
  try {
    hearth::hip::make_ops("no-such-folder");
  } catch (const std::runtime_error& error) {
    reason = error.what();
  }
  CHECK(reason.starts_with("no AMD GPU") || reason.starts_with("no GPU kernels for gfx"));
}

TEST("the self-test passes on sound kernels") {
  hearth::kernels::hip::HipOps ops(test::gpu_api(), test::gpu_choice());
  hearth::hip::self_test(ops);
}
