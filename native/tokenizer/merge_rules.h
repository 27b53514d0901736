// Builds the BPE merge table of a GGUF file's tokenizer. Byte-level BPE lists its rules in the
// file, by rank. SentencePiece has no rules, only a score for each token, from which they follow.
#pragma once

#include "bpe.h"
#include "vocabulary.h"

namespace hearth {

/// From tokenizer.ggml.merges, where a rule's index is its rank. Throws EngineError "model-invalid"
/// for a rule whose tokens are not in the vocabulary.
MergeTable listed_merges(const GgufFile& file);

/// From tokenizer.ggml.scores: two neighbours merge if their text together is a token, and the
/// token with the highest score merges first. Throws EngineError "model-invalid".
MergeTable scored_merges(const GgufFile& file, const Vocabulary& vocabulary);

}  // namespace hearth
