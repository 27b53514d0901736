// Each continuation gets the same scores as alone, whatever prefixes it shares with others,
// whatever interrupts the scoring, and even if hardly any page is free.
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "ask.h"
#include "test.h"

using hearth::Request;
using hearth::RequestKind;

namespace {

constexpr int kRounds = test::kIsSanitized ? 10 : 40;

/// n random tokens out of three, so that many texts share a prefix, and some are prefixes of
/// others.
std::vector<uint32_t> some_tokens(std::mt19937& random, int n) {
  std::vector<uint32_t> tokens;
  for (int i = 0; i < n; i++) tokens.push_back(300 + random() % 3);
  return tokens;
}

Request continuations(uint32_t seed) {
  std::mt19937 random(seed);
  Request request;
  request.kind = RequestKind::kContinuations;
  request.tokens = some_tokens(random, 1 + random() % 80);
  const int n = random() % 30;
  for (int i = 0; i < n; i++) {
    request.continuations.push_back(some_tokens(random, random() % (seed % 4 ? 8 : 60)));
    const size_t n_tokens = request.continuations.back().size();
    request.n_given.push_back(random() % 2 ? 0 : random() % (n_tokens + 1));
  }
  return request;
}

std::vector<float> one_by_one(hearth::Engine& engine, const Request& request) {
  std::vector<float> values;
  for (size_t c = 0; c < request.continuations.size(); c++) {
    const std::vector<uint32_t>& continuation = request.continuations[c];
    Request alone;
    alone.kind = RequestKind::kScore;
    alone.tokens = request.tokens;
    alone.tokens.insert(alone.tokens.end(), continuation.begin(), continuation.end());
    const std::vector<float> scores = test::ask(engine, alone).values;
    for (size_t i = request.tokens.size() - 1 + request.n_given[c]; i < scores.size(); i++)
      values.push_back(0 - scores[i]);
  }
  return values;
}

}  // namespace

TEST("continuations get the same scores together as alone, cold and warm") {
  const auto engine = test::load_tiny(2, 0);
  for (uint32_t round = 0; round < kRounds; round++) {
    const Request request = continuations(round);
    const std::vector<float> expected = one_by_one(*engine, request);
    CHECK(test::ask(*engine, request).values == expected);
    CHECK(test::ask(*engine, request).values == expected);
    CHECK_EQUAL(engine->status().cache.pages_held, 0);
  }
}

TEST("continuations cancelled at any moment leave nothing held, and the next scores are right") {
  const auto engine = test::load_tiny(2, 0);
  std::mt19937 random(7);
  for (uint32_t round = 0; round < kRounds; round++) {
    const Request request = continuations(round * 4);
    test::Pending pending = test::submit(*engine, request);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
    engine->cancel(pending.job);
    const hearth::Result result = pending.result.get();
    const bool is_whole = result.finish_reason == hearth::FinishReason::kStop;
    CHECK_EQUAL(engine->status().cache.pages_held, 0);
    const std::vector<float> values = test::ask(*engine, request).values;
    if (is_whole) CHECK(result.values == values);
    if (round % 8 == 0) CHECK(values == one_by_one(*engine, request));
  }
}

TEST("with hardly any free pages, the engine scores what fits and refuses the rest") {
  const auto roomy = test::load_tiny(1, 0);
  const auto scarce = test::load_tiny(1, roomy->status().page_bytes * 6);
  int n_refused = 0;
  for (uint32_t round = 0; round < kRounds; round++) {
    const Request request = continuations(round);
    try {
      CHECK(test::ask(*scarce, request).values == test::ask(*roomy, request).values);
    } catch (const hearth::EngineError& error) {
      CHECK_EQUAL(error.code, "context-full");
      n_refused++;
    }
    CHECK_EQUAL(scarce->status().cache.pages_held, 0);
  }
  CHECK(n_refused < kRounds);
}
