// Calls what may never return, as a driver that is broken.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <utility>

namespace hearth::gpu {

/// The result of call(), or nothing if it takes longer than the limit. Then its thread goes on, for
/// as long as the process lives, so call() must own whatever it uses. Rethrows what call() throws.
template <class Call>
auto in_time(std::chrono::milliseconds limit, Call call) -> std::optional<decltype(call())> {
  std::packaged_task<decltype(call())()> task(std::move(call));
  auto result = task.get_future();
  std::thread(std::move(task)).detach();
  if (result.wait_for(limit) != std::future_status::ready) return std::nullopt;
  return result.get();
}

}  // namespace hearth::gpu
