// A folder for one test, gone after it.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace test {

struct TemporaryFolder {
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hearth-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    path = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path.string() + "/" + name; }
  std::string write(const std::string& name, std::string_view bytes) const {
    // A new file each time: writing over an old one waits for the disk on some file systems.
    std::filesystem::remove(file(name));
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
  }

  std::filesystem::path path;
};

}  // namespace test
