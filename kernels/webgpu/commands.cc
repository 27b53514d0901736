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
  const Handle made = api.finish(encoder, nullptr);
  api.release_encoder(encoder);
  return made;
}

Handle CommandsAhead::take(const Commands& commands) {
  const size_t i = step_.size();
  step_.push_back(commands);
  const bool is_made = i < ahead_.size() && last_step_[i] == step_.back();
  return is_made ? std::exchange(ahead_[i], nullptr) : nullptr;
}

void CommandsAhead::end_step(const std::function<Handle(const Commands&)>& make) {
  if (step_.empty()) return;
  const bool is_again = step_ == last_step_;
  forget();
  last_step_ = std::exchange(step_, {});
  if (!is_again) return;
  for (const Commands& commands : last_step_) ahead_.push_back(make(commands));
}

void CommandsAhead::forget() {
  for (const Handle commands : std::exchange(ahead_, {}))
    if (commands) api_.release_commands(commands);
  last_step_.clear();
}

}  // namespace hearth::kernels::webgpu
