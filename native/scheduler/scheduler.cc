// run() is the loop of the engine thread: next() chooses a task; advance() runs one step of it and
// turns an exception into an error or a retry; finish() answers the caller.
#include "scheduler.h"

#include <algorithm>

#include "system/processor.h"

namespace hearth {
namespace {

bool is_foreground(const Job& job) { return job.request.priority == Priority::kForeground; }
bool is_background(const Job& job) { return !is_foreground(job); }
/// Whether the job only reads a prompt ahead, before anybody has asked for an answer.
bool reads_ahead(const Job& job) {
  return is_background(job) && !job.chore && job.request.kind == RequestKind::kPrefill;
}
/// Whether the job is background work, and somebody waits for its answer.
bool is_awaited(const Job& job) { return is_background(job) && !job.chore && !reads_ahead(job); }

/// The exception being handled, as an error for the request's caller. Only to be called in a catch
/// block.
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
  const bool interrupts_background = is_foreground(*job);
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::make_unique<Task>(std::move(job), bench_));
    if (interrupts_background && current_ && is_background(current_->job()) &&
        size_ == StepSize::kFull)
      interrupt_ = true;
  }
  wake_.notify_one();
}

void Scheduler::cancel(const std::shared_ptr<Job>& job) {
  const std::lock_guard lock(mutex_);
  job->is_cancelled = true;
  if (current_ && &current_->job() == job.get()) interrupt_ = true;
}

/// Interrupts a running pass only if this is the job's only answer: other answers would lose the
/// pass, too.
void Scheduler::end_answer(const std::shared_ptr<Job>& job, int answer) {
  if (answer < 0 || answer >= job->request.n_alternatives)
    throw EngineError("bad-argument", "there is no answer " + std::to_string(answer));
  const std::lock_guard lock(mutex_);
  job->is_ended_by_caller[answer] = true;
  const bool is_only = job->request.n_alternatives == 1;
  if (is_only && current_ && &current_->job() == job.get()) interrupt_ = true;
}

/// Chooses the next task. Cancelled jobs come first, so that they are answered at once, then
/// foreground jobs, then background jobs. Among background jobs, requests go before prompts that
/// are only read ahead, since reading one prompt can take as long as ten requests. A chore does not
/// overtake reading ahead, since it may refer to a prompt that is read before it.
///
/// If a foreground job has ended since background work last completed a step, one short background
/// step runs once the current foreground job decodes: its first text is out by then. If two have
/// ended, the short step runs even before the current job's prefill. Call with the lock held.
Scheduler::Turn Scheduler::next() {
  const auto first = [&](auto&& matches) {
    return std::find_if(queue_.begin(), queue_.end(),
                        [&](const std::unique_ptr<Task>& task) { return matches(task->job()); });
  };
  const auto none = queue_.end();
  const auto cancelled = first([](const Job& job) { return job.is_cancelled.load(); });
  if (cancelled != none) return {cancelled};
  const auto foreground = first(is_foreground);
  auto background = first(is_background);
  if (background != none && reads_ahead((*background)->job()))
    if (const auto asked = first(is_awaited); asked != none) background = asked;
  if (foreground == none) return {background};
  const int n_tolerated = (*foreground)->is_decoding() ? 0 : 1;
  if (background != none && n_ended_foreground_ > n_tolerated)
    return {background, StepSize::kShort};
  return {foreground};
}

/// Updates n_ended_foreground_ after a step of the task, which is still in the queue. Call with the
/// lock held.
void Scheduler::count_ended(const Task& task, std::optional<FinishReason> end) {
  if (is_background(task.job())) {
    const bool completed = !interrupt_ && end != FinishReason::kCancelled;
    if (completed) n_ended_foreground_ = 0;
  } else if (end) {
    const bool has_background =
        std::any_of(queue_.begin(), queue_.end(),
                    [](const std::unique_ptr<Task>& other) { return is_background(other->job()); });
    n_ended_foreground_ = has_background ? n_ended_foreground_ + 1 : 0;
  }
}

void Scheduler::run() {
  system::prefer_fast_cores();
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return is_stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;  // is_stopping_, and every job has been answered
    const auto [it, size] = next();
    Task& task = **it;
    current_ = &task;
    size_ = size;
    interrupt_ = is_stopping_;  // otherwise clears the interruption of the previous step
    is_decoding_ = task.is_decoding();
    const bool is_cancelled = is_stopping_ || task.job().is_cancelled;
    lock.unlock();

    const int64_t start = now_ns();
    std::optional<EngineError> error;
    const std::optional<FinishReason> end =
        is_cancelled ? FinishReason::kCancelled : advance(task, size, error);

    lock.lock();
    current_ = nullptr;
    count_ended(task, end);
    if (!end) {
      publish(start);
      continue;
    }
    std::unique_ptr<Task> finished = std::move(*it);
    queue_.erase(it);
    lock.unlock();
    finish(std::move(finished), *end, error, start);
    lock.lock();
  }
}

/// Runs one step. Returns nothing if the task continues, otherwise the reason why it ended. If the
/// task failed, error is set, and the return value is meaningless.
std::optional<FinishReason> Scheduler::advance(Task& task, StepSize size,
                                               std::optional<EngineError>& error) {
  try {
    if (!task.step(size)) return std::nullopt;
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

/// Frees pages for a task that found none. For a foreground task, all background tasks release
/// their pages; for a background task, only prompts that are read ahead. Then drops the oldest pins
/// until a page is free. Returns false if nothing was freed.
bool Scheduler::make_room(const Task& task) {
  const auto n_held = [&] { return bench_.cache.statistics().pages_held; };
  const int n_before = n_held();
  const auto yields = is_foreground(task.job()) ? is_background : reads_ahead;
  if (!reads_ahead(task.job())) {
    const std::lock_guard lock(mutex_);
    for (const std::unique_ptr<Task>& other : queue_)
      if (yields(other->job())) other->release_pages();
  }
  // Dropping a pin frees nothing if other paths hold all of its pages.
  while (n_held() == n_before && bench_.pins.drop_oldest()) {
  }
  return n_held() < n_before;
}

/// Called after bad output. Cached pages may be corrupt, so all pages of all tasks and pins are
/// dropped, and the task restarts from its prompt. Other tasks prefill their prompts again or, if
/// they are decoding, end their answers here (kLength). Returns false if the task has been
/// restarted before.
bool Scheduler::start_over(Task& task) {
  const bool is_first_time = task.start_over();
  {
    const std::lock_guard lock(mutex_);
    for (const std::unique_ptr<Task>& each : queue_) each->release_pages();
  }
  bench_.pins.clear();
  bench_.cache.clear();
  return is_first_time;
}

/// The error for bad output at the second attempt. On a GPU its code is "backend-failed"; the
/// caller then loads the model again on the CPU.
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

/// Destroys the task and then answers the caller: by then the task's pages are released, and a
/// status that the caller reads does not count them as held.
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
  {
    const std::lock_guard lock(mutex_);
    publish(start_ns);
  }
  try {
    job->on_done(std::move(result), error ? &*error : nullptr);
  } catch (...) {
    // Not enough memory to deliver the result. The engine continues with other jobs.
  }
}

/// Updates the fields of status() after a step. Call with the lock held.
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
