// Injects faults into the ops and pages of a working engine. After a single fault the answer is
// still right; a permanent fault causes an error that names the model, the backend and the op.
#include "common/output_guard.h"

#include <algorithm>
#include <vector>

#include "faulty_engine.h"
#include "test.h"

using hearth::BadOutput;
using hearth::EngineError;
using hearth::Request;
using hearth::Result;
using test::FaultyEngine;

namespace {

Request guarded(int max_tokens = 20) {
  Request request;
  for (uint32_t i = 0; i < 70; i++) request.tokens.push_back(300 + i * i % 23);
  request.max_tokens = max_tokens;
  request.speculate = false;
  return request;
}

std::vector<uint32_t> right_answer(int max_tokens = 20) {
  static FaultyEngine engine;
  return engine.ask(guarded(max_tokens)).tokens;
}

void check_error(FaultyEngine& engine, const char* text) {
  try {
    engine.ask(guarded());
    CHECK(false);
  } catch (const EngineError& error) {
    CHECK_EQUAL(error.code, "engine-fault");
    const std::string message = error.what();
    for (const std::string& part : {std::string(text), engine.config.name,
                                    engine.config.quantization, engine.ops.description()})
      if (message.find(part) == std::string::npos) test::fail(__FILE__, __LINE__, message);
  }
  CHECK_EQUAL(engine.cache.statistics().pages_used, 0);
}

}  // namespace

TEST("if an op gives NaN once, the request is repeated and the answer is right") {
  FaultyEngine engine;
  int n_left = 100;  // this call is in the middle of the answer
  engine.ops.after_attention = [&](int, float* out) {
    if (--n_left == 0) out[3] = test::kNan;
  };
  std::string streamed;
  const Result result =
      engine.ask(guarded(60), [&](const hearth::Piece& piece) { streamed += piece.text; });
  CHECK(n_left < 0);
  CHECK(result.tokens == right_answer(60));
  CHECK_EQUAL(streamed, result.text);
}

TEST("an op that always gives NaN is named in the error, and no pages are left") {
  FaultyEngine engine;
  engine.ops.after_attention = [&](int layer, float* out) {
    if (layer == 1) out[3] = test::kNan;
  };
  check_error(engine, "attention of layer 1");
  engine.ops.after_attention = [](int, float*) {};
  CHECK(engine.ask(guarded()).tokens == right_answer());
}

TEST("an op that always gives NaN is named even if another request ends meanwhile") {
  FaultyEngine engine;
  const auto other = std::make_shared<hearth::Job>();
  other->request.kind = hearth::RequestKind::kPrefill;
  other->request.tokens = {5, 6, 7};
  other->on_done = [](Result&&, const EngineError*) {};
  // The prompt is evaluated in two chunks, so the third chunk begins the second attempt.
  Request background = guarded();
  background.priority = hearth::Priority::kBackground;
  int n_calls = 0;
  engine.ops.after_attention = [&](int layer, float* out) {
    if (layer != 0) return;
    out[3] = test::kNan;
    if (++n_calls == 3) engine.submit(other);
  };
  CHECK_THROWS(engine.ask(background), "first in attention of layer 0");
  CHECK(n_calls > 4);
}

TEST("an infinite logit is an error") {
  FaultyEngine engine;
  engine.ops.after_head = [](std::span<float> logits) { logits[5] = test::kInf; };
  check_error(engine, "logits that are not numbers");
}

TEST("equal logits are an error") {
  FaultyEngine engine;
  engine.ops.after_head = [](std::span<float> logits) { std::ranges::fill(logits, 0.25f); };
  check_error(engine, "the same logit for every token");
}

TEST("a request for logits or scores that are not numbers gets an error") {
  FaultyEngine engine;
  engine.ops.after_head = [](std::span<float> logits) { logits.back() = test::kNan; };
  for (const auto kind : {hearth::RequestKind::kLogits, hearth::RequestKind::kLastLogits,
                          hearth::RequestKind::kScore}) {
    Request values = guarded();
    values.kind = kind;
    CHECK_THROWS(engine.ask(values), "logits that are not numbers");
  }
}

TEST("a healed token is not chosen from logits that are not numbers") {
  FaultyEngine engine;
  Request healed = guarded();
  healed.heal = "q";
  engine.ops.after_attention = [](int, float* out) { out[0] = test::kNan; };
  CHECK_THROWS(engine.ask(healed), "attention of layer 0");
}

TEST("corrupted cached pages are dropped, and the answer is right") {
  FaultyEngine engine;
  CHECK(engine.ask(guarded()).tokens == right_answer());
  // With all bits set, every key and value is NaN.
  const std::vector<std::byte> garbage(engine.ops.kv_page_bytes(), std::byte{0xff});
  for (const hearth::CachedPage& page : engine.cache.pages())
    engine.ops.write_page(page.page, garbage);
  CHECK(engine.ask(guarded()).tokens == right_answer());
}

TEST("if the same token repeats after cached pages, the request is repeated once without them") {
  FaultyEngine engine;
  const auto repeats = [](std::span<float> logits) { logits[77] = 1000; };
  int n_heads = 0;
  const auto n_heads_of = [&](const Request& asked) {
    n_heads = 0;
    CHECK_EQUAL(engine.ask(asked).tokens.size(), static_cast<size_t>(asked.max_tokens));
    return n_heads;
  };
  engine.ops.after_head = [&](std::span<float> logits) {
    n_heads++;
    repeats(logits);
  };
  const int n_tokens = hearth::kMaxRepeats + 10;
  CHECK_EQUAL(n_heads_of(guarded(n_tokens)), n_tokens);
  CHECK_EQUAL(n_heads_of(guarded(n_tokens)), hearth::kMaxRepeats + 1 + n_tokens);
}

TEST("if the second attempt begins differently from the text already streamed, it is an error") {
  FaultyEngine engine;
  int n_heads = 0;
  engine.ops.after_head = [&](std::span<float> logits) {
    if (++n_heads == 10) logits[5] = test::kNan;
    logits[n_heads <= 10 ? 77 : 78] = 1000;
  };
  CHECK_THROWS(engine.ask(guarded(), [](const hearth::Piece&) {}), "a different answer");
}
