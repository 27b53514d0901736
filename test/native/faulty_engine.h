// An engine with FaultyOps, for tests that watch or disturb the ops.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <vector>

#include "ask.h"
#include "faulty_ops.h"
#include "gguf/gguf.h"
#include "scheduler/scheduler.h"

namespace test {

/// The parts that Engine::load builds, with ops that can be made to fail.
struct FaultyEngine {
  FaultyEngine() {
    const hearth::GgufFile file = hearth::GgufFile::open(tiny_options().model_path);
    config = hearth::read_config(file);
    tokenizer = std::make_unique<hearth::Tokenizer>(file);
    model = hearth::load_model(file, config, ops, {});
    ops.make_kv_pool({config.n_layers, config.n_heads, config.n_kv_heads, config.head_dim,
                      config.n_context, config.rope_base},
                     kPages);
    ops.cancel = &interrupt;
    forward = std::make_unique<hearth::Forward>(ops, model, heartbeat, interrupt);
    bench = std::make_unique<hearth::Workbench>(
        hearth::Workbench{ops, *tokenizer, *forward, cache, sampler, host_logits, candidates,
                          heartbeat, config.n_vocab, config.n_context});
    scheduler = std::make_unique<hearth::Scheduler>(*bench, interrupt);
  }

  void submit(std::shared_ptr<hearth::Job> job) { scheduler->submit(std::move(job)); }

  hearth::Result ask(hearth::Request request,
                     std::function<void(const hearth::Piece&)> on_text = {}) {
    const auto job = std::make_shared<hearth::Job>();
    job->request = std::move(request);
    job->on_text = std::move(on_text);
    std::promise<hearth::Result> promise;
    job->on_done = [&](hearth::Result&& result, const hearth::EngineError* error) {
      if (error) return promise.set_exception(std::make_exception_ptr(*error));
      promise.set_value(std::move(result));
    };
    submit(job);
    return promise.get_future().get();
  }

  static constexpr int kPages = 64;
  FaultyOps ops;
  hearth::ModelConfig config;
  std::unique_ptr<hearth::Tokenizer> tokenizer;
  hearth::Model model;
  std::atomic<bool> interrupt{false};
  hearth::Heartbeat heartbeat;
  std::unique_ptr<hearth::Forward> forward;
  hearth::PageCache cache{kPages, hearth::kernels::kPageTokens,
                          [this](int to, int from, int n) { ops.copy_page(to, from, n); }};
  hearth::Sampler sampler{1 << 18};
  std::vector<float> host_logits;
  std::vector<uint32_t> candidates;
  std::unique_ptr<hearth::Workbench> bench;
  std::unique_ptr<hearth::Scheduler> scheduler;
};

}  // namespace test
