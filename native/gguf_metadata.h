// The metadata of a GGUF file: keys with values of many types.
#pragma once

#include <map>
#include <string>

#include "gguf.h"
#include "gguf_cursor.h"

namespace hearth {

using GgufMetadata = std::map<std::string, GgufValue, std::less<>>;

/// One key {name, type u32, value}, added to the others; a second one of the name is an error.
void read_key(GgufCursor& from, GgufMetadata& metadata);

}  // namespace hearth
