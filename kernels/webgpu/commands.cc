#include "commands.h"

#include <utility>

namespace hearth::kernels::webgpu {

Handle encode(const WgpuApi& api, Handle encoder, const Commands& commands) {
  Handle pass = nullptr, pipeline = nullptr;
  const auto end_pass = [&] {
    if (!pass) return;
    api.end_pass(pass);
    api.release_pass(pass);
    pass = pipeline = nullptr;
  };
  for (const auto& command : commands) {
    if (const auto* copy = std::get_if<Copy>(&command)) {
      end_pass();
      api.copy(encoder, copy->from, copy->from_offset, copy->to, copy->to_offset, copy->n_bytes);
      continue;
    }
    const auto& dispatch = std::get<Dispatch>(command);
    if (!pass) pass = api.begin_pass(encoder, nullptr);
    if (dispatch.pipeline != pipeline) api.set_pipeline(pass, pipeline = dispatch.pipeline);
    api.set_bind_group(pass, 0, dispatch.group, 0, nullptr);
    api.dispatch(pass, dispatch.grid[0], dispatch.grid[1], dispatch.grid[2]);
  }
  end_pass();
  const Handle command_buffer = api.finish(encoder, nullptr);
  api.release_encoder(encoder);
  return command_buffer;
}

Handle PreparedCommands::take(const Commands& commands) {
  const size_t i = step_.size();
  step_.push_back(commands);
  const bool is_prepared = i < buffers_.size() && last_step_[i] == step_.back();
  return is_prepared ? std::exchange(buffers_[i], nullptr) : nullptr;
}

void PreparedCommands::end_step(const std::function<Handle(const Commands&)>& make) {
  if (step_.empty()) return;
  const bool is_repeat = step_ == last_step_;
  forget();
  last_step_ = std::exchange(step_, {});
  if (!is_repeat) return;
  for (const Commands& commands : last_step_) buffers_.push_back(make(commands));
}

void PreparedCommands::forget() {
  for (const Handle buffer : std::exchange(buffers_, {}))
    if (buffer) api_.release_commands(buffer);
  last_step_.clear();
}

}  // namespace hearth::kernels::webgpu
