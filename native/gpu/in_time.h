// Calls functions that might never return, such as those of a broken driver.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <utility>

namespace hearth::gpu {

/// Returns the result of call(), or nothing if it takes longer than the limit. After a timeout, its
/// thread may run as long as the process, so call() must own everything it uses. Rethrows
/// exceptions of call(). A thread that has answered is joined, not detached: winpthreads, which our
/// Windows builds use, may reuse the handle of a thread that is detached while it ends, and join()
/// on the next thread then hangs or throws "No such process".
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
