// Builds the BPE merge table of a GGUF file's tokenizer. For byte-level BPE, the file lists the
// rules by rank. For SentencePiece, it has only a score for each token, from which the rules
// follow.
#pragma once

#include "bpe.h"
#include "vocabulary.h"

namespace hearth {

/// Builds the table from tokenizer.ggml.merges, where a rule's index is its rank. Throws
/// EngineError "model-invalid" if a rule's tokens are not in the vocabulary.
MergeTable listed_merges(const GgufFile& file);

/// Builds the table from tokenizer.ggml.scores: two neighbours merge if their joint text is a
/// token, and the merge whose token has the highest score comes first. Throws EngineError
/// "model-invalid".
MergeTable scored_merges(const GgufFile& file, const Vocabulary& vocabulary);

}  // namespace hearth
