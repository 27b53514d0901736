// Remembers the outcome of the self-test for a GPU, its driver, these kernels and this build, in
// files in the user's cache folder: that it has passed, so that only the first start runs it, or
// that the GPU has stopped responding, so that it is not used again. A failed self-test is not
// recorded.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "system/mark.h"

namespace hearth::gpu {

/// The path of a file about what the text names and this build, "" without a cache folder.
std::string record_file(const std::string& kind, const std::string& about,
                        std::span<const std::byte> code_object = {});

/// For a library that may end the process when its GPU is gone: a mark on disk while the GPU has
/// work. A process that ends in order forgets those that others have left.
class WorkMark {
 public:
  /// file: how the path of each mark begins.
  explicit WorkMark(std::string file);
  ~WorkMark();
  WorkMark(const WorkMark&) = delete;
  WorkMark& operator=(const WorkMark&) = delete;
  void set(bool is_set);

 private:
  std::string file_;
  system::Mark mark_;
  bool is_set_ = false;
};

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
  /// Null without a cache folder.
  std::unique_ptr<WorkMark> work_mark() const;
  /// Throws std::runtime_error for a day after two processes in a row have ended while their marks
  /// were set. One alone may have been ended from outside.
  void require_no_victims() const;

 private:
  std::string passed_, lost_, work_;  // files; empty without a cache folder
};

}  // namespace hearth::gpu
