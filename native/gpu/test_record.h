// Remembers that the self-test has passed, so that only the first start pays for it: a file a
// combination of GPU, driver, kernels and build of Hearth, in the user's cache folder. A failure is
// not remembered: the next driver may mend it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hearth::hip {

class TestRecord {
 public:
  /// machine: the GPU and its driver.
  TestRecord(const std::string& machine, std::span<const std::byte> code_object);
  bool has_passed() const;
  /// Where nothing can be written, the next start tests again.
  void pass() const;

 private:
  std::string folder_, path_;  // empty without a cache folder
};

}  // namespace hearth::hip
