// Decoding does not allocate: counts operator new on the engine thread between two pieces of text.
// And what happens when there is no memory for a result.
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include "ask.h"
#include "test.h"

namespace {

thread_local bool is_counting = false;
thread_local int n_allocations = 0;
thread_local bool next_fails = false;

}  // namespace

// noinline: inlined on one side only, g++ takes new and free for a mismatch.
[[gnu::noinline]] void* operator new(size_t n_bytes, const std::nothrow_t&) noexcept {
  n_allocations += is_counting;
  return std::exchange(next_fails, false) ? nullptr : std::malloc(n_bytes);
}
[[gnu::noinline]] void* operator new(size_t n_bytes) {
  if (void* memory = operator new(n_bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace {

constexpr int kTokens = 90;

/// Allocations from a piece of text, counted from 1, to the last.
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

/// Of a whole request, from the end of the one before it.
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

hearth::Request request() {
  hearth::Request request;
  for (uint32_t i = 0; i < 150; i++) request.tokens.push_back(300 + i * i % 23);
  request.max_tokens = kTokens;
  return request;
}

}  // namespace

TEST("the counter of allocations counts") {
  is_counting = true;
  n_allocations = 0;
  // The compiler may leave out a new that it sees deleted, but not a direct call.
  operator delete(operator new(100));
  operator delete(operator new(200));
  is_counting = false;
  CHECK_EQUAL(n_allocations, 2);
}

TEST("plain decoding does not allocate") {
  hearth::Request plain = request();
  plain.speculate = false;
  CHECK_EQUAL(allocations(plain), 0);
}

TEST("decoding with drafts and sampling does not allocate") {
  hearth::Request sampled = request();
  sampled.sampling.temperature = 0.5f;
  CHECK_EQUAL(allocations(sampled), 0);
  CHECK_EQUAL(allocations(request()), 0);
}

TEST("decoding alternatives does not allocate") {
  hearth::Request several = request();
  several.n_alternatives = 4;
  // The others are made behind the main answer's first token.
  CHECK_EQUAL(allocations(several, 2), 0);
}

TEST("choosing tokens while healing does not allocate") {
  const auto engine = test::load_tiny(2, 0);
  hearth::Request healed = request();
  healed.speculate = false;
  healed.max_tokens = 14;
  healed.heal = "q";
  const int n_short = allocations_in_all(*engine, healed);
  healed.heal = "qzjxqzjxqzjx";
  const std::vector<uint32_t> tokens = test::ask(*engine, healed).tokens;
  CHECK(engine->tokenizer().decode(std::span(tokens).first(4)).size() <= healed.heal.size());
  CHECK_EQUAL(allocations_in_all(*engine, healed), n_short);
}

TEST("a result that there is no memory for is an error of its request alone") {
  const auto engine = test::load_tiny(2, 0);
  hearth::Request several = request();
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
