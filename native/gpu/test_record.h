// Records the outcome of the self-test, in files in the user's cache folder. After a pass, later
// starts skip the test. A GPU that has stopped responding is not used again. A record is valid only
// for this GPU, its driver, these kernels and this build. A failed self-test is not recorded.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "system/mark.h"

namespace hearth::gpu {

/// The path of the record of this kind for this build, machine (`about`) and code object; "" if
/// there is no cache folder.
std::string record_file(const std::string& kind, const std::string& about,
                        std::span<const std::byte> code_object = {});

/// A mark on disk that is set while the GPU has work, for a library that might end the process when
/// its GPU is lost. A process that ends normally deletes the marks of dead processes.
class WorkMark {
 public:
  /// file: the beginning of each mark's path.
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
  /// Records that the self-test has passed. If the file cannot be written, the next start runs the
  /// self-test again.
  void record_pass() const;
  /// Throws std::runtime_error if record_loss() has been called before; its message says how to try
  /// again.
  void require_not_lost() const;
  /// Records that the GPU has stopped responding.
  void record_loss() const;
  /// Null without a cache folder.
  std::unique_ptr<WorkMark> work_mark() const;
  /// Throws std::runtime_error if two processes in a row died while their marks were set, until
  /// these marks are a day old. (A single process might have been killed for another reason.)
  void require_no_repeated_crashes() const;

 private:
  std::string passed_, lost_, work_;  // files; empty without a cache folder
};

}  // namespace hearth::gpu
