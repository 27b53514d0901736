#include "scheduler.h"

#include <algorithm>

namespace hearth {

Scheduler::Scheduler(Workbench& bench, std::atomic<bool>& interrupt)
    : bench_(bench),
      interrupt_(interrupt),
      cache_(bench.cache.statistics()),
      ops_(bench.forward.op_times()) {
  thread_ = std::thread([this] { run(); });
}

Scheduler::~Scheduler() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    interrupt_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Scheduler::submit(std::shared_ptr<Job> job) {
  job->submitted_ns = now_ns();
  const bool is_urgent = job->request.priority == Priority::kForeground;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::make_unique<Task>(std::move(job), bench_));
    if (is_urgent && current_ && current_->job().request.priority == Priority::kBackground)
      interrupt_ = true;
  }
  wake_.notify_one();
}

void Scheduler::cancel(const std::shared_ptr<Job>& job) {
  const std::lock_guard lock(mutex_);
  job->is_cancelled = true;
  if (current_ && &current_->job() == job.get()) interrupt_ = true;
}

/// Cancelled jobs first, to be answered at once; then foreground, then background. Needs the lock.
Scheduler::Queue::iterator Scheduler::next() {
  const auto first = [&](auto&& matches) {
    return std::find_if(queue_.begin(), queue_.end(),
                        [&](const std::unique_ptr<Task>& task) { return matches(task->job()); });
  };
  auto found = first([](Job& job) { return job.is_cancelled.load(); });
  if (found == queue_.end())
    found = first([](Job& job) { return job.request.priority == Priority::kForeground; });
  return found == queue_.end() ? queue_.begin() : found;
}

void Scheduler::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return is_stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;  // stopping
    const Queue::iterator it = next();
    Task& task = **it;
    current_ = &task;
    interrupt_ = is_stopping_;
    is_decoding_ = task.is_decoding();
    const bool is_cancelled = is_stopping_ || task.job().is_cancelled;
    lock.unlock();

    const int64_t start = now_ns();
    std::optional<EngineError> error;
    const std::optional<FinishReason> end =
        is_cancelled ? FinishReason::kCancelled : advance(task, error);

    lock.lock();
    current_ = nullptr;
    std::unique_ptr<Task> finished;
    if (end) {
      finished = std::move(*it);
      queue_.erase(it);
    }
    lock.unlock();
    if (finished) finish(std::move(finished), *end, error, start);
    lock.lock();
    if (!end) publish(start);
  }
}

/// Why the task ended; nothing while it goes on.
std::optional<FinishReason> Scheduler::advance(Task& task, std::optional<EngineError>& error) {
  try {
    if (!task.step()) return std::nullopt;
    return task.finish_reason();
  } catch (const NoPages& thrown) {
    if (make_room(task)) return std::nullopt;
    error = thrown;
  } catch (const EngineError& thrown) {
    error = thrown;
  } catch (const kernels::BackendError& thrown) {
    error = EngineError("backend-failed", thrown.what());
  } catch (const std::exception& thrown) {
    error = EngineError("engine-fault", thrown.what());
  }
  return FinishReason::kStop;
}

/// Whether background work had pages to give up for a foreground task.
bool Scheduler::make_room(const Task& task) {
  if (task.job().request.priority == Priority::kBackground) return false;
  const int n_held = bench_.cache.statistics().pages_held;
  const std::lock_guard lock(mutex_);
  for (const std::unique_ptr<Task>& other : queue_)
    if (other->job().request.priority == Priority::kBackground) other->give_way();
  return bench_.cache.statistics().pages_held < n_held;
}

/// The task's pages go back to the cache, on the engine thread, before its caller hears of the end:
/// status() then shows what the answer left behind.
void Scheduler::finish(std::unique_ptr<Task> task, FinishReason reason,
                       const std::optional<EngineError>& error, int64_t start_ns) {
  const std::shared_ptr<Job> job = task->shared_job();
  Result result = task->finish(reason);
  task.reset();
  {
    const std::lock_guard lock(mutex_);
    ops_ = bench_.forward.op_times();
    publish(start_ns);
  }
  job->on_done(std::move(result), error ? &*error : nullptr);
}

/// After a step. Needs the lock.
void Scheduler::publish(int64_t start_ns) {
  bench_.heartbeat.idle();
  busy_ms_ += static_cast<double>(now_ns() - start_ns) / 1e6;
  cache_ = bench_.cache.statistics();
}

EngineStatus Scheduler::status() const {
  EngineStatus status;
  const Heartbeat& beat = bench_.heartbeat;
  const int64_t at = beat.at_ns;
  status.beat = beat.beat;
  status.token = beat.token;
  status.layer = beat.layer;
  status.op = beat.op;
  status.stalled_ms = at ? static_cast<double>(now_ns() - at) / 1e6 : 0;
  const std::lock_guard lock(mutex_);
  status.queued = static_cast<int>(queue_.size());
  status.state = !current_      ? EngineState::kIdle
                 : is_decoding_ ? EngineState::kDecode
                                : EngineState::kPrefill;
  status.busy_ms = busy_ms_;
  status.cache = cache_;
  status.ops = ops_;
  status.page_bytes = bench_.ops.kv_page_bytes();
  return status;
}

}  // namespace hearth
