// What a step asks of the GPU, and the command buffers it becomes. Making one takes as long as a
// quarter of the step. So a step that was as the one before, as when a token follows another, is
// expected again, and its command buffers are made while the GPU computes: what differs between
// tokens is in buffers.
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

/// A command buffer of these commands, in order. Releases the encoder.
Handle encode(const WgpuApi& api, Handle encoder, const Commands& commands);

class CommandsAhead {
 public:
  explicit CommandsAhead(const WgpuApi& api) : api_(api) {}

  /// Adds the step's next commands. Gives their command buffer, which is then the caller's, or null
  /// if it has not been made.
  Handle take(const Commands& commands);
  /// The step has been submitted. Makes the command buffers of the next one, if it can be foreseen.
  void end_step(const std::function<Handle(const Commands&)>& make);
  /// Drops command buffers: before what they use goes, and at the end.
  void forget();

 private:
  const WgpuApi& api_;
  std::vector<Commands> step_, last_step_;
  std::vector<Handle> ahead_;  // of the commands of last_step_; null where taken
};

}  // namespace hearth::kernels::webgpu
