// Pinned prompts stay cached whatever else is evaluated, but never cause a request to fail.
#include "cache/pins.h"

#include <vector>

#include "ask.h"
#include "test.h"

using hearth::Engine;
using hearth::Request;
using hearth::RequestKind;

namespace {

constexpr int kAnchorTokens = 4 * 32;

Request numbered(uint32_t number, int n_tokens) {
  Request request;
  request.kind = RequestKind::kLastLogits;
  for (int i = 0; i < n_tokens; i++) request.tokens.push_back(300 + (number * 7 + i * number) % 90);
  return request;
}

/// Evaluates several times as many tokens as the cache holds.
void read_others(Engine& engine) {
  for (uint32_t number = 20; number < 30; number++) test::ask(engine, numbered(number, 5 * 32));
}

int n_cached(Engine& engine, const Request& document) {
  return test::ask(engine, document).timings.cached_tokens;
}

}  // namespace

TEST("a pinned prompt stays cached while others are evaluated, until it is unpinned") {
  const auto engine = test::load_small();
  const Request anchor = numbered(1, kAnchorTokens);
  const std::vector<float> cold = test::ask(*engine, anchor).values;
  read_others(*engine);
  CHECK_EQUAL(n_cached(*engine, anchor), 0);
  test::set_pin(*engine, 1, anchor.tokens);
  CHECK_EQUAL(engine->status().cache.pages_held, 4);
  read_others(*engine);
  const hearth::Result warm = test::ask(*engine, anchor);
  CHECK_EQUAL(warm.timings.cached_tokens, kAnchorTokens - 1);
  CHECK(warm.values == cold);
  test::set_pin(*engine, 1, {});
  CHECK_EQUAL(engine->status().cache.pages_held, 0);
  read_others(*engine);
  CHECK_EQUAL(n_cached(*engine, anchor), 0);
}

TEST("a new pin replaces the one with the same id") {
  const auto engine = test::load_small();
  for (uint32_t number = 1; number < 6; number++) {
    const Request anchor = numbered(number, kAnchorTokens);
    test::ask(*engine, anchor);
    test::set_pin(*engine, 7, anchor.tokens);
    CHECK_EQUAL(engine->status().cache.pages_held, 4);
  }
  read_others(*engine);
  CHECK_EQUAL(n_cached(*engine, numbered(5, kAnchorTokens)), kAnchorTokens - 1);
  CHECK_EQUAL(n_cached(*engine, numbered(4, kAnchorTokens)), 0);
}

TEST("a prompt that needs more pages takes them from pins, first from the oldest pin") {
  for (const hearth::Priority priority :
       {hearth::Priority::kForeground, hearth::Priority::kBackground}) {
    const auto engine = test::load_small();
    Request large = numbered(9, 10 * 32);
    large.priority = priority;
    const std::vector<float> cold = test::ask(*engine, large).values;
    for (uint32_t number : {1, 2, 3}) {
      test::ask(*engine, numbered(number, kAnchorTokens));
      test::set_pin(*engine, number, numbered(number, kAnchorTokens).tokens);
    }
    read_others(*engine);
    CHECK(test::ask(*engine, large).values == cold);
    CHECK_EQUAL(engine->status().cache.pages_held, 4);
    CHECK_EQUAL(n_cached(*engine, numbered(3, kAnchorTokens)), kAnchorTokens - 1);
  }
}

TEST("a pin holds the cached part of its tokens") {
  const auto engine = test::load_small();
  const Request known = numbered(1, 40);
  test::ask(*engine, known);
  test::set_pin(*engine, 1, numbered(2, 40).tokens);
  CHECK_EQUAL(engine->status().cache.pages_held, 0);
  std::vector<uint32_t> longer = known.tokens;
  longer.insert(longer.end(), 100, 300);
  test::set_pin(*engine, 1, longer);
  CHECK_EQUAL(engine->status().cache.pages_held, 2);
  test::clear_cache(*engine);
  CHECK_EQUAL(engine->status().cache.pages_used, 0);
}
