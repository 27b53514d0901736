#include "system/paths.h"

#include "windows.h"

namespace hearth::system {
namespace {

// The longest path of a folder that every function accepts: MAX_PATH minus a file name of 8.3.
constexpr size_t kLongestPlainPath = 247;

/// Adds the prefix that lifts the limit. After that prefix, "/", "." and ".." have no meaning, so
/// they are resolved first.
std::wstring without_limit(const std::wstring& path) {
  std::wstring full(32'768, L'\0');
  const DWORD n =
      GetFullPathNameW(path.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr);
  if (n == 0 || n >= full.size()) return path;
  full.resize(n);
  if (full.starts_with(L"\\\\?\\") || full.starts_with(L"\\\\.\\")) return full;
  if (full.starts_with(L"\\\\")) return L"\\\\?\\UNC" + full.substr(1);
  return L"\\\\?\\" + full;
}

}  // namespace

std::filesystem::path path_of(const std::string& utf8) {
  const std::wstring path = wide(utf8);
  return path.size() > kLongestPlainPath ? without_limit(path) : path;
}

std::string utf8_of(const std::filesystem::path& path) { return narrow(path.native()); }

}  // namespace hearth::system
