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
    const int64_t start = now_ns();
    lock.unlock();

    bool is_done = is_cancelled;
    if (is_cancelled) {
      end(task, FinishReason::kCancelled, nullptr);
    } else {
      try {
        is_done = task.step();
        if (is_done) end(task, task.finish_reason(), nullptr);
      } catch (const EngineError& error) {
        is_done = true;
        end(task, FinishReason::kStop, &error);
      } catch (const std::exception& error) {
        is_done = true;
        const EngineError fault("engine-fault", error.what());
        end(task, FinishReason::kStop, &fault);
      }
    }

    // The finished task's path goes back to the cache here, on the engine thread.
    Queue finished;
    if (is_done) {
      lock.lock();
      current_ = nullptr;
      finished.splice(finished.begin(), queue_, it);
      lock.unlock();
      finished.clear();
    }
    bench_.heartbeat.idle();
    lock.lock();
    current_ = nullptr;
    busy_ms_ += static_cast<double>(now_ns() - start) / 1e6;
    cache_ = bench_.cache.statistics();
  }
}

void Scheduler::end(Task& task, FinishReason reason, const EngineError* error) {
  {
    // Before the answer: its caller finds the answer's share in status().
    const std::lock_guard lock(mutex_);
    ops_ = bench_.forward.op_times();
  }
  task.job().on_done(task.finish(reason), error);
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
