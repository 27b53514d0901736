// A folder for one test, deleted after it.
#pragma once

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "system_help.h"

namespace test {

struct TemporaryFolder {
  TemporaryFolder() {
    static std::atomic<int> n_made{0};
    const std::string name =
        "hearth-" + std::to_string(process_id()) + "-" + std::to_string(n_made++);
    path = std::filesystem::temp_directory_path() / name;
    // A killed process with the same id might have left a folder of this name.
    std::filesystem::remove_all(path);
    std::filesystem::create_directory(path);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path / name).string(); }
  std::string write(const std::string& name, std::string_view bytes) const {
    // A new file each time: on some file systems, overwriting an old file waits for the disk.
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
