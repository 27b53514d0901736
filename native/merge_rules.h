// The merge rules of a GGUF's tokenizer, as a table from pairs of token ids: listed in the file, or
// implied by SentencePiece's scores.
#pragma once

#include "bpe.h"
#include "vocabulary.h"

namespace hearth {

/// tokenizer.ggml.merges: the first rule of the list merges first. Throws EngineError
/// (model-invalid) for a rule whose tokens the vocabulary lacks.
MergeTable listed_merges(const GgufFile& file);

/// SentencePiece has no rules: two neighbours merge when together they are a token, the token of
/// the highest tokenizer.ggml.scores first.
MergeTable scored_merges(const GgufFile& file, const Vocabulary& vocabulary);

}  // namespace hearth
