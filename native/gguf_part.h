// One GGUF file parsed into metadata and tensors, every read checked. gguf.cc joins parts to a
// model.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gguf.h"
#include "mapped_file.h"

namespace hearth {

struct GgufPart {
  MappedFile file;
  std::map<std::string, GgufValue, std::less<>> metadata;
  std::vector<GgufTensor> tensors;
};

/// Throws EngineError as GgufFile::open does.
GgufPart read_gguf_part(const std::string& path);

/// Text from a file, fit for a message: short, with control characters and non-ASCII as '?'.
std::string quoted(std::string_view text);

}  // namespace hearth
