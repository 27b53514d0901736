// Submits requests to an Engine and waits for their results.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace test {

struct Pending {
  std::shared_ptr<hearth::Job> job;
  std::future<hearth::Result> result;  // throws EngineError
  bool is_done() const {
    return result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
};

/// Submits a request. on_text runs on the engine thread.
inline Pending submit(hearth::Engine& engine, hearth::Request request,
                      std::function<void(const hearth::Piece&)> on_text = {}) {
  auto job = std::make_shared<hearth::Job>();
  job->request = std::move(request);
  job->on_text = std::move(on_text);
  auto promise = std::make_shared<std::promise<hearth::Result>>();
  job->on_done = [promise](hearth::Result&& result, const hearth::EngineError* error) {
    if (error) return promise->set_exception(std::make_exception_ptr(*error));
    promise->set_value(std::move(result));
  };
  engine.submit(job);
  return {job, promise->get_future()};
}

inline hearth::Result ask(hearth::Engine& engine, hearth::Request request) {
  return submit(engine, std::move(request)).result.get();
}

/// Calls begin(done) and waits until the engine calls done. For example:
/// wait([&](auto done) { engine.clear_cache(done); }).
inline void wait(const std::function<void(hearth::Engine::Done)>& begin) {
  std::promise<void> promise;
  begin([&promise](const hearth::EngineError* error) {
    if (error) return promise.set_exception(std::make_exception_ptr(*error));
    promise.set_value();
  });
  promise.get_future().get();
}

inline void clear_cache(hearth::Engine& engine) {
  wait([&](hearth::Engine::Done done) { engine.clear_cache(std::move(done)); });
}

inline void set_pin(hearth::Engine& engine, uint64_t id, std::vector<uint32_t> tokens,
                    int adapter = 0) {
  wait([&](hearth::Engine::Done done) {
    engine.pin(id, std::move(tokens), adapter, std::move(done));
  });
}

inline void learn(hearth::Engine& engine, std::vector<uint32_t> tokens) {
  wait([&](hearth::Engine::Done done) { engine.learn(std::move(tokens), std::move(done)); });
}

/// Options for a tiny model on the CPU, so that tests do not depend on the machine's GPU.
inline hearth::LoadOptions tiny_options() {
  hearth::LoadOptions options;
  options.backend = "cpu";
  options.model_path = std::string(HEARTH_FIXTURES) + "/reference/tiny-mixed.gguf";
  options.n_threads = 1;
  return options;
}

inline std::unique_ptr<hearth::Engine> load(const hearth::LoadOptions& options) {
  return hearth::Engine::load(options, [](double) { return true; });
}

inline std::unique_ptr<hearth::Engine> load_tiny(int n_threads, uint64_t cache_bytes) {
  hearth::LoadOptions options = tiny_options();
  options.n_threads = n_threads;
  options.cache_bytes = cache_bytes;
  return load(options);
}

/// With room for so few pages that several prompts do not fit.
inline std::unique_ptr<hearth::Engine> load_small() {
  constexpr int kPages = 16;
  return load_tiny(2, kPages * load_tiny(1, 0)->status().page_bytes);
}

}  // namespace test
