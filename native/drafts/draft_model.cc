#include "draft_model.h"

#include <algorithm>

#include "backend/backend.h"
#include "backend/load_options.h"
#include "common/error.h"
#include "gguf/gguf.h"

namespace hearth {
namespace {

// A small model evaluates about this many tokens in the time of one pass of the main model.
constexpr int kMaxUnread = 32;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw EngineError("model-unsupported", path + " cannot draft: " + what +
                                             ". Choose a smaller model of the same family.");
}

/// The number of ids that both vocabularies have; these ids must mean the same tokens. Beyond them,
/// the main model's vocabulary may have padding, and the draft model's may have other special
/// tokens.
uint32_t shared_tokens(const Tokenizer& main, const Tokenizer& draft, const std::string& path) {
  const uint32_t n = std::min(main.size(), draft.size());
  for (uint32_t id = 0; id < n; id++)
    if (main.bytes(id) != draft.bytes(id))
      refuse(path, "its token " + std::to_string(id) + " differs");
  for (uint32_t id = n; id < main.size(); id++)
    if (!main.bytes(id).empty()) refuse(path, "it has no token " + std::to_string(id));
  return n;
}

}  // namespace

DraftModel::DraftModel(const LoadOptions& options, int n_context, const Tokenizer& tokenizer,
                       Heartbeat& heartbeat, const std::atomic<bool>& interrupt,
                       const std::function<bool(double)>& progress)
    : ops_(make_cpu_ops(options)) {
  const GgufFile file = GgufFile::open(options.draft_model_path);
  const ModelConfig config = read_config(file);
  n_shared_tokens_ = shared_tokens(tokenizer, Tokenizer(file), options.draft_model_path);
  model_ = load_model(file, config, *ops_, progress);
  n_context_ = std::min(n_context, config.n_context);
  // Room for two contexts, and one page for copy-on-write.
  const int n_pages = 2 * (n_context_ / kernels::kPageTokens + 1) + 1;
  ops_->make_kv_pool(config.attention_shape(kernels::KvType::kF16, n_context_), n_pages);
  ops_->cancel = &interrupt;
  forward_ = std::make_unique<Forward>(*ops_, model_, heartbeat, interrupt);
  cache_ = std::make_unique<PageCache>(
      n_pages, kernels::kPageTokens,
      [this](int to, int from, int n_positions) { ops_->copy_page(to, from, n_positions); });
}

/// Makes path_ a prefix of the text without its last token, which is always evaluated for its
/// logits. If path_ and the text differ only near the end, path_ is truncated to their common
/// prefix; otherwise it becomes the longest cached prefix.
void DraftModel::find_prefix(std::span<const uint32_t> text) {
  const std::span<const uint32_t> known = path_.tokens();
  const auto differs = std::mismatch(known.begin(), known.end(), text.begin(), text.end());
  const auto n_common = static_cast<int>(differs.first - known.begin());
  const int n_max = static_cast<int>(text.size()) - 1;
  if (n_common > 0 && n_common + kMaxUnread > n_max)
    return path_.truncate(std::min(n_common, n_max));
  path_ = Path();
  path_ = cache_->find(text);
}

bool DraftModel::read(std::span<const uint32_t> text, int n_max) {
  if (text.empty() || static_cast<int>(text.size()) >= n_context_) return true;
  find_prefix(text);
  const std::span<const uint32_t> unread = text.subspan(path_.length());
  if (!is_known(unread)) return true;
  const auto n = std::min<size_t>(unread.size(), n_max);
  return evaluate(unread.first(n)) && n == unread.size();
}

std::span<const uint32_t> DraftModel::propose(std::span<const uint32_t> text, int n_max) {
  n_max = std::min({n_max, kMaxDraft, n_context_ - static_cast<int>(text.size())});
  if (n_max <= 0) return {};
  find_prefix(text);
  std::span<const uint32_t> next = text.subspan(path_.length());
  if (next.size() > kMaxUnread || !is_known(next)) return {};
  int n = 0;
  while (n < n_max) {
    uint32_t token;
    if (!predict(next, token)) return {};
    if (token >= n_shared_tokens_) break;
    draft_[n] = token;
    next = std::span(draft_).subspan(n++, 1);
  }
  return std::span(draft_).first(n);
}

/// Whether the model has embeddings of all these tokens. It may lack embeddings for the main
/// model's padding.
bool DraftModel::is_known(std::span<const uint32_t> tokens) const {
  const auto n_vocab = static_cast<uint32_t>(model_.config.n_vocab);
  return std::ranges::all_of(tokens, [n_vocab](uint32_t token) { return token < n_vocab; });
}

bool DraftModel::evaluate(std::span<const uint32_t> tokens) {
  return path_.reserve(static_cast<int>(tokens.size())) && forward_->evaluate(path_, tokens);
}

/// Evaluates the tokens and finds the most likely next one. False when interrupted.
bool DraftModel::predict(std::span<const uint32_t> tokens, uint32_t& next) {
  const auto n = static_cast<int32_t>(tokens.size());
  const Extension extension{&path_, tokens};
  if (!path_.reserve(n) || !forward_->evaluate_for_logits(std::span(&extension, 1))) return false;
  const int32_t last = n - 1;
  const float* logits = forward_->head(std::span(&last, 1));
  kernels::Argmax best;
  if (!logits || !forward_->argmax(logits, std::span(&best, 1))) return false;
  path_.commit(tokens);
  next = best.id;
  return best.finite;
}

}  // namespace hearth
