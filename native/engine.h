// The engine: one loaded model, one thread that owns it, a priority queue in front.
// Stateless to its callers: a request carries all its tokens; warmth is the page cache's business.
// Cancel is a result, not an error. The engine never prints and never exits.
#pragma once

#include <atomic>
#include <functional>
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
  int n_threads = 0;             // 0: one a core, at most 8
  uint64_t cache_bytes = 0;      // 0: min(1 GiB, 10 % of RAM)
  std::string kv_type = "f16";   // or "int8": half the memory a token; a GPU has f16 all the same
  int context_tokens = 0;        // 0: the model's, as far as the cache holds it
  std::string draft_model_path;  // a small model that guesses what this one writes; empty: none
  std::string disk_folder;       // where pages outlive the engine; empty: nowhere
  uint64_t disk_bytes = 0;       // at most there
};

struct ModelInfo {
  ModelConfig config;
  std::string path;
  uint64_t file_bytes = 0;
  uint64_t weight_bytes = 0;  // as packed
  int context_tokens = 0;
  kernels::KvType kv_type = kernels::KvType::kF16;
  std::string backend;
  std::string draft_problem;  // why no model drafts; empty when one does or none was wanted
  std::string why_cpu;        // why the GPU does not do it; empty when it does or was not wanted
  double load_ms = 0;
  int restored_pages = 0;                  // from disk
  std::vector<std::string> disk_problems;  // files there that were left out, for the log
};

enum class EngineState { kIdle, kPrefill, kDecode };

struct EngineStatus {
  EngineState state = EngineState::kIdle;
  uint64_t beat = 0;
  int token = 0;
  int layer = 0;
  const char* op = "";
  uint64_t op_bytes = 0;  // that it reads
  double stalled_ms = 0;  // since the last heartbeat; 0 when idle
  int queued = 0;
  size_t page_bytes = 0;
  double busy_ms = 0;
  CacheStatistics cache;
  std::vector<OpTime> ops;  // up to the last step
};

class Engine {
 public:
  /// Loads on the calling thread and starts the engine thread. progress gets 0..1; false stops
  /// (EngineError "cancelled"). Throws EngineError for everything that can be wrong with a file.
  static std::unique_ptr<Engine> load(const LoadOptions& options,
                                      const std::function<bool(double)>& progress);
  /// Cancels all jobs, waits for the thread.
  ~Engine();
  /// The same, and keeps the pages on disk if that was asked for. Nothing but the destructor may
  /// follow. Throws EngineError "cache-unwritable".
  void close();

  const ModelInfo& info() const;
  const Tokenizer& tokenizer() const;

  /// Queues a job; from any thread. Foreground jobs run before background ones and interrupt them
  /// within one op; jobs of one priority run in turn.
  void submit(std::shared_ptr<Job> job);
  /// The job ends with kCancelled within one op; from any thread. Unknown or finished: no effect.
  void cancel(const std::shared_ptr<Job>& job);
  /// One of the job's answers ends with kStop before its next pass; from any thread.
  void end_answer(const std::shared_ptr<Job>& job, int answer);

  // Housekeeping, done by the engine thread in its turn; from any thread. done gets null, or what
  // was wrong.
  using Done = std::function<void(const EngineError*)>;
  /// Holds what is cached of the tokens, in place of what the pin held before. As background work.
  void pin(uint64_t id, std::vector<uint32_t> tokens, Done done);
  /// Drafts may be taken from these tokens, too. As background work.
  void learn(std::vector<uint32_t> tokens, Done done);
  /// Drops all pins and every page that no request holds.
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
