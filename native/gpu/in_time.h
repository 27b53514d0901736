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
///
/// A thread that has answered is joined, not detached: winpthreads, the threads of our builds for
/// Windows, gives a thread that is detached while it ends away to the next thread that starts. A
/// later join() then waits for ever or throws "No such process".
template <class Call>
auto in_time(std::chrono::milliseconds limit, Call call) -> std::optional<decltype(call())> {
  std::packaged_task<decltype(call())()> task(std::move(call));
  auto result = task.get_future();
  std::thread thread(std::move(task));
  if (result.wait_for(limit) != std::future_status::ready) {
    thread.detach();
    return std::nullopt;
  }
  thread.join();
  return result.get();
}

}  // namespace hearth::gpu
