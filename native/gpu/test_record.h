// What is known of a GPU with this driver, these kernels and this build of Hearth, in files of the
// user's cache folder: that the self-test has passed, so that only the first start pays for it, and
// that the GPU once stopped answering, so that it is not trusted again. A failed self-test is not
// remembered.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hearth::gpu {

class TestRecord {
 public:
  /// machine: the GPU and its driver.
  TestRecord(const std::string& machine, std::span<const std::byte> code_object);
  bool has_passed() const;
  /// Where nothing can be written, the next start tests again.
  void pass() const;
  /// Throws std::runtime_error that says how to try again, when the GPU was lost before.
  void require_not_lost() const;
  void lose() const;

 private:
  std::string passed_, lost_;  // files; empty without a cache folder
};

}  // namespace hearth::gpu
