#include "system/files.h"

#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>

#include <cstdint>

#include "system/paths.h"
#include "windows.h"

namespace hearth::system {
namespace {

[[noreturn]] void throw_file_error(DWORD error) {
  using Reason = FileError::Reason;
  Reason reason = Reason::kOther;
  if (error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND || error == ERROR_INVALID_NAME)
    reason = Reason::kMissing;
  if (error == ERROR_ACCESS_DENIED) reason = Reason::kForbidden;
  throw FileError(reason, explanation(error));
}

BY_HANDLE_FILE_INFORMATION information_of(intptr_t file) {
  BY_HANDLE_FILE_INFORMATION information;
  if (!GetFileInformationByHandle(handle_of(file), &information)) throw_file_error(GetLastError());
  return information;
}

uint64_t joined(DWORD high, DWORD low) { return uint64_t{high} << 32 | low; }

/// nullptr, with errno, if it cannot be opened.
std::FILE* open_stream(const std::string& path, int flags, const char* mode) {
  int fd = -1;
  const int error = _wsopen_s(&fd, path_of(path).c_str(), flags | _O_BINARY | _O_NOINHERIT,
                              _SH_DENYNO, _S_IREAD | _S_IWRITE);
  if (error != 0) return nullptr;
  std::FILE* file = _fdopen(fd, mode);
  if (!file) _close(fd);
  return file;
}

}  // namespace

// Without FILE_SHARE_WRITE, nobody can open the file for writing until we close it. With
// FILE_SHARE_DELETE it can be deleted, so that a download can replace it.
// FILE_FLAG_BACKUP_SEMANTICS opens folders.
ReadFile::ReadFile(const std::string& path) {
  const HANDLE handle =
      CreateFileW(path_of(path).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                  OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (handle == INVALID_HANDLE_VALUE) throw_file_error(GetLastError());
  handle_ = reinterpret_cast<intptr_t>(handle);
  if (GetFileType(handle) != FILE_TYPE_DISK) return;
  const bool is_folder = information_of(handle_).dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
  kind_ = is_folder ? Kind::kFolder : Kind::kOrdinary;
}

ReadFile::~ReadFile() {
  if (handle_ != kNoHandle) CloseHandle(handle_of(handle_));
}

ReadFile::State ReadFile::state() const {
  const BY_HANDLE_FILE_INFORMATION information = information_of(handle_);
  const FILETIME& written = information.ftLastWriteTime;
  return {joined(information.nFileSizeHigh, information.nFileSizeLow),
          static_cast<int64_t>(joined(written.dwHighDateTime, written.dwLowDateTime))};
}

Mapping::Mapping(const ReadFile& file, uint64_t n_bytes) {
  const HANDLE section =
      CreateFileMappingW(handle_of(file.handle_), nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (!section) throw_file_error(GetLastError());
  const void* address = MapViewOfFile(section, FILE_MAP_READ, 0, 0, n_bytes);
  const DWORD error = GetLastError();
  CloseHandle(section);
  if (!address) throw_file_error(error);
  bytes_ = {static_cast<const std::byte*>(address), static_cast<size_t>(n_bytes)};
}

Mapping::~Mapping() {
  if (!bytes_.empty()) UnmapViewOfFile(bytes_.data());
}

bool Mapping::is_damaged() const { return false; }  // nobody can cut off a mapped file

// Unlocking pages that are not locked removes them from the working set.
void Mapping::forget(std::span<const std::byte> range) const {
  VirtualUnlock(const_cast<std::byte*>(range.data()), range.size());
}

// Files in the user's profile inherit access rights that let only the user read them.
std::FILE* create_private(const std::string& path) {
  return open_stream(path, _O_WRONLY | _O_CREAT | _O_EXCL, "wb");
}

std::FILE* open_own(const std::string& path) {
  constexpr DWORD kOthers =
      FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE;
  const DWORD attributes = GetFileAttributesW(path_of(path).c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES || attributes & kOthers) return nullptr;
  return open_stream(path, _O_RDONLY, "rb");
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  WIN32_FIND_DATAW found;
  const HANDLE search = FindFirstFileW((path_of(folder) / L"*").c_str(), &found);
  if (search == INVALID_HANDLE_VALUE) return names;
  do {
    const std::wstring_view name = found.cFileName;
    if (name != L"." && name != L"..") names.push_back(narrow(name));
  } while (FindNextFileW(search, &found));
  FindClose(search);
  return names;
}

}  // namespace hearth::system
