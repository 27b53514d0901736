// The tensor contract of a GGUF file: the tensors that a model of its family must have, with their
// shapes and types. A file that breaks the contract is refused before anything is loaded, with a
// message that names the tensor. So is a file with tensors that Hearth would not use, because
// ignoring them would change the answers.
#pragma once

#include <string>

#include "gguf/gguf.h"
#include "model.h"

namespace hearth {

/// Throws EngineError for the first tensor that breaks the contract.
void check_tensors(const GgufFile& file, const ModelConfig& config);

/// Finds a vector of n elements by name. Throws an EngineError that names the tensor if it is
/// missing, has the wrong shape, or has an unsupported type.
const GgufTensor& require_vector(const GgufFile& file, const std::string& name, int n);
/// The elements of a checked vector.
std::vector<float> read_vector(const GgufFile& file, const GgufTensor& tensor);

/// "blk.LAYER.NAME"
std::string layer_tensor(int layer, const std::string& name);
/// "ffn_gate.weight" or, with experts, "ffn_gate_exps.weight". part: gate, up or down.
std::string ffn_tensor(const ModelConfig& config, const std::string& part);
/// The tensor for Llama 3's RoPE scaling: one factor per frequency.
inline constexpr const char* kRopeFactors = "rope_freqs.weight";

/// Refuses a valid GGUF file whose model is incomplete. Throws EngineError "model-invalid": "The
/// model file PATH is damaged or incomplete: WHAT. ..."
[[noreturn]] void refuse_incomplete(const std::string& path, const std::string& what);
/// Throws EngineError "model-unsupported": "The model file PATH cannot be used: WHAT. ADVICE."
[[noreturn]] void refuse_unsupported(const std::string& path, const std::string& what,
                                     const std::string& advice);

}  // namespace hearth
