// One GGUF file, parsed into metadata and tensors. A large model may be split into several files,
// its parts; gguf.cc joins them. Every number in the file is checked before it is used.
//
//   "GGUF", version u32, n_tensors u64, n_keys u64
//   metadata:      n_keys x {name, type u32, value}
//   descriptions:  n_tensors x {name, n_dims u32, shape u64[n_dims], type u32, offset u64}
//   padding to general.alignment, then the tensors' data; offsets count from here
//
// Numbers are little-endian. A string is its length as u64 and its bytes.
#pragma once

#include <string>
#include <vector>

#include "gguf.h"
#include "gguf_cursor.h"
#include "mapped_file.h"

namespace hearth {

struct GgufPart {
  MappedFile file;
  GgufMetadata metadata;
  std::vector<GgufTensor> tensors;
};

/// Throws the same errors as GgufFile::open().
GgufPart read_gguf_part(const std::string& path);

/// Reads n_keys keys and their values. A key that occurs twice is an error.
GgufMetadata read_metadata(GgufCursor& from, uint64_t n_keys);

}  // namespace hearth
