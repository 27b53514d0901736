#include "system/paths.h"

namespace hearth::system {

std::filesystem::path path_of(const std::string& utf8) { return utf8; }
std::string utf8_of(const std::filesystem::path& path) { return path.string(); }

}  // namespace hearth::system
