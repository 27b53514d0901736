// Speculative decoding with a draft model gives the same text, in fewer passes if the drafts are
// good.
#include "drafts/draft_model.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "ask.h"
#include "gguf_copy.h"
#include "test.h"

using hearth::Engine;
using hearth::Request;
using hearth::RequestKind;
using hearth::Result;
using test::GgufCopy;

namespace {

/// Makes the vocabulary n_tokens long: removes its last tokens, which are special, or adds unused
/// tokens.
void resize_vocabulary(GgufCopy& model, uint32_t n_tokens) {
  constexpr int64_t kUnused = 5;
  model.list<std::string>("tokenizer.ggml.tokens").resize(n_tokens, "[PAD]");
  model.list<int64_t>("tokenizer.ggml.token_type").resize(n_tokens, kUnused);
  model.metadata.erase("tokenizer.ggml.eos_token_id");
  for (GgufCopy::Tensor& tensor : model.tensors) {
    if (tensor.name != "token_embd.weight" && tensor.name != "output.weight") continue;
    tensor.data.resize(tensor.data.size() / tensor.shape[1] * n_tokens);
    tensor.shape[1] = n_tokens;
  }
}

/// Uses the model as its own draft model, so that every draft is accepted.
std::unique_ptr<Engine> load_with_draft_model() {
  hearth::LoadOptions options = test::tiny_options();
  options.draft_model_path = options.model_path;
  return test::load(options);
}

Request prompt(uint32_t seed, int n_tokens) {
  Request request;
  std::mt19937 random(seed);
  for (int i = 0; i < n_tokens; i++) request.tokens.push_back(300 + random() % 600);
  request.max_tokens = 40;
  return request;
}

void read_ahead(Engine& engine, Request request) {
  request.kind = RequestKind::kPrefill;
  request.priority = hearth::Priority::kBackground;
  test::ask(engine, std::move(request));
}

}  // namespace

TEST("with a draft model the text is the same, in fewer passes") {
  const auto engine = load_with_draft_model();
  const auto plain = test::load_tiny(1, 0);
  for (uint32_t seed = 0; seed < 6; seed++) {
    Request request = prompt(seed, 50 + 40 * seed);
    if (seed % 2) request.sampling = {.temperature = 0.5f, .top_k = 4, .seed = seed};
    read_ahead(*engine, request);
    const Result drafted = test::ask(*engine, request);
    request.speculate = false;
    const Result expected = test::ask(*plain, request);
    CHECK(drafted.tokens == expected.tokens);
    CHECK(drafted.values == expected.values);
    CHECK_EQUAL(drafted.text, expected.text);
    if (seed == 0) CHECK(drafted.timings.decode_passes < expected.timings.decode_passes / 2);
  }
  CHECK_EQUAL(engine->status().cache.pages_held, 0);
}

TEST("a prompt that the draft model has not evaluated is answered without it") {
  const auto engine = load_with_draft_model();
  const auto plain = test::load_tiny(1, 0);
  Request request = prompt(3, 200);
  const Result drafted = test::ask(*engine, request);
  request.speculate = false;
  CHECK(drafted.tokens == test::ask(*plain, request).tokens);
}

TEST("the draft model evaluates the few tokens that were typed and drops those that were deleted") {
  const auto engine = load_with_draft_model();
  const auto plain = test::load_tiny(1, 0);
  Request request = prompt(5, 120);
  request.max_tokens = 12;
  read_ahead(*engine, request);
  std::mt19937 random(1);
  int n_passes = 0, n_tokens = 0;
  for (int key = 0; key < 30; key++) {
    const size_t n_kept = request.tokens.size() - random() % 3;
    request.tokens.resize(n_kept);
    for (int i = 0; i < 2; i++) request.tokens.push_back(300 + random() % 600);
    request.speculate = true;
    const Result drafted = test::ask(*engine, request);
    request.speculate = false;
    CHECK(drafted.tokens == test::ask(*plain, request).tokens);
    n_passes += drafted.timings.decode_passes;
    n_tokens += static_cast<int>(drafted.tokens.size()) - 1;
  }
  CHECK(n_passes < n_tokens);
}

TEST("cancelling during a draft does not change the next answer") {
  const auto engine = load_with_draft_model();
  const auto plain = test::load_tiny(1, 0);
  Request request = prompt(8, 150);
  read_ahead(*engine, request);
  Request alone = request;
  alone.speculate = false;
  const std::vector<uint32_t> expected = test::ask(*plain, alone).tokens;
  for (int round = 0; round < 40; round++) {
    test::Pending pending = test::submit(*engine, request);
    std::this_thread::sleep_for(std::chrono::microseconds(150 * round));
    engine->cancel(pending.job);
    const Result part = pending.result.get();
    CHECK(std::equal(part.tokens.begin(), part.tokens.end(), expected.begin()));
  }
  CHECK(test::ask(*engine, request).tokens == expected);
}

TEST("an engine with an unusable draft model works without it and says why") {
  const std::string folder = HEARTH_FIXTURES;
  const std::vector<std::pair<std::string, std::string>> problems{
      {folder + "/../../models/starter.gguf", "starter.gguf cannot draft: its token"},
      {folder + "/none.gguf", "none.gguf"},
      {folder + "/reference/tiny-mixed.json", "tiny-mixed.json"}};
  for (const auto& [path, why] : problems) {
    hearth::LoadOptions options = test::tiny_options();
    options.draft_model_path = path;
    const auto engine = test::load(options);
    CHECK(engine->info().draft_problem.find(why) != std::string::npos);
    const Request request = prompt(3, 100);
    CHECK(test::ask(*engine, request).tokens == test::ask(*test::load_tiny(1, 0), request).tokens);
    read_ahead(*engine, request);
  }
  CHECK_EQUAL(load_with_draft_model()->info().draft_problem, "");
}

TEST("a draft model that lacks a token of the model is not used, and the reason names the token") {
  const test::TemporaryFolder folder;
  hearth::LoadOptions options = test::tiny_options();
  GgufCopy draft = GgufCopy::of(options.model_path);
  resize_vocabulary(draft, 1002);
  options.draft_model_path = folder.write("draft.gguf", draft.bytes());
  const std::string problem = test::load(options)->info().draft_problem;
  CHECK(problem.find("draft.gguf cannot draft: it has no token 1002") != std::string::npos);
}

TEST("a draft model that lacks the model's unused tokens drafts text without them") {
  const test::TemporaryFolder folder;
  hearth::LoadOptions options = test::tiny_options();
  options.draft_model_path = options.model_path;
  GgufCopy model = GgufCopy::of(options.model_path);
  resize_vocabulary(model, 50'000);
  options.model_path = folder.write("model.gguf", model.bytes());
  const auto engine = test::load(options);
  CHECK_EQUAL(engine->info().draft_problem, "");
  for (const uint32_t last : {300, 49'999}) {
    Request request = prompt(3, 100);
    request.tokens.back() = last;
    read_ahead(*engine, request);
    const Result drafted = test::ask(*engine, request);
    request.speculate = false;
    const Result expected = test::ask(*engine, request);
    CHECK(drafted.tokens == expected.tokens);
    if (last == 300) CHECK(drafted.timings.decode_passes < expected.timings.decode_passes / 2);
  }
}

TEST("loading a draft model can be stopped") {
  hearth::LoadOptions options = test::tiny_options();
  options.draft_model_path = options.model_path;
  double before = 0;
  bool is_second = false;
  const auto progress = [&](double fraction) {
    is_second = is_second || fraction < before;
    before = fraction;
    return !is_second;
  };
  CHECK_THROWS(hearth::Engine::load(options, progress), "cancelled");
  CHECK(is_second);
}
