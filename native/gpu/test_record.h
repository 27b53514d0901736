// Remembers the outcome of the self-test for a GPU, its driver, these kernels and this build, in
// files in the user's cache folder: that it has passed, so that only the first start runs it, or
// that the GPU has stopped responding, so that it is not used again. A failed self-test is not
// recorded.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hearth::gpu {

/// The path of a file about what the text names and this build, "" without a cache folder.
std::string record_file(const std::string& kind, const std::string& about,
                        std::span<const std::byte> code_object = {});

class TestRecord {
 public:
  /// machine: identifies the GPU and its driver.
  TestRecord(const std::string& machine, std::span<const std::byte> code_object);
  bool has_passed() const;
  /// If the file cannot be written, the next start runs the self-test again.
  void pass() const;
  /// Throws std::runtime_error if the GPU has stopped responding before; it says how to try again.
  void require_not_lost() const;
  void lose() const;

 private:
  std::string passed_, lost_;  // files; empty without a cache folder
};

}  // namespace hearth::gpu
