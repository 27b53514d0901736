// The draft model of speculative decoding: a smaller model with the same vocabulary, which runs on
// the CPU with its own weights, threads and page cache. It proposes tokens greedily, and the main
// model verifies them. Belongs to the engine thread.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <span>

#include "cache/page_cache.h"
#include "draft_record.h"
#include "model/forward.h"
#include "tokenizer/tokenizer.h"

namespace hearth {

struct LoadOptions;

class DraftModel {
 public:
  /// Loads options.draft_model_path. Throws EngineError, also if its vocabulary differs from that
  /// of tokenizer, the main model's, or lacks a token of it. n_context is the main model's. All
  /// arguments but options and progress must outlive it.
  DraftModel(const LoadOptions& options, int n_context, const Tokenizer& tokenizer,
             Heartbeat& heartbeat, const std::atomic<bool>& interrupt,
             const std::function<bool(double)>& progress);

  /// The next tokens after the text, at most n_most and kMaxDraft. None when interrupted, or when
  /// too much of the text is not in its cache yet: evaluating it would delay the answer. Valid
  /// until the next call.
  std::span<const uint32_t> propose(std::span<const uint32_t> text, int n_most);
  /// Evaluates at most n_most more tokens of the text. True once all of it has been evaluated, or
  /// if the text is not one for this model: too long, or with padding. False also when interrupted.
  bool read(std::span<const uint32_t> text, int n_most);

 private:
  void find_prefix(std::span<const uint32_t> text);
  bool is_known(std::span<const uint32_t> tokens) const;
  bool evaluate(std::span<const uint32_t> tokens);
  bool predict(std::span<const uint32_t> tokens, uint32_t& next);

  int n_context_;
  uint32_t n_shared_tokens_;  // ids below this are in both vocabularies
  std::unique_ptr<kernels::Ops> ops_;
  Model model_;
  std::unique_ptr<Forward> forward_;
  std::unique_ptr<PageCache> cache_;
  Path path_;  // the text of the last call, and its draft
  std::array<uint32_t, kMaxDraft> draft_{};
};

}  // namespace hearth
