// Loading: file, tokenizer, backend, weights, page cache, disk cache and draft model, in this
// order. If the GPU fails while loading, the model is loaded on the CPU. The public functions only
// forward to the scheduler.
#include "engine.h"

#include <algorithm>
#include <array>
#include <future>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "backend/backend.h"
#include "backend/gpu_memory.h"
#include "backend/split_ops.h"
#include "cache/page_store.h"
#include "description.h"
#include "gguf/gguf.h"
#include "kv_identity.h"
#include "scheduler/scheduler.h"
#include "system/memory.h"
#include "system/paths.h"

namespace hearth {
namespace {

uint64_t default_cache_bytes() {
  return std::min<uint64_t>(1ULL << 30, system::physical_memory_bytes() / 10);
}

kernels::KvType kv_type_of(const LoadOptions& options) {
  if (options.kv_type == "f16") return kernels::KvType::kF16;
  if (options.kv_type == "int8") return kernels::KvType::kInt8;
  throw EngineError("bad-argument",
                    "the KV cache must be f16 or int8, not \"" + options.kv_type + "\"");
}

/// The number of pages that fit the budget, but at least enough for a short prompt.
int n_pages_for(const LoadOptions& options, uint64_t page_bytes) {
  const uint64_t budget = options.cache_bytes ? options.cache_bytes : default_cache_bytes();
  constexpr uint64_t kMinPages = 16;  // 512 tokens
  return static_cast<int>(std::clamp<uint64_t>(budget / page_bytes, kMinPages, 1 << 20));
}

std::string file_name(const std::string& path) {
  return system::utf8_of(system::path_of(path).filename());
}

/// A value that another thread computes; the destructor waits for that thread. Replaces std::async,
/// which in libc++ 20 hangs if no thread can be started.
template <class T>
class AsyncValue {
 public:
  template <class Make>
  AsyncValue(Make make)
      : task_(std::move(make)), value_(task_.get_future()), thread_([this] { task_(); }) {}
  ~AsyncValue() { thread_.join(); }
  AsyncValue(const AsyncValue&) = delete;
  AsyncValue& operator=(const AsyncValue&) = delete;
  /// Waits; rethrows the other thread's exception. May be called once.
  T get() { return value_.get(); }

 private:
  std::packaged_task<T()> task_;
  std::future<T> value_;
  std::thread thread_;
};

}  // namespace

/// Everything that lives as long as the engine, in order of construction.
struct Engine::Loaded {
  ModelInfo info;
  std::atomic<bool> interrupt{false};
  Heartbeat heartbeat;
  std::unique_ptr<Tokenizer> tokenizer;
  std::unique_ptr<kernels::Ops> ops;
  bool is_whole_on_gpu = false;  // no layer is on the CPU
  Model model;
  std::unique_ptr<Forward> forward;
  std::unique_ptr<PageCache> cache;
  std::unique_ptr<Sampler> sampler;
  std::vector<float> host_logits;
  std::vector<uint32_t> candidates;
  std::unique_ptr<DraftModel> draft_model;  // null: none
  std::unique_ptr<Workbench> bench;
  std::unique_ptr<PageStore> store;  // null: no disk cache

  using Progress = std::function<bool(double)>;
  /// The parts of the model that every backend needs.
  struct Source {
    const GgufFile& file;
    const std::vector<GgufFile>& adapters;
    const LoadOptions& options;
    const Progress& progress;
    AsyncValue<std::unique_ptr<Tokenizer>> tokenizer;
  };
  void open(const LoadOptions& options, const Progress& progress);
  void load_on_gpu(Source& source);
  void load_on(std::unique_ptr<kernels::Ops> backend, kernels::KvType kv_type, Source& source);
  void unload();
  void load_draft_model(const LoadOptions& options, const Progress& progress);
  void warm_up();
  void restore_pages(const Source& source);
};

void Engine::Loaded::open(const LoadOptions& options, const Progress& progress) {
  const int64_t start = now_ns();
  const kernels::KvType kv_type = kv_type_of(options);
  if (options.context_tokens > 0 && options.context_tokens < kMinContextTokens)
    throw EngineError("bad-argument", "a context of " + std::to_string(options.context_tokens) +
                                          " tokens is too short for a prompt; give it at least " +
                                          std::to_string(kMinContextTokens));
  GgufFile file = GgufFile::open(options.model_path);
  info.config = read_config(file);
  if (info.config.name.empty()) info.config.name = file_name(options.model_path);
  std::vector<GgufFile> adapters;
  for (const std::string& path : options.adapters)
    adapters.push_back(open_adapter(path, file, info.config));
  info.adapters = options.adapters;
  // The tokenizer is made on another thread while the weights are packed, since a vocabulary of
  // 152,000 tokens takes a tenth of a second. AsyncValue's destructor waits, so the file stays open
  // even if packing throws.
  Source source{
      file, adapters, options, progress, {[&file] { return std::make_unique<Tokenizer>(file); }}};
  info.path = options.model_path;
  info.texts = texts_of(file);
  info.file_bytes = file.n_bytes();
  if (wants_gpu(options)) load_on_gpu(source);
  if (!ops) load_on(make_cpu_ops(options), kv_type, source);
  if (!options.draft_model_path.empty()) load_draft_model(options, progress);
  info.load_ms = static_cast<double>(now_ns() - start) / 1e6;
}

/// A draft model only saves time, so if it cannot be loaded, the engine runs without it.
void Engine::Loaded::load_draft_model(const LoadOptions& options, const Progress& progress) {
  if (is_whole_on_gpu) {
    info.draft_problem = options.draft_model_path +
                         ": a draft model runs on the CPU, which is too slow beside a GPU";
    return;
  }
  try {
    draft_model = std::make_unique<DraftModel>(options, info.context_tokens, *tokenizer, heartbeat,
                                               interrupt, progress);
  } catch (const EngineError& error) {
    if (error.code == "cancelled") throw;
    info.draft_problem = error.what();
  } catch (const std::bad_alloc&) {
    info.draft_problem = options.draft_model_path +
                         ": not enough memory for a draft model beside the model; use a smaller "
                         "one or none";
  } catch (const std::exception& error) {
    info.draft_problem = options.draft_model_path + ": " + error.what();
  }
  bench->drafting.model = draft_model.get();
}

/// If no GPU can run the model, ops stays null, and fallback_reason says why. Rethrows errors in
/// the file, since the CPU would hit them, too.
void Engine::Loaded::load_on_gpu(Source& source) {
  constexpr kernels::KvType kOnly = kernels::KvType::kF16;
  const uint64_t page_bytes = info.config.attention_shape(kOnly, 0).page_bytes();
  try {
    const uint64_t kv_bytes = page_bytes * n_pages_for(source.options, page_bytes);
    const GpuNeeds needs =
        gpu_needs(source.file, source.adapters, info.config, kv_bytes, source.options.backend);
    std::unique_ptr<kernels::Ops> gpu =
        make_gpu_ops(source.options, needs.total_bytes(),
                     [&](uint64_t free_bytes) { return needs.layers_that_fit(free_bytes) > 0; });
    const int n_layers = info.config.n_layers, n_on_gpu = needs.layers_that_fit(gpu->free_bytes());
    if (n_on_gpu == 0)
      throw std::runtime_error("GPU " + gpu->description() +
                               ": not even one layer of the model fits into its free memory");
    if (n_on_gpu < n_layers)
      gpu = std::make_unique<SplitOps>(make_cpu_ops(source.options), std::move(gpu), n_layers,
                                       n_layers - n_on_gpu);
    load_on(std::move(gpu), kOnly, source);
    info.is_on_gpu = true;
    is_whole_on_gpu = n_on_gpu == n_layers;
  } catch (const EngineError&) {
    throw;
  } catch (const std::runtime_error& error) {
    info.fallback_reason = error.what();
    unload();
  }
}

void Engine::Loaded::load_on(std::unique_ptr<kernels::Ops> backend, kernels::KvType kv_type,
                             Source& source) {
  ops = std::move(backend);
  const LoadOptions& options = source.options;
  const ModelConfig& config = info.config;
  const auto n_adapters = static_cast<int>(source.adapters.size());
  ops->require_support(config.model_shape(kv_type, config.n_context, n_adapters));
  model = load_model(source.file, config, *ops, source.progress);
  for (const GgufFile& adapter : source.adapters) {
    model.adapters.push_back(load_adapter(adapter, source.file, config, *ops));
    model.n_bytes += model.adapters.back().n_bytes;
  }

  kernels::AttentionShape shape = config.attention_shape(kv_type, config.n_context);
  const int n_pages = n_pages_for(options, shape.page_bytes());
  // One page is kept for copy-on-write of a sequence's last page.
  int context = std::min(config.n_context, (n_pages - 1) * kernels::kPageTokens);
  if (options.context_tokens > 0) context = std::min(context, options.context_tokens);
  info.context_tokens = shape.max_positions = context;
  info.kv_type = kv_type;
  ops->make_kv_pool(shape, n_pages);
  ops->cancel = &interrupt;
  forward = std::make_unique<Forward>(*ops, model, heartbeat, interrupt);
  cache = std::make_unique<PageCache>(
      n_pages, kernels::kPageTokens,
      [this](int to, int from, int n_positions) { ops->copy_page(to, from, n_positions); },
      1 + n_adapters);
  sampler = std::make_unique<Sampler>(config.n_vocab);
  host_logits.reserve(config.n_vocab);
  candidates.reserve(config.n_vocab);
  warm_up();
  info.weight_bytes = model.n_bytes;
  info.backend = ops->description();
  if (!tokenizer) tokenizer = source.tokenizer.get();
  bench = std::make_unique<Workbench>(Workbench{*ops, *tokenizer, *forward, *cache, *sampler,
                                                host_logits, candidates, heartbeat, config.n_vocab,
                                                info.context_tokens});
  if (!options.disk_folder.empty()) restore_pages(source);
}

void Engine::Loaded::unload() {
  store.reset();
  bench.reset();
  cache.reset();
  forward.reset();
  model = Model();
  ops.reset();
}

/// Runs one token through every kernel, so that the first keystroke does not wait for page faults
/// and for threads to start.
void Engine::Loaded::warm_up() {
  Path path = cache->find({});
  const uint32_t token = 0;
  const Extension extension{&path, std::span(&token, 1)};
  const int32_t row = 0;
  forward->evaluate_for_logits(std::span(&extension, 1));
  forward->head(std::span(&row, 1));
  heartbeat.idle();
}

void Engine::Loaded::restore_pages(const Source& source) {
  const LoadOptions& options = source.options;
  store = std::make_unique<PageStore>(options.disk_folder, options.disk_bytes,
                                      kv_identities(*bench, source.file, source.adapters), *ops);
  PageStore::Restored restored = store->restore(*cache);
  info.restored_pages = restored.n_pages;
  info.disk_problems = std::move(restored.problems);
}

Engine::Engine() : loaded_(std::make_unique<Loaded>()) {}

std::unique_ptr<Engine> Engine::load(const LoadOptions& options,
                                     const std::function<bool(double)>& progress) {
  try {
    std::unique_ptr<Engine> engine(new Engine);
    engine->loaded_->open(options, progress);
    engine->scheduler_ =
        std::make_unique<Scheduler>(*engine->loaded_->bench, engine->loaded_->interrupt);
    return engine;
  } catch (const std::bad_alloc&) {
    throw EngineError("out-of-memory", options.model_path +
                                           ": not enough memory for the model; use a smaller one "
                                           "or lower hearth.cache.memoryMiB");
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) throw;
    throw EngineError("out-of-memory", options.model_path +
                                           ": the system starts no more threads for this user (" +
                                           error.code().message() +
                                           "). Close other programs, or raise the limit: ulimit "
                                           "-u, or that of the container.");
  }
}

Engine::~Engine() = default;

void Engine::close() {
  scheduler_.reset();
  loaded_->bench->pins.clear();
  if (loaded_->store) loaded_->store->save(*loaded_->cache);
}

const ModelInfo& Engine::info() const { return loaded_->info; }
const Tokenizer& Engine::tokenizer() const { return *loaded_->tokenizer; }
void Engine::submit(std::shared_ptr<Job> job) { scheduler_->submit(std::move(job)); }
void Engine::cancel(const std::shared_ptr<Job>& job) { scheduler_->cancel(job); }
void Engine::end_answer(const std::shared_ptr<Job>& job, int answer) {
  scheduler_->end_answer(job, answer);
}

void Engine::submit_chore(Priority priority, std::function<void(Workbench&)> chore, Done done) {
  const auto job = std::make_shared<Job>();
  job->request.priority = priority;
  job->chore = std::move(chore);
  job->on_done = [done = std::move(done)](Result&&, const EngineError* error) { done(error); };
  submit(job);
}

void Engine::pin(uint64_t id, std::vector<uint32_t> tokens, int adapter, Done done) {
  submit_chore(
      Priority::kBackground,
      [id, tokens = std::move(tokens), adapter](Workbench& bench) {
        require_adapter(adapter, bench.forward);
        bench.pins.set(id, bench.cache.find_whole(tokens, adapter));
      },
      std::move(done));
}

void Engine::learn(std::vector<uint32_t> tokens, Done done) {
  submit_chore(
      Priority::kBackground,
      [tokens = std::move(tokens)](Workbench& bench) {
        require_in_vocabulary(tokens, bench.n_vocab);
        bench.drafting.corpus.add(tokens);
      },
      std::move(done));
}

void Engine::clear_cache(Done done) {
  submit_chore(
      Priority::kForeground,
      [](Workbench& bench) {
        bench.pins.clear();
        bench.cache.clear();
      },
      std::move(done));
}

EngineStatus Engine::status() const { return scheduler_->status(); }

}  // namespace hearth
