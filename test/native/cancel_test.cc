// Cancels requests at random moments: the result says so, no pages stay held, and the next answer
// is the same as with a cold cache.
#include <chrono>
#include <future>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "ask.h"
#include "test.h"

using hearth::FinishReason;
using hearth::Request;
using hearth::RequestKind;

namespace {

constexpr int kCancelled = test::kIsSanitized ? 50 : 150;

Request prompt(RequestKind kind, uint32_t seed, int n_tokens) {
  Request request;
  request.kind = kind;
  std::mt19937 random(seed);
  for (int i = 0; i < n_tokens; i++) request.tokens.push_back(300 + random() % 5);
  return request;
}

std::vector<float> cold_logits(hearth::Engine& engine, Request request) {
  test::clear_cache(engine);
  return test::ask(engine, std::move(request)).values;
}

}  // namespace

TEST("cancelling at any moment leaves no page held, and the next answer equals a cold cache's") {
  const auto engine = test::load_tiny(2, 0);
  const auto cold = test::load_tiny(1, 0);
  std::mt19937 random(3);
  int n_cancelled = 0;
  for (uint32_t round = 0; round < kCancelled; round++) {
    Request generate = prompt(RequestKind::kGenerate, round, 250);
    generate.max_tokens = 100;
    generate.n_alternatives = 1 + round % 3;
    test::Pending pending = test::submit(*engine, std::move(generate));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 12000));
    engine->cancel(pending.job);
    n_cancelled += pending.result.get().finish_reason == FinishReason::kCancelled;
    const hearth::EngineStatus status = engine->status();
    CHECK_EQUAL(status.cache.pages_held, 0);
    CHECK_EQUAL(status.queued, 0);
    if (round % 5 > 0) continue;
    const Request last = prompt(RequestKind::kLastLogits, round, 260);
    CHECK(test::ask(*engine, last).values == cold_logits(*cold, last));
  }
  CHECK(n_cancelled > 0);
}

TEST("requests that wait for another one can be cancelled before they begin") {
  const auto engine = test::load_tiny(2, 0);
  std::vector<test::Pending> waiting;
  std::promise<void> submitted;
  const auto cancel_all = [&, is_first = true](const hearth::Piece&) mutable {
    if (!std::exchange(is_first, false)) return;
    submitted.get_future().wait();
    for (const test::Pending& pending : waiting) engine->cancel(pending.job);
  };
  for (uint32_t i = 0; i < 8; i++) {
    Request generate = prompt(RequestKind::kGenerate, i, 400);
    generate.max_tokens = 5000;
    waiting.push_back(test::submit(*engine, std::move(generate), cancel_all));
  }
  submitted.set_value();
  int n_untouched = 0;
  for (test::Pending& pending : waiting) {
    const hearth::Result result = pending.result.get();
    CHECK(result.finish_reason == FinishReason::kCancelled);
    n_untouched += result.timings.prompt_tokens == 0;
  }
  CHECK_EQUAL(n_untouched, 7);
  CHECK_EQUAL(engine->status().cache.pages_held, 0);
}

TEST("a cancelled prompt counts the tokens that were evaluated, and no others") {
  const auto engine = test::load_tiny(2, 0);
  const int n_tokens = engine->info().context_tokens;
  int n_partial = 0;
  for (uint32_t round = 0; round < 10; round++) {
    Request whole = prompt(RequestKind::kPrefill, round, n_tokens);
    whole.priority = hearth::Priority::kBackground;  // evaluated in small pieces
    Request beginning = whole;
    beginning.tokens.resize(100);
    test::ask(*engine, beginning);
    const uint64_t n_missed = engine->status().cache.miss_tokens;
    test::Pending pending = test::submit(*engine, whole);
    while (engine->status().cache.miss_tokens == n_missed) std::this_thread::yield();
    engine->cancel(pending.job);
    const hearth::Timings timings = pending.result.get().timings;
    const uint64_t n_evaluated = engine->status().cache.miss_tokens - n_missed;
    CHECK_EQUAL(timings.cached_tokens, 100);
    CHECK_EQUAL(timings.prompt_tokens, 100 + static_cast<int>(n_evaluated));
    n_partial += timings.prompt_tokens < n_tokens;
  }
  CHECK(n_partial > 0);
}
