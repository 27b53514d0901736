// A mark on disk that this process is at something that may end it: others see when it did.
#pragma once

#include <cstdint>
#include <string>

namespace hearth::system {

class Mark {
 public:
  /// The file's path begins so and goes on with what is this object's own. It goes with the object.
  /// Where it cannot be written, set() does nothing.
  explicit Mark(const std::string& prefix);
  ~Mark();
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  /// Takes microseconds.
  void set(bool is_set);

  /// Whether a process has ended while this mark of it was set. Removes one that was not.
  static bool was_left(const std::string& path);

 private:
  std::string path_;
  intptr_t file_ = -1;
};

}  // namespace hearth::system
