// The commands of a step, and its command buffers. A step is the work between two waits, for
// example the work for one token. Making its command buffers takes a quarter of the step's time. So
// if a step repeats the commands of the last one, as most tokens do, we expect the same step again
// and prepare its command buffers while the GPU computes. Data that differ between tokens are in
// buffers.
#pragma once

#include <array>
#include <functional>
#include <variant>
#include <vector>

#include "wgpu_api.h"

namespace hearth::kernels::webgpu {

struct Dispatch {
  Handle pipeline, group;
  std::array<uint32_t, 3> grid;
  bool operator==(const Dispatch&) const = default;
};
struct Copy {
  Handle to;
  uint64_t to_offset;
  Handle from;
  uint64_t from_offset, n_bytes;
  bool operator==(const Copy&) const = default;
};
using Commands = std::vector<std::variant<Dispatch, Copy>>;

/// Makes a command buffer that runs these commands in order. Releases the encoder.
Handle encode(const WgpuApi& api, Handle encoder, const Commands& commands);

class PreparedCommands {
 public:
  explicit PreparedCommands(const WgpuApi& api) : api_(api) {}

  /// Adds the commands of the step's next submit. Returns the command buffer prepared for them,
  /// which the caller must release, or null if there is none.
  Handle take(const Commands& commands);
  /// Must be called when the whole step has been submitted. If it repeated the last one, this
  /// prepares command buffers for another such step with `make`.
  void end_step(const std::function<Handle(const Commands&)>& make);
  /// Releases all prepared command buffers. Must be called before anything that they use is freed.
  void forget();

 private:
  const WgpuApi& api_;
  std::vector<Commands> step_, last_step_;
  std::vector<Handle> buffers_;  // one for each submit in last_step_; null if taken
};

}  // namespace hearth::kernels::webgpu
