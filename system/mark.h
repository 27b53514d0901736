// A mark on disk: this process is doing something that might end it. If the process ends, the mark
// stays, and other processes can see it.
#pragma once

#include <cstdint>
#include <string>

namespace hearth::system {

class Mark {
 public:
  /// Creates a file; its path is the prefix and a suffix unique to this object. The destructor
  /// deletes the file. If it cannot be created, set() does nothing.
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
