// Foreground and background requests compete for the engine and for pages.
#include <algorithm>
#include <new>
#include <thread>
#include <vector>

#include "ask.h"
#include "test.h"

using hearth::FinishReason;
using hearth::Priority;
using hearth::Request;
using hearth::RequestKind;

namespace {

constexpr int kPromptTokens = 12 * 32;  // the cache has no room for two such prompts

Request prompt(RequestKind kind, uint32_t first_token) {
  Request request;
  request.kind = kind;
  for (uint32_t i = 0; i < kPromptTokens; i++) request.tokens.push_back(first_token + i % 50);
  return request;
}

Request background(RequestKind kind) {
  Request request = prompt(kind, 500);
  request.priority = Priority::kBackground;
  request.max_tokens = 90;
  request.speculate = false;
  return request;
}

}  // namespace

TEST("a foreground request takes pages from a background prompt, which is evaluated later") {
  const auto engine = test::load_small();
  const std::vector<float> alone = test::ask(*engine, prompt(RequestKind::kLastLogits, 300)).values;
  test::Pending waiting = test::submit(*engine, background(RequestKind::kLastLogits));
  while (engine->status().cache.pages_held < 3 && !waiting.is_done()) std::this_thread::yield();
  CHECK(test::ask(*engine, prompt(RequestKind::kLastLogits, 300)).values == alone);
  const std::vector<float> late = waiting.result.get().values;
  CHECK(test::ask(*engine, prompt(RequestKind::kLastLogits, 500)).values == late);
  CHECK_EQUAL(engine->status().cache.pages_held, 0);
}

TEST("the engine keeps running if a caller's on_done throws") {
  const auto engine = test::load_small();
  const auto job = std::make_shared<hearth::Job>();
  job->request = prompt(RequestKind::kPrefill, 300);
  job->on_done = [](hearth::Result&&, const hearth::EngineError*) { throw std::bad_alloc(); };
  engine->submit(job);
  CHECK(!test::ask(*engine, prompt(RequestKind::kLastLogits, 300)).values.empty());
}

TEST("a foreground request takes pages from a background generation, which ends early") {
  const auto engine = test::load_small();
  const std::vector<uint32_t> whole = test::ask(*engine, background(RequestKind::kGenerate)).tokens;
  Request urgent = prompt(RequestKind::kGenerate, 300);
  urgent.max_tokens = 5;
  test::Pending foreground;
  int n_pieces = 0;
  test::Pending early =
      test::submit(*engine, background(RequestKind::kGenerate), [&](const hearth::Piece&) {
        if (++n_pieces == 3) foreground = test::submit(*engine, urgent);
      });
  const hearth::Result part = early.result.get();
  CHECK_EQUAL(foreground.result.get().tokens.size(), 5u);
  CHECK(part.finish_reason == FinishReason::kLength);
  CHECK(part.tokens.size() < whole.size());
  CHECK(std::equal(part.tokens.begin(), part.tokens.end(), whole.begin()));
  CHECK_EQUAL(engine->status().cache.pages_held, 0);
}

TEST("more alternatives than the engine decodes at once are refused") {
  const auto engine = test::load_tiny(1, 0);
  Request request = prompt(RequestKind::kGenerate, 300);
  request.max_tokens = 2;
  request.n_alternatives = hearth::kMaxAlternatives + 1;
  CHECK_THROWS(test::ask(*engine, request), "alternatives must be 1 to 4");
}
