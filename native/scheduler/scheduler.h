// The engine thread and its queue of jobs. The thread runs one step of one task at a time: a chunk
// of a prompt, or one decoding pass. Foreground jobs (somebody waits for the answer) run before
// background jobs, each kind in order of arrival. But reading ahead comes last, even after
// background requests that arrive later. A new foreground job interrupts a running background step,
// whose work is lost and repeated later. To keep fast typing from starving background work, next()
// gives it a short step now and then.
#pragma once

#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "common/output_guard.h"
#include "engine_status.h"
#include "task.h"

namespace hearth {

class Scheduler {
 public:
  /// Starts the thread. interrupt: the flag that makes Forward and Ops stop within one op.
  /// Workbench and flag must outlive the scheduler.
  Scheduler(Workbench& bench, std::atomic<bool>& interrupt);
  /// Ends every job as cancelled and joins the thread.
  ~Scheduler();

  // See the functions of the same names in Engine.
  void submit(std::shared_ptr<Job> job);
  void cancel(const std::shared_ptr<Job>& job);
  void end_answer(const std::shared_ptr<Job>& job, int answer);
  EngineStatus status() const;

 private:
  using Queue = std::list<std::unique_ptr<Task>>;
  struct Turn {
    Queue::iterator task;
    StepSize size = StepSize::kFull;  // kShort: a background step while a foreground job waits
  };
  void run();
  Turn next();
  std::optional<FinishReason> advance(Task& task, StepSize size, std::optional<EngineError>& error);
  void count_ended(const Task& task, std::optional<FinishReason> end);
  bool make_room(const Task& task);
  bool start_over(Task& task);
  EngineError bad_output(const BadOutput& bad) const;
  void finish(std::unique_ptr<Task> task, FinishReason reason, std::optional<EngineError> error,
              int64_t start_ns);
  void publish(int64_t start_ns);

  Workbench& bench_;
  std::atomic<bool>& interrupt_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  // mutex_ guards everything from here to ops_. The tasks themselves belong to the engine thread.
  Queue queue_;
  Task* current_ = nullptr;          // the task whose step is running
  StepSize size_ = StepSize::kFull;  // of that step
  // The number of foreground jobs that have ended while background work waited, since the last
  // completed background step.
  int n_ended_foreground_ = 0;
  bool is_stopping_ = false;
  bool is_decoding_ = false;  // whether current_ is decoding; for status()
  // Copies for status().
  double busy_ms_ = 0;
  CacheStatistics cache_;
  std::vector<OpTime> ops_;
  std::thread thread_;
};

}  // namespace hearth
