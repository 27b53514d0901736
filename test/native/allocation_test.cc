// Counts operator new on the engine thread between two pieces of text: decoding must not allocate.
// Other tests load a model or make a request again and again; each time, a different allocation or
// thread start fails.
#include <atomic>
#include <cstdlib>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "ask.h"
#include "refused_thread.h"
#include "test.h"

namespace {

thread_local bool is_counting = false;
thread_local int n_allocations = 0;
thread_local bool next_fails = false;

/// Counts down to the allocation or thread start that fails: 1 means the next one; 0: none fails.
std::atomic<int> news_left{0}, threads_left{0};
std::atomic<int64_t> n_living{0};
thread_local bool is_spared = false;

bool is_refused(std::atomic<int>& left) { return left > 0 && !is_spared && left-- == 1; }

}  // namespace

bool test::is_thread_refused() { return is_refused(threads_left); }

// noinline: if only new or only delete were inlined, g++ would warn that they do not match.
[[gnu::noinline]] void* operator new(size_t n_bytes, const std::nothrow_t&) noexcept {
  n_allocations += is_counting;
  if (std::exchange(next_fails, false) || is_refused(news_left)) return nullptr;
  n_living++;
  return std::malloc(n_bytes);
}
[[gnu::noinline]] void* operator new(size_t n_bytes) {
  if (void* memory = operator new(n_bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  n_living -= memory != nullptr;
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { operator delete(memory); }

namespace {

constexpr int kTokens = 90;

/// Returns the number of allocations from piece number first_piece (counted from 1) to the last
/// piece.
int allocations(hearth::Request request, int first_piece = 1) {
  const auto engine = test::load_tiny(2, 0);
  const auto job = std::make_shared<hearth::Job>();
  job->request = std::move(request);
  int n_pieces = 0, n_seen = 0;
  job->on_text = [&](const hearth::Piece&) {
    if (++n_pieces == first_piece) n_allocations = 0;
    is_counting = n_pieces >= first_piece;
    n_seen = n_allocations;
  };
  std::promise<void> done;
  job->on_done = [&](hearth::Result&&, const hearth::EngineError*) {
    is_counting = false;
    done.set_value();
  };
  engine->submit(job);
  done.get_future().get();
  CHECK(n_pieces > kTokens / 2);
  return n_seen;
}

/// Returns the number of allocations for a whole request, counted from the end of the previous
/// request.
int allocations_in_all(hearth::Engine& engine, const hearth::Request& request) {
  int n_seen = 0;
  const auto run = [&](bool is_before) {
    auto job = std::make_shared<hearth::Job>();
    job->request = request;
    auto done = std::make_shared<std::promise<void>>();
    job->on_done = [&n_seen, is_before, done](hearth::Result&&, const hearth::EngineError*) {
      n_seen = n_allocations;
      n_allocations = 0;
      is_counting = is_before;
      done->set_value();
    };
    engine.submit(job);
    done->get_future().get();
  };
  run(true);
  run(false);
  return n_seen;
}

hearth::Request counted() {
  hearth::Request request;
  for (uint32_t i = 0; i < 150; i++) request.tokens.push_back(300 + i * i % 23);
  request.max_tokens = kTokens;
  return request;
}

}  // namespace

TEST("these tests count allocations correctly") {
  is_counting = true;
  n_allocations = 0;
  // The compiler is allowed to remove a new expression whose result is deleted, but not these
  // calls.
  operator delete(operator new(100));
  operator delete(operator new(200));
  is_counting = false;
  CHECK_EQUAL(n_allocations, 2);
}

TEST("plain decoding does not allocate") {
  hearth::Request plain = counted();
  plain.speculate = false;
  CHECK_EQUAL(allocations(plain), 0);
}

TEST("decoding with drafts and sampling does not allocate") {
  hearth::Request sampled = counted();
  sampled.sampling.temperature = 0.5f;
  CHECK_EQUAL(allocations(sampled), 0);
  CHECK_EQUAL(allocations(counted()), 0);
}

TEST("decoding alternatives does not allocate") {
  hearth::Request several = counted();
  several.n_alternatives = 4;
  // The alternatives begin after the main answer's first token.
  CHECK_EQUAL(allocations(several, 2), 0);
}

TEST("choosing tokens while healing does not allocate") {
  const auto engine = test::load_tiny(2, 0);
  hearth::Request healed = counted();
  healed.speculate = false;
  healed.max_tokens = 14;
  healed.heal = "q";
  const int n_short = allocations_in_all(*engine, healed);
  healed.heal = "qzjxqzjxqzjx";
  const std::vector<uint32_t> tokens = test::ask(*engine, healed).tokens;
  CHECK(engine->tokenizer().decode(std::span(tokens).first(4)).size() <= healed.heal.size());
  CHECK_EQUAL(allocations_in_all(*engine, healed), n_short);
}

TEST("if there is no memory for a result, only its own request gets an error") {
  const auto engine = test::load_tiny(2, 0);
  hearth::Request several = counted();
  several.max_tokens = 4;
  several.n_alternatives = 4;
  int n_pieces = 0;
  test::Pending pending = test::submit(*engine, several, [&](const hearth::Piece&) {
    next_fails = ++n_pieces == several.max_tokens;
  });
  try {
    pending.result.get();
    CHECK(false);
  } catch (const hearth::EngineError& error) {
    CHECK_EQUAL(error.code, "out-of-memory");
  }
  CHECK_EQUAL(test::ask(*engine, several).tokens.size(), size_t{4});
  CHECK_EQUAL(engine->status().cache.pages_held, 0);
}

namespace {

/// Loads a model while the n-th allocation or thread start (counted by `left`) fails. Returns true
/// if loading needed fewer than n.
bool survives_loading(std::atomic<int>& left, int n) {
  hearth::LoadOptions options = test::tiny_options();
  options.n_threads = 2;
  const int64_t n_living_before = n_living;
  left = n;
  try {
    hearth::Engine::load(options, {});
  } catch (const hearth::EngineError& error) {
    CHECK_EQUAL(error.code, "out-of-memory");
    CHECK(std::string(error.what()).find("tiny-mixed.gguf") != std::string::npos);
  }
  const bool is_over = left.exchange(0) > 0;
  CHECK_EQUAL(n_living.load(), n_living_before);
  return is_over;
}

/// Returns the number of the next allocation to fail. At first the numbers are successive; later
/// some are skipped, because many allocations are similar.
int after(int n) { return n + 1 + n / (test::kIsSanitized ? 4 : 16); }

}  // namespace

TEST("whichever allocation during loading fails, there is a clear error and nothing leaks") {
  test::load_tiny(2, 0);  // the allocations that a process makes only once
  int n = 1;
  while (!survives_loading(news_left, n)) n = after(n);
  CHECK(n > 1000);
  CHECK_EQUAL(test::ask(*test::load_tiny(2, 0), counted()).tokens.size(), size_t{kTokens});
}

TEST("whichever thread start fails during loading, the model loads or there is a clear error") {
  test::load_tiny(2, 0);
  int n = 1;
  while (!survives_loading(threads_left, n)) n++;
  // Loading starts three threads: one reads the vocabulary, one computes, one is the engine's.
  CHECK_EQUAL(n, 4);
}

TEST("whichever allocation of a request fails, the engine answers the next request") {
  const std::vector<uint32_t> expected = test::ask(*test::load_tiny(1, 0), counted()).tokens;
  const auto engine =
      test::load_tiny(1, 1 << 20);  // a few pages: they must be allocated and evicted
  is_spared = true;                 // failures on the caller's side are not tested
  bool is_over = false;
  for (int n = 1; !is_over; n++) {
    hearth::Request asked = counted();
    asked.tokens[0] = 300 + n;  // so that no page of an earlier request can be reused
    news_left = n;
    try {
      test::ask(*engine, asked);
    } catch (const hearth::EngineError& error) {
      CHECK_EQUAL(error.code, "out-of-memory");
    }
    is_over = news_left.exchange(0) > 0;
    CHECK_EQUAL(engine->status().cache.pages_held, 0);
    CHECK(test::ask(*engine, counted()).tokens == expected);
  }
  is_spared = false;
}
