// A folder for one test, gone after it.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "test.h"

namespace test {

struct TemporaryFolder {
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "hearth-test-XXXXXX").string();
    CHECK(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path); }

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
