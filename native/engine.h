// The engine: one loaded model, the thread that owns it, and a queue of jobs with two priorities.
// This is the C++ interface of native/; the addon wraps it for JavaScript. The engine keeps no
// session: a request carries all its tokens, and the page cache finds what has been evaluated
// before. Cancelling is a result, not an error. The engine never prints and never exits.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heartbeat.h"
#include "model.h"
#include "page_cache.h"
#include "request.h"
#include "tokenizer.h"

namespace hearth {

class Scheduler;

struct LoadOptions {
  std::string model_path;
  std::string backend = "auto";  // "auto": a GPU if there is one, "cpu", "hip" (AMD), "cuda"
  std::string gpu;               // a part of the name of the GPU to use; empty: the best
  std::string gpu_kernels;       // folder of the GPU's code objects
  std::string variant;           // CPU variant; empty: the best
  int n_threads = 0;             // 0: one per core, at most 8
  uint64_t cache_bytes = 0;      // of KV pages; 0: min(1 GiB, 10 % of RAM)
  std::string kv_type = "f16";   // or "int8", half the memory; a GPU always uses f16
  int context_tokens = 0;        // 0: what the model was trained for and the cache can hold
  std::string draft_model_path;  // for speculative decoding; empty: none
  std::string disk_folder;       // of the disk cache; empty: none
  uint64_t disk_bytes = 0;       // limit of the disk cache
};

struct ModelInfo {
  ModelConfig config;
  std::string path;
  uint64_t file_bytes = 0;
  uint64_t weight_bytes = 0;  // as packed
  int context_tokens = 0;
  kernels::KvType kv_type = kernels::KvType::kF16;
  bool is_on_gpu = false;
  std::string backend;
  std::string draft_problem;    // why the draft model was not loaded; else empty
  std::string fallback_reason;  // why the GPU that was wanted is not used; else empty
  double load_ms = 0;
  int restored_pages = 0;                    // from the disk cache
  std::vector<std::string> disk_problems;    // for the log: its damaged files
  std::map<std::string, std::string> texts;  // of the metadata: general.* and the chat template
};

enum class EngineState { kIdle, kPrefill, kDecode };

struct EngineStatus {
  EngineState state = EngineState::kIdle;
  uint64_t beat = 0;  // this and the next four: see Heartbeat
  int token = 0;
  int layer = 0;
  const char* op = "";
  uint64_t op_bytes = 0;
  double stalled_ms = 0;  // since the last heartbeat; 0 when idle
  int queued = 0;         // jobs, with the one that runs
  size_t page_bytes = 0;
  double busy_ms = 0;  // since loading, up to the last step, as the next two
  CacheStatistics cache;
  std::vector<OpTime> ops;
};

class Engine {
 public:
  /// Loads on the calling thread and starts the engine thread. progress is called with 0..1 and
  /// returns false to stop (EngineError "cancelled"). Throws EngineError for whatever can be wrong
  /// with the file.
  static std::unique_ptr<Engine> load(const LoadOptions& options,
                                      const std::function<bool(double)>& progress);
  /// Cancels all jobs and joins the thread.
  ~Engine();
  /// Does the same and then writes the disk cache, if there is one. Only the destructor may follow.
  /// Throws EngineError "cache-unwritable".
  void close();

  const ModelInfo& info() const;
  const Tokenizer& tokenizer() const;

  // Any thread may call what follows.

  /// Queues a job. Foreground jobs run before background jobs and interrupt them within one op;
  /// jobs of one priority run in the order of their arrival.
  void submit(std::shared_ptr<Job> job);
  /// Ends the job with kCancelled within one op. No effect on a job that has ended.
  void cancel(const std::shared_ptr<Job>& job);
  /// Ends one of the job's answers with kStop before its next pass.
  void end_answer(const std::shared_ptr<Job>& job, int answer);

  // Work on the cache and the draft corpus, queued as jobs of the engine thread, which then calls
  // done with null or with an error.
  using Done = std::function<void(const EngineError*)>;
  /// Pins what is cached of a prompt, in place of what the id pinned before. A background job.
  void pin(uint64_t id, std::vector<uint32_t> tokens, Done done);
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
