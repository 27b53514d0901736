// A second, smaller model of the same vocabulary that guesses what the first will write. It has
// weights, threads and a page cache of its own; whatever it says, the first model's answer stays
// what it is. Used by the engine thread.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <span>

#include "draft_record.h"
#include "forward.h"
#include "page_cache.h"
#include "tokenizer.h"

namespace hearth {

struct LoadOptions;

class DraftModel {
 public:
  /// Loads options.draft_model_path, on the CPU. Throws EngineError, also for a model whose tokens
  /// mean something else than the tokenizer's. n_context: of the first model. All but the options
  /// must outlive it.
  DraftModel(const LoadOptions& options, int n_context, const Tokenizer& tokenizer,
             Heartbeat& heartbeat, const std::atomic<bool>& interrupt,
             const std::function<bool(double)>& progress);

  /// The next tokens after the text, at most n_most and kMaxDraft. None when interrupted, or when
  /// so much of the text is unread that reading it would hold the answer up. Valid until the next
  /// call.
  std::span<const uint32_t> propose(std::span<const uint32_t> text, int n_most);
  /// Reads at most n_most tokens of the text. True once it has been read; false when interrupted,
  /// too.
  bool read(std::span<const uint32_t> text, int n_most);

 private:
  void follow(std::span<const uint32_t> text);
  bool evaluate(std::span<const uint32_t> tokens);
  bool predict(std::span<const uint32_t> tokens, uint32_t& next);

  int n_context_;
  uint32_t n_tokens_;  // that both models have
  std::unique_ptr<kernels::Ops> ops_;
  Model model_;
  std::unique_ptr<Forward> forward_;
  std::unique_ptr<PageCache> cache_;
  Path path_;  // of the text that was drafted for last, and of its draft
  std::array<uint32_t, kMaxDraft> draft_{};
};

}  // namespace hearth
