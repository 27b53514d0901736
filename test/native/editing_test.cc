// Random editing of several documents with a tiny cache. Whatever was typed, deleted, forked,
// drafted, pinned, evicted, interrupted, cancelled, or saved to disk and loaded by the next engine,
// an answer has the same bits as one from a cold cache.
#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "ask.h"
#include "temporary_folder.h"
#include "test.h"

using hearth::Engine;
using hearth::FinishReason;
using hearth::Priority;
using hearth::Request;
using hearth::RequestKind;
using hearth::Result;

namespace {

constexpr int kMaxDocumentTokens = 220;
constexpr int kSteps = test::kIsSanitized ? 500 : 3000;
// Four documents of up to seven pages, with answers, forks and pins, need more pages than these. So
// pages are evicted, and foreground requests take pages from background requests and pins.
constexpr int kPages = 16;
// Fewer pages than the cache has, so that a restart restores only some.
constexpr int kPagesOnDisk = 12;

/// An engine that can be restarted: the next engine gets the pages that the previous engine left on
/// disk.
class Restarted {
 public:
  Restarted() {
    const size_t page_bytes = test::load_tiny(1, 0)->status().page_bytes;
    options_ = test::tiny_options();
    options_.n_threads = 2;
    options_.cache_bytes = kPages * page_bytes;
    options_.disk_folder = folder_.path.string();
    options_.disk_bytes = kPagesOnDisk * (page_bytes + 1000);
    engine_ = test::load(options_);
  }

  Engine& operator*() { return *engine_; }
  Engine* operator->() { return engine_.get(); }
  void restart() {
    add(engine_->status().cache);
    engine_->close();
    engine_ = test::load(options_);
    n_restored += engine_->info().restored_pages;
    CHECK(engine_->info().disk_problems.empty());
  }
  /// The sums over all engines so far.
  hearth::CacheStatistics statistics() {
    add(engine_->status().cache);
    return total_;
  }

  int n_restored = 0;

 private:
  void add(const hearth::CacheStatistics& cache) {
    total_.hit_tokens += cache.hit_tokens;
    total_.miss_tokens += cache.miss_tokens;
    total_.evictions += cache.evictions;
  }

  test::TemporaryFolder folder_;
  hearth::LoadOptions options_;
  std::unique_ptr<Engine> engine_;
  hearth::CacheStatistics total_;
};

class Editor {
 public:
  Editor(Restarted& warm, Engine& cold, uint32_t seed) : warm_(warm), cold_(cold), random_(seed) {
    for (Document& document : documents_) {
      document.tokens.resize(20 + below(60));
      for (uint32_t& token : document.tokens) token = new_token();
      document.cursor = document.tokens.size();
    }
  }

  void step() {
    Document& document = documents_[below(documents_.size())];
    edit(document);
    tend_background();
    keep_house(document);
    switch (below(5)) {
      case 0:
        return check_logits(document);
      case 1:
        return cancel_soon(document);
      case 2:
        return check_alternatives(document);
      default:
        return complete(document);
    }
  }

  void finish() {
    end_background();
    for (Document& document : documents_) check_logits(document);
    for (uint64_t pin = 0; pin < kPins; pin++) set_pin(pin, {});
  }

  int n_checked = 0;
  int n_cancelled = 0;
  int n_whole_forks = 0;

 private:
  static constexpr uint64_t kPins = 3;

  struct Document {
    std::vector<uint32_t> tokens;
    size_t cursor = 0;
  };

  size_t below(size_t n) { return random_() % n; }
  // Only a few different tokens, so that documents share prefixes, and drafts find matches.
  uint32_t new_token() { return 300 + below(4); }

  std::vector<uint32_t> prompt(const Document& document) const {
    return {document.tokens.begin(), document.tokens.begin() + document.cursor};
  }

  Request request(RequestKind kind, const Document& document) {
    Request request;
    request.kind = kind;
    request.tokens = prompt(document);
    request.max_tokens = 1 + below(12);
    if (below(4) == 0) request.sampling = {.temperature = 0.8f, .top_k = 8, .seed = below(100)};
    if (below(3) == 0) request.heal = std::string("word").substr(0, 1 + below(4));
    return request;
  }

  void edit(Document& document) {
    std::vector<uint32_t>& tokens = document.tokens;
    const auto at = [&] { return tokens.begin() + document.cursor; };
    switch (below(6)) {
      case 0:  // delete before the cursor
        for (size_t n = 1 + below(6); n > 0 && document.cursor > 1; n--)
          tokens.erase(tokens.begin() + --document.cursor);
        break;
      case 1:  // jump
        document.cursor = 1 + below(tokens.size());
        break;
      case 2:  // edit elsewhere
        tokens[below(tokens.size())] = new_token();
        break;
      default:  // type
        for (size_t n = 1 + below(3); n > 0; n--) {
          tokens.insert(at(), new_token());
          document.cursor++;
        }
    }
    while (tokens.size() > kMaxDocumentTokens) tokens.erase(tokens.begin() + below(tokens.size()));
    document.cursor = std::clamp<size_t>(document.cursor, 1, tokens.size());
  }

  void keep_house(const Document& document) {
    switch (below(24)) {
      case 0:
        return set_pin(below(kPins), prompt(document));
      case 1:
        return set_pin(below(kPins), {});
      case 2:
        return test::learn(*warm_, document.tokens);
      case 3:
        if (below(4) > 0) return;
        end_background();
        return warm_.restart();
    }
  }

  void set_pin(uint64_t id, std::vector<uint32_t> tokens) {
    test::set_pin(*warm_, id, std::move(tokens));
  }

  void end_background() {
    for (test::Pending& pending : background_) pending.result.get();
    background_.clear();
  }

  // At most one request runs in the background while others are made.
  void tend_background() {
    if (!background_.empty() && below(3) == 0) {
      if (below(2) == 0) warm_->cancel(background_.back().job);
      background_.back().result.get();
      background_.clear();
    }
    if (background_.empty() && below(3) == 0) {
      const Document& other = documents_[below(documents_.size())];
      Request ahead = request(below(2) ? RequestKind::kPrefill : RequestKind::kGenerate, other);
      ahead.priority = Priority::kBackground;
      background_.push_back(test::submit(*warm_, std::move(ahead)));
    }
  }

  void check_logits(const Document& document) {
    Request wanted;
    wanted.kind = RequestKind::kLastLogits;
    wanted.tokens = prompt(document);
    const std::vector<float> warm = test::ask(*warm_, wanted).values;
    clear_cold();
    CHECK(warm == test::ask(cold_, wanted).values);
    n_checked++;
  }

  // Sometimes accepts the answer. Then the next prompt continues from the answer's keys and values.
  void complete(Document& document) {
    Request wanted = request(RequestKind::kGenerate, document);
    const Result warm = test::ask(*warm_, wanted);
    if (below(2)) check_result(warm, wanted);
    if (below(2)) return;
    document.tokens.insert(document.tokens.begin() + document.cursor, warm.tokens.begin(),
                           warm.tokens.end());
    document.cursor += warm.tokens.size();
  }

  void check_result(const Result& warm, Request wanted) {
    wanted.speculate = false;
    clear_cold();
    const Result cold = test::ask(cold_, std::move(wanted));
    CHECK(warm.tokens == cold.tokens);
    CHECK(warm.values == cold.values);
    CHECK_EQUAL(warm.text, cold.text);
    n_checked++;
  }

  void check_alternatives(const Document& document) {
    Request wanted = request(RequestKind::kGenerate, document);
    wanted.sampling = {};
    wanted.max_tokens = 6;
    wanted.n_alternatives = 2 + below(3);
    const Result warm = test::ask(*warm_, wanted);
    CHECK(warm.alternatives.at(0).tokens == warm.tokens);
    const hearth::Alternative& fork = warm.alternatives[below(warm.alternatives.size())];
    if (&fork == &warm.alternatives[0] || fork.tokens.size() < 2) return;
    const size_t n_healed = cold_.tokenizer().bytes(fork.tokens[0]).size();
    wanted.heal.erase(0, std::min(wanted.heal.size(), n_healed));
    wanted.tokens.push_back(fork.tokens[0]);
    wanted.max_tokens = 5;
    wanted.n_alternatives = 1;
    clear_cold();
    const Result cold = test::ask(cold_, wanted);
    // If pins and background requests hold too many pages, an alternative ends early.
    const std::span<const uint32_t> rest = std::span(fork.tokens).subspan(1);
    CHECK(rest.size() <= cold.tokens.size());
    CHECK(std::ranges::equal(rest, std::span(cold.tokens).first(rest.size())));
    n_whole_forks += rest.size() == cold.tokens.size();
    n_checked++;
  }

  void cancel_soon(const Document& document) {
    Request wanted = request(RequestKind::kGenerate, document);
    wanted.max_tokens = 40;
    wanted.n_alternatives = 1 + below(4);
    test::Pending pending = test::submit(*warm_, std::move(wanted));
    std::this_thread::sleep_for(std::chrono::microseconds(below(8) * below(200)));
    warm_->cancel(pending.job);
    n_cancelled += pending.result.get().finish_reason == FinishReason::kCancelled;
  }

  void clear_cold() { test::clear_cache(cold_); }

  Restarted& warm_;
  Engine& cold_;
  std::mt19937 random_;
  std::array<Document, 4> documents_;
  std::vector<test::Pending> background_;
};

}  // namespace

TEST("after any editing, an answer equals that of a cold cache, and no page stays held") {
  Restarted warm;
  const auto cold = test::load_tiny(1, 0);
  CHECK_EQUAL(warm->status().cache.pages_total, kPages);
  int n_checked = 0, n_cancelled = 0, n_whole_forks = 0;
  for (uint32_t seed = 1; seed <= 3; seed++) {
    Editor editor(warm, *cold, seed);
    for (int i = 0; i < kSteps / 3; i++) {
      editor.step();
      CHECK(warm->status().cache.pages_used <= kPages);
    }
    editor.finish();
    CHECK_EQUAL(warm->status().cache.pages_held, 0);
    n_checked += editor.n_checked;
    n_cancelled += editor.n_cancelled;
    n_whole_forks += editor.n_whole_forks;
  }
  const hearth::CacheStatistics cache = warm.statistics();
  std::printf("  %d compared, %d cancelled, %d pages evicted, %d restored\n", n_checked,
              n_cancelled, static_cast<int>(cache.evictions), warm.n_restored);
  CHECK(n_checked > kSteps / 3);
  CHECK(n_cancelled > 0);  // the number depends on the machine
  CHECK(n_whole_forks > kSteps / 40);
  CHECK(cache.evictions > 100);
  CHECK(cache.hit_tokens > cache.miss_tokens);
  CHECK(warm.n_restored > kSteps / 100);
}
