// While the process lives, no other process can open the file.
#include "system/mark.h"

#include <atomic>

#include "system/paths.h"
#include "windows.h"

namespace hearth::system {
namespace {

HANDLE open_alone(const std::string& path, DWORD disposition) {
  return CreateFileW(path_of(path).c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_DELETE,
                     nullptr, disposition, FILE_ATTRIBUTE_NORMAL, nullptr);
}

}  // namespace

Mark::Mark(const std::string& prefix) {
  static std::atomic<int> n_made = 0;
  path_ = prefix + std::to_string(GetCurrentProcessId()) + "-" + std::to_string(++n_made);
  const HANDLE handle = open_alone(path_, CREATE_ALWAYS);
  if (handle == INVALID_HANDLE_VALUE) return;
  file_ = reinterpret_cast<intptr_t>(handle);
  set(false);
}

Mark::~Mark() {
  if (file_ == -1) return;
  CloseHandle(handle_of(file_));
  DeleteFileW(path_of(path_).c_str());
}

void Mark::set(bool is_set) {
  if (file_ == -1) return;
  OVERLAPPED at_start{};
  DWORD n_written = 0;
  ::WriteFile(handle_of(file_), is_set ? "1" : "0", 1, &n_written, &at_start);
}

bool Mark::was_left(const std::string& path) {
  const HANDLE handle = open_alone(path, OPEN_EXISTING);
  if (handle == INVALID_HANDLE_VALUE) return false;
  char value = 0;
  DWORD n_read = 0;
  const bool is_read = ::ReadFile(handle, &value, 1, &n_read, nullptr) && n_read == 1;
  CloseHandle(handle);
  if (is_read && value == '0') DeleteFileW(path_of(path).c_str());
  return is_read && value == '1';
}

}  // namespace hearth::system
