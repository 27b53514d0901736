#include "scheduler.h"

#include <algorithm>

namespace hearth {
namespace {

bool is_foreground(const Job& job) { return job.request.priority == Priority::kForeground; }
bool is_background(const Job& job) { return !is_foreground(job); }

/// What was thrown and is being caught, for the request's caller.
EngineError caught_error() {
  try {
    throw;
  } catch (const EngineError& error) {
    return error;
  } catch (const kernels::BackendError& error) {
    return {"backend-failed", error.what()};
  } catch (const std::bad_alloc&) {
    return {"out-of-memory", "not enough memory for the request; lower hearth.cache.memoryMiB"};
  } catch (const std::exception& error) {
    return {"engine-fault", error.what()};
  }
}

}  // namespace

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
  const bool is_urgent = is_foreground(*job);
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::make_unique<Task>(std::move(job), bench_));
    if (is_urgent && current_ && is_background(current_->job()) && slice_ == Slice::kFree)
      interrupt_ = true;
  }
  wake_.notify_one();
}

void Scheduler::cancel(const std::shared_ptr<Job>& job) {
  const std::lock_guard lock(mutex_);
  job->is_cancelled = true;
  if (current_ && &current_->job() == job.get()) interrupt_ = true;
}

/// The pass under way goes on for the others, if there are any.
void Scheduler::end_answer(const std::shared_ptr<Job>& job, int answer) {
  const std::lock_guard lock(mutex_);
  job->is_enough.at(answer) = true;
  const bool is_only = job->request.n_alternatives == 1;
  if (is_only && current_ && &current_->job() == job.get()) interrupt_ = true;
}

/// Cancelled jobs come first, so that they are answered at once; then foreground jobs, then
/// background ones. One owed short step of background work runs while a foreground job decodes,
/// because that job's first text is out by then; once two foreground jobs have ended without such a
/// step, it runs before the third one's prefill. Needs the lock.
Scheduler::Turn Scheduler::next() {
  const auto first = [&](auto&& matches) {
    return std::find_if(queue_.begin(), queue_.end(),
                        [&](const std::unique_ptr<Task>& task) { return matches(task->job()); });
  };
  const auto none = queue_.end();
  const auto cancelled = first([](const Job& job) { return job.is_cancelled.load(); });
  if (cancelled != none) return {cancelled};
  const auto urgent = first(is_foreground);
  const auto patient = first(is_background);
  if (urgent == none) return {patient};
  const int n_bearable = (*urgent)->is_decoding() ? 0 : 1;
  if (patient != none && n_owed_ > n_bearable) return {patient, Slice::kShort};
  return {urgent};
}

/// After a turn. Needs the lock; the queue still holds the task.
void Scheduler::note_turn(const Task& task, std::optional<FinishReason> end) {
  if (is_background(task.job())) {
    const bool is_lost = interrupt_ || end == FinishReason::kCancelled;
    if (!is_lost) n_owed_ = 0;
  } else if (end) {
    const bool has_patient =
        std::any_of(queue_.begin(), queue_.end(),
                    [](const std::unique_ptr<Task>& other) { return is_background(other->job()); });
    n_owed_ = has_patient ? n_owed_ + 1 : 0;
  }
}

void Scheduler::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return is_stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;  // stopping
    const auto [it, slice] = next();
    Task& task = **it;
    current_ = &task;
    slice_ = slice;
    interrupt_ = is_stopping_;
    is_decoding_ = task.is_decoding();
    const bool is_cancelled = is_stopping_ || task.job().is_cancelled;
    lock.unlock();

    const int64_t start = now_ns();
    std::optional<EngineError> error;
    const std::optional<FinishReason> end =
        is_cancelled ? FinishReason::kCancelled : advance(task, slice, error);

    lock.lock();
    current_ = nullptr;
    note_turn(task, end);
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
std::optional<FinishReason> Scheduler::advance(Task& task, Slice slice,
                                               std::optional<EngineError>& error) {
  try {
    if (!task.step(slice)) return std::nullopt;
    return task.finish_reason();
  } catch (const NoPages& thrown) {
    if (make_room(task)) return std::nullopt;
    error = thrown;
  } catch (const BadOutput& bad) {
    if (start_over(task)) return std::nullopt;
    error = bad_output(bad);
  } catch (...) {
    error = caught_error();
  }
  return FinishReason::kStop;
}

/// Background work gives up its pages for a foreground task, and pins theirs for any. False when
/// nothing was left to give.
bool Scheduler::make_room(const Task& task) {
  const auto n_held = [&] { return bench_.cache.statistics().pages_held; };
  const int n_before = n_held();
  if (is_foreground(task.job())) {
    const std::lock_guard lock(mutex_);
    for (const std::unique_ptr<Task>& other : queue_)
      if (is_background(other->job())) other->give_way();
  }
  // The oldest may hold nothing that others do not hold, too.
  while (n_held() == n_before && bench_.pins.drop_oldest()) {
  }
  return n_held() < n_before;
}

/// Pages may be what is wrong, whoever holds them, so all go, and the task begins anew without any.
/// False when it has begun anew before.
bool Scheduler::start_over(Task& task) {
  const bool is_first_time = task.start_over();
  {
    const std::lock_guard lock(mutex_);
    for (const std::unique_ptr<Task>& each : queue_) each->give_way();
  }
  bench_.pins.clear();
  bench_.cache.clear();
  return is_first_time;
}

/// A GPU is given up for it: the CPU may be right.
EngineError Scheduler::bad_output(const BadOutput& bad) const {
  const ModelConfig& config = bench_.forward.config();
  const std::string backend = bench_.ops.description();
  const std::string& op = bench_.forward.first_bad_op();
  return {backend.starts_with("cpu") ? "engine-fault" : "backend-failed",
          config.name + " (" + config.quantization + ") on " + backend + " gave " + bad.what +
              (op.empty() ? "" : ", first in " + op) +
              ", and again when it was tried without cached pages. The model file may be damaged: "
              "download it again, or choose another model."};
}

/// The task's pages go back to the cache, on the engine thread, before its caller hears of the end:
/// status() then shows what the answer left behind.
void Scheduler::finish(std::unique_ptr<Task> task, FinishReason reason,
                       std::optional<EngineError> error, int64_t start_ns) {
  const std::shared_ptr<Job> job = task->shared_job();
  Result result;
  try {
    result = task->finish(reason);
  } catch (...) {
    if (!error) error = caught_error();
  }
  task.reset();
  bench_.forward.look_at_outputs(false);
  {
    const std::lock_guard lock(mutex_);
    publish(start_ns);
  }
  job->on_done(std::move(result), error ? &*error : nullptr);
}

/// After a step. Needs the lock.
void Scheduler::publish(int64_t start_ns) {
  bench_.heartbeat.idle();
  busy_ms_ += static_cast<double>(now_ns() - start_ns) / 1e6;
  cache_ = bench_.cache.statistics();
  ops_ = bench_.forward.op_times();
}

EngineStatus Scheduler::status() const {
  EngineStatus status;
  const Heartbeat& beat = bench_.heartbeat;
  const int64_t at = beat.at_ns;
  status.beat = beat.beat;
  status.token = beat.token;
  status.layer = beat.layer;
  status.op = beat.op;
  status.op_bytes = beat.bytes;
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
