// Paths are UTF-8 strings in all rooms. On Windows, the standard library expects narrow strings in
// the user's code page, so its functions get a std::filesystem::path from here.
#pragma once

#include <filesystem>
#include <string>

namespace hearth::system {

/// On Windows, an absolute path that is too long for most functions gets the prefix \\?\.
std::filesystem::path path_of(const std::string& utf8);
std::string utf8_of(const std::filesystem::path& path);

}  // namespace hearth::system
