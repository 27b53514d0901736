// A mark on disk, which says that this process is doing something that might end it. If it does,
// other processes can see that.
#pragma once

#include <cstdint>
#include <string>

namespace hearth::system {

class Mark {
 public:
  /// Creates a file whose path is the prefix followed by something unique to this object. The
  /// destructor deletes it. If it cannot be written, set() does nothing.
  explicit Mark(const std::string& prefix);
  ~Mark();
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  /// Takes microseconds.
  void set(bool is_set);

  /// Whether a process has ended while its mark at this path was set. If the process has ended but
  /// the mark was not set, removes the mark.
  static bool was_left(const std::string& path);

 private:
  std::string path_;
  intptr_t file_ = -1;
};

}  // namespace hearth::system
