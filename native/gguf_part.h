// One GGUF file parsed into metadata and tensors, every read checked. gguf.cc joins parts to a
// model.
#pragma once

#include <string>
#include <vector>

#include "gguf.h"
#include "gguf_metadata.h"
#include "mapped_file.h"

namespace hearth {

struct GgufPart {
  MappedFile file;
  GgufMetadata metadata;
  std::vector<GgufTensor> tensors;
};

/// Throws EngineError as GgufFile::open does.
GgufPart read_gguf_part(const std::string& path);

}  // namespace hearth
