// The engine thread and its queue. Foreground before background, each in order of arrival; a
// foreground job interrupts a background step, which is then done again later. So that background
// work gets on however fast requests follow each other, it is owed a short step for each of them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine.h"
#include "output_guard.h"
#include "task.h"

namespace hearth {

class Scheduler {
 public:
  /// The workbench and the flag (which the workbench's Forward and Ops read) must outlive it.
  Scheduler(Workbench& bench, std::atomic<bool>& interrupt);
  /// Ends every job as cancelled.
  ~Scheduler();

  void submit(std::shared_ptr<Job> job);
  void cancel(const std::shared_ptr<Job>& job);
  void end_answer(const std::shared_ptr<Job>& job, int answer);
  EngineStatus status() const;

 private:
  using Queue = std::list<std::unique_ptr<Task>>;
  struct Turn {
    Queue::iterator task;
    Slice slice = Slice::kFree;  // kShort: a background step ahead of a foreground job
  };
  void run();
  Turn next();
  std::optional<FinishReason> advance(Task& task, Slice slice, std::optional<EngineError>& error);
  void note_turn(const Task& task, std::optional<FinishReason> end);
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
  Queue queue_;                 // guarded; a task's inside belongs to the engine thread
  Task* current_ = nullptr;     // guarded
  Slice slice_ = Slice::kFree;  // of current_; guarded
  // Foreground jobs that ended since background work last got something done; guarded.
  int n_owed_ = 0;
  bool is_stopping_ = false;
  bool is_decoding_ = false;
  double busy_ms_ = 0;
  CacheStatistics cache_;  // copies for status()
  std::vector<OpTime> ops_;
  std::thread thread_;
};

}  // namespace hearth
