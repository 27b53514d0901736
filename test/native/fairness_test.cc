// Tests that background work progresses while foreground requests follow each other without a gap.
// The callback of each request submits the next one on the engine thread. So the queue always has a
// foreground job, and the counts below are the same on any machine.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ask.h"
#include "faulty_engine.h"
#include "test.h"

using hearth::Engine;
using hearth::FinishReason;
using hearth::Job;
using hearth::Priority;
using hearth::Request;
using hearth::RequestKind;

namespace {

constexpr int kMinSliceTokens = 8;

Request request(RequestKind kind, int n_tokens, uint32_t first_token, int max_tokens) {
  Request request;
  request.kind = kind;
  for (int i = 0; i < n_tokens; i++) request.tokens.push_back(first_token + i % 50);
  request.max_tokens = max_tokens;
  request.speculate = false;
  return request;
}

Request in_background(Request request) {
  request.priority = Priority::kBackground;
  return request;
}

/// A background request that scores one continuation.
Request scoring(int n_prompt, int n_continuation) {
  Request scoring = in_background(request(RequestKind::kContinuations, n_prompt, 500, 0));
  scoring.continuations.push_back(request(RequestKind::kPrefill, n_continuation, 600, 0).tokens);
  scoring.n_given.push_back(0);
  return scoring;
}

/// Makes at most n_max foreground requests in immediate succession, until it is stopped.
template <class Engine>
class Stream {
 public:
  Stream(Engine& engine, Request each, int n_max)
      : engine_(engine), each_(std::move(each)), n_max_(n_max) {}

  std::function<void()> after_each = [] {};

  /// Returns once the last request is done.
  void run() {
    submit_next();
    ended_.get_future().wait();
  }
  void stop() { is_stopped_ = true; }
  int n_done() const { return n_done_; }

 private:
  void submit_next() {
    auto job = std::make_shared<Job>();
    job->request = each_;
    job->on_done = [this](hearth::Result&&, const hearth::EngineError*) {
      n_done_++;
      after_each();
      if (is_stopped_ || n_done_ == n_max_) return ended_.set_value();
      submit_next();
    };
    engine_.submit(std::move(job));
  }

  Engine& engine_;
  Request each_;
  int n_max_;
  int n_done_ = 0;
  std::atomic<bool> is_stopped_{false};
  std::promise<void> ended_;
};

/// Returns the number of foreground requests until a background prompt of n_tokens is evaluated.
int requests_until_evaluated(Engine& engine, int n_tokens, Request each, int n_max) {
  Stream stream(engine, std::move(each), n_max);
  std::shared_ptr<Job> background = std::make_shared<Job>();
  background->request = in_background(request(RequestKind::kPrefill, n_tokens, 500, 0));
  FinishReason reason = FinishReason::kCancelled;
  background->on_done = [&](hearth::Result&& result, const hearth::EngineError* error) {
    if (!error) reason = result.finish_reason;
    stream.stop();
  };
  // The background job is submitted in the first request's callback, so that it never runs alone.
  stream.after_each = [&, is_first = true]() mutable {
    if (std::exchange(is_first, false)) engine.submit(background);
  };
  stream.run();
  engine.cancel(background);
  Request barrier = request(RequestKind::kLastLogits, 3, 300, 0);
  test::ask(engine, in_background(barrier));
  CHECK(reason != FinishReason::kCancelled);
  return stream.n_done();
}

}  // namespace

TEST("a background prompt is evaluated while requests follow each other without a gap") {
  constexpr int kPromptTokens = 400;
  const auto engine = test::load_tiny(2, 0);
  const Request each = request(RequestKind::kGenerate, 40, 300, 4);
  // Each request lets one slice run, except for the first one, which precedes the background job.
  const int n_max = kPromptTokens / kMinSliceTokens + 2;
  CHECK(requests_until_evaluated(*engine, kPromptTokens, each, n_max) <= n_max);
}

TEST("a background prompt is also evaluated between requests that generate nothing") {
  constexpr int kPromptTokens = 200;
  const auto engine = test::load_tiny(2, 0);
  const Request each = request(RequestKind::kPrefill, 40, 300, 0);
  const int n_max = 2 * kPromptTokens / kMinSliceTokens + 3;
  CHECK(requests_until_evaluated(*engine, kPromptTokens, each, n_max) <= n_max);
}

TEST("a background request overtakes a prompt that is read ahead, even one that has begun") {
  test::FaultyEngine engine;
  const Request asked = scoring(10, 30);
  const std::vector<float> expected = engine.ask(asked).values;
  std::vector<std::string> order;
  std::promise<void> ended;
  std::vector<float> values;
  const auto reading = std::make_shared<Job>();
  reading->request = in_background(request(RequestKind::kPrefill, 400, 500, 0));
  reading->on_done = [&](hearth::Result&& result, const hearth::EngineError*) {
    order.push_back("read " + std::to_string(result.timings.prompt_tokens));
    ended.set_value();
  };
  const auto other = std::make_shared<Job>();
  other->request = asked;
  other->on_done = [&](hearth::Result&& result, const hearth::EngineError*) {
    order.push_back("asked");
    values = std::move(result.values);
  };
  engine.ops.after_attention = [&, is_first = true](int, float*) mutable {
    if (std::exchange(is_first, false)) engine.submit(other);
  };
  engine.submit(reading);
  ended.get_future().wait();
  CHECK(order == (std::vector<std::string>{"asked", "read 400"}));
  CHECK(values == expected);
}

TEST("a request waits for at most one pass of background work") {
  constexpr int kBackgroundTokens = 60;
  const auto engine = test::load_tiny(2, 0);
  Stream stream(*engine, request(RequestKind::kGenerate, 40, 300, 3), 200);
  int n_passes = 0, n_passes_before = 0, max_between = 0;
  auto background = std::make_shared<Job>();
  background->request = in_background(request(RequestKind::kGenerate, 30, 500, kBackgroundTokens));
  // Each pass writes one token.
  background->request.speculate = false;
  background->on_text = [&](const hearth::Piece&) { n_passes++; };
  size_t n_written = 0;
  background->on_done = [&](hearth::Result&& result, const hearth::EngineError*) {
    n_written = result.tokens.size();
    stream.stop();
  };
  stream.after_each = [&, is_first = true]() mutable {
    if (std::exchange(is_first, false)) return engine->submit(background);
    max_between = std::max(max_between, n_passes - n_passes_before);
    n_passes_before = n_passes;
  };
  stream.run();
  CHECK_EQUAL(n_written, static_cast<size_t>(kBackgroundTokens));
  CHECK_EQUAL(max_between, 1);
}

TEST("a cancelled background request ends before the foreground request's next text") {
  const auto engine = test::load_tiny(2, 0);
  auto background = std::make_shared<Job>();
  background->request = in_background(request(RequestKind::kGenerate, 300, 500, 50));
  int n_texts = 0, n_texts_at_cancel = 0, n_texts_at_end = -1;
  background->on_done = [&](hearth::Result&& result, const hearth::EngineError*) {
    if (result.finish_reason == FinishReason::kCancelled) n_texts_at_end = n_texts;
  };
  test::Pending foreground = test::submit(*engine, request(RequestKind::kGenerate, 40, 300, 60),
                                          [&](const hearth::Piece&) {
                                            if (++n_texts == 2) engine->submit(background);
                                            if (n_texts == 5) {
                                              n_texts_at_cancel = n_texts;
                                              engine->cancel(background);
                                            }
                                          });
  foreground.result.get();
  CHECK_EQUAL(n_texts_at_cancel, 5);
  CHECK_EQUAL(n_texts_at_end, 5);
}

TEST("a request does not wait for background scoring to read all its rows of logits") {
  test::FaultyEngine engine;
  const Request background = scoring(10, 30);
  const std::vector<float> expected = engine.ask(background).values;
  // The rows for the prompt's last token and for two tokens of the continuation.
  constexpr int kReadBefore = 3;
  int n_read = 0, n_read_when_answered = 0;
  const auto key = std::make_shared<Job>();
  key->request = request(RequestKind::kPrefill, 5, 300, 0);
  key->on_done = [&](hearth::Result&&, const hearth::EngineError*) {
    n_read_when_answered = n_read;
  };
  engine.ops.before_read = [&] {
    if (++n_read == kReadBefore) engine.submit(key);
  };
  CHECK(engine.ask(background).values == expected);
  CHECK_EQUAL(n_read_when_answered, kReadBefore);
}

TEST("between other requests, background scoring reads few rows of logits at a time") {
  constexpr int kMaxRows = 4;
  test::FaultyEngine engine;
  Stream stream(engine, request(RequestKind::kGenerate, 40, 300, 4), 200);
  int n_read = 0, n_read_before = 0, max_between = 0;
  engine.ops.before_read = [&] {
    n_read++;
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
  };
  const auto background = std::make_shared<Job>();
  background->request = scoring(100, 50);
  size_t n_scores = 0;
  background->on_done = [&](hearth::Result&& result, const hearth::EngineError*) {
    n_scores = result.values.size();
    stream.stop();
  };
  stream.after_each = [&, is_first = true]() mutable {
    if (std::exchange(is_first, false)) engine.submit(background);
    max_between = std::max(max_between, n_read - n_read_before);
    n_read_before = n_read;
  };
  stream.run();
  CHECK_EQUAL(n_scores, 50u);
  CHECK(max_between <= kMaxRows);
}
