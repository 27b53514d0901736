// The tensor contract of a GGUF: which tensors its family must have, of which shape and type.
#pragma once

#include <string>

#include "gguf.h"
#include "model.h"

namespace hearth {

/// Tensor by name with the shape [n_rows][n_cols] (n_rows 0: a vector of n_cols). Throws
/// EngineError naming the tensor when it is missing, of another shape, or of a type that Hearth
/// does not run.
const GgufTensor& require_matrix(const GgufFile& file, const std::string& name, int n_rows,
                                 int n_cols);
const GgufTensor& require_vector(const GgufFile& file, const std::string& name, int n);

/// "blk.I.NAME"
std::string layer_tensor(int layer, const char* name);

/// A file that is whole as a GGUF, but not as a model: "The model file PATH is damaged or
/// incomplete: WHAT. ..."
[[noreturn]] void refuse_incomplete(const std::string& path, const std::string& what);
/// "The model file PATH cannot be used: WHAT. ADVICE."
[[noreturn]] void refuse_unsupported(const std::string& path, const std::string& what,
                                     const std::string& advice);

/// Llama 3's scaling of RoPE: a factor for each frequency.
inline constexpr const char* kRopeFactors = "rope_freqs.weight";

/// Throws EngineError for the first tensor that breaks the contract, and for tensors that Hearth
/// does not read: they would change the result if ignored.
void check_tensors(const GgufFile& file, const ModelConfig& config);

}  // namespace hearth
