// The engine: one loaded model, the thread that owns it, and a queue of jobs with two priorities.
// This is the C++ interface of native/; the addon wraps it for JavaScript. The engine keeps no
// session: a request carries all its tokens, and the page cache finds the tokens that have been
// evaluated before. Cancelling is a result, not an error. The engine never prints and never exits.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/load_options.h"
#include "model/model.h"
#include "scheduler/engine_status.h"
#include "scheduler/request.h"
#include "tokenizer/tokenizer.h"

namespace hearth {

class Scheduler;

struct ModelInfo {
  ModelConfig config;
  std::string path;
  std::vector<std::string> adapters;  // paths
  uint64_t file_bytes = 0;
  uint64_t weight_bytes = 0;  // as packed
  int context_tokens = 0;
  kernels::KvType kv_type = kernels::KvType::kF16;
  bool is_on_gpu = false;
  std::string backend;
  std::string
      draft_problem;  // why the draft model was not loaded; empty if it was loaded or not wanted
  std::string fallback_reason;  // why no GPU is used; empty if one is used or none was wanted
  double load_ms = 0;
  int restored_pages = 0;                    // from the disk cache
  std::vector<std::string> disk_problems;    // for the log: damaged files of the disk cache
  std::map<std::string, std::string> texts;  // see texts_of in description.h
};

class Engine {
 public:
  /// Loads on the calling thread and starts the engine thread. progress is called with 0..1 and
  /// returns false to stop (EngineError "cancelled"). Throws EngineError if anything is wrong with
  /// the file.
  static std::unique_ptr<Engine> load(const LoadOptions& options,
                                      const std::function<bool(double)>& progress);
  /// Cancels all jobs and joins the thread.
  ~Engine();
  /// Cancels all jobs, joins the thread, and writes the disk cache, if there is one. After that,
  /// only the destructor may be called. Throws EngineError "cache-unwritable".
  void close();

  const ModelInfo& info() const;
  const Tokenizer& tokenizer() const;

  // Any thread may call the following functions.

  /// Queues a job. Foreground jobs run before background jobs and interrupt them within one op or,
  /// during the computation of logits, one row; only the short steps of background work (see
  /// Scheduler) are not interrupted. Jobs of one priority run in order of arrival, except that
  /// background reading ahead (kPrefill) comes last.
  void submit(std::shared_ptr<Job> job);
  /// Ends the job with kCancelled within one op or one row of logits. No effect on a job that has
  /// ended.
  void cancel(const std::shared_ptr<Job>& job);
  /// Ends one of the job's answers with kStop before its next pass.
  void end_answer(const std::shared_ptr<Job>& job, int answer);

  // Work on the cache and the draft corpus, queued as jobs. When a job has ended, the engine thread
  // calls done with its error, or with null.
  using Done = std::function<void(const EngineError*)>;
  /// Pins the cached part of a prompt that was evaluated with this adapter (0: none), in place of
  /// the id's previous pin. A background job.
  void pin(uint64_t id, std::vector<uint32_t> tokens, int adapter, Done done);
  /// Adds a text to the corpus that drafts are taken from. A background job.
  void learn(std::vector<uint32_t> tokens, Done done);
  /// Drops all pins and every page that no request holds. A foreground job.
  void clear_cache(Done done);

  EngineStatus status() const;

 private:
  void submit_chore(Priority priority, std::function<void(Workbench&)> chore, Done done);
  struct Loaded;
  Engine();
  std::unique_ptr<Loaded> loaded_;
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace hearth
