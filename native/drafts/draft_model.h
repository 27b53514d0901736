// The draft model of speculative decoding: a smaller model with the same vocabulary, which runs on
// the CPU with its own weights, threads and page cache. It proposes tokens greedily, and the main
// model verifies them. Only the engine thread uses it.
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
  /// Loads options.draft_model_path. tokenizer and n_context: those of the main model. Throws
  /// EngineError, also if the two vocabularies differ or if the draft model's lacks a token.
  /// tokenizer and the arguments after it must outlive this object, except progress.
  DraftModel(const LoadOptions& options, int n_context, const Tokenizer& tokenizer,
             Heartbeat& heartbeat, const std::atomic<bool>& interrupt,
             const std::function<bool(double)>& progress);

  /// The next tokens after the text, at most n_max and at most kMaxDraft. Empty if interrupted, or
  /// if too much of the text is missing from this model's cache: evaluating it would delay the
  /// answer. Valid until the next call.
  std::span<const uint32_t> propose(std::span<const uint32_t> text, int n_max);
  /// Evaluates at most n_max more tokens of the text. Returns true if the whole text has been
  /// evaluated, or if it is too long or contains padding and so never will be. Returns false if
  /// tokens remain, also after an interruption.
  bool read(std::span<const uint32_t> text, int n_max);

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
