// Model files on Windows: shared files, long paths, other alphabets, more than 4 GiB.
#include <windows.h>
#include <winioctl.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ask.h"
#include "common/error.h"
#include "gguf/mapped_file.h"
#include "system/paths.h"
#include "temporary_folder.h"
#include "test.h"

namespace fs = std::filesystem;
using hearth::EngineError;
using hearth::MappedFile;
using hearth::system::path_of, hearth::system::utf8_of;
using test::TemporaryFolder;

namespace {

/// Opens a file for writing, as a program that lets others read, write and delete it.
HANDLE open_writer(const std::string& path) {
  return CreateFileW(path_of(path).c_str(), GENERIC_READ | GENERIC_WRITE,
                     FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_ALWAYS,
                     0, nullptr);
}

std::string error_of(const std::string& path) {
  try {
    const MappedFile file(path);
  } catch (const EngineError& error) {
    return error.code + ": " + error.what();
  }
  return "";
}

}  // namespace

TEST("nobody can write to a model file while it is mapped, but it can be replaced") {
  const TemporaryFolder folder;
  const std::string path = folder.write("model.gguf", "content");
  {
    const MappedFile file(path);
    CHECK(open_writer(path) == INVALID_HANDLE_VALUE);
    CHECK_EQUAL(GetLastError(), DWORD{ERROR_SHARING_VIOLATION});
    file.require_unchanged();
  }
  const HANDLE writer = open_writer(path);
  CHECK(writer != INVALID_HANDLE_VALUE);
  CHECK(error_of(path).starts_with("model-unreadable: The model file "));
  CloseHandle(writer);
  CHECK_EQUAL(error_of(path), "");
}

TEST("a model is found in folders with long paths and names in any alphabet") {
  const TemporaryFolder folder;
  std::vector<std::string> folders{utf8_of(folder.path) + "\\\u00fc dir \u00e4"};
  while (folders.back().size() < 400)
    folders.push_back(folders.back() + "\\\u65e5\u672c\u8a9e-0123456789-0123456789");
  CHECK(fs::create_directories(path_of(folders.back())));
  hearth::LoadOptions options = test::tiny_options();
  const std::string model = folders.back() + "/m\u00f6del \u65e5\u672c.gguf";
  fs::copy_file(path_of(options.model_path), path_of(model));
  options.model_path = model;
  CHECK(test::load(options)->info().file_bytes > 0);
  // The C++ library itself cannot remove files with long paths.
  CHECK(DeleteFileW(path_of(model).c_str()));
  for (; !folders.empty(); folders.pop_back())
    CHECK(RemoveDirectoryW(path_of(folders.back()).c_str()));
}

TEST("the error for a path on Windows says whether there is no file or the file cannot be used") {
  const TemporaryFolder folder;
  CHECK(error_of(folder.file("none.gguf")).starts_with("model-not-found"));
  CHECK(error_of("Q:\\no such drive\\model.gguf").starts_with("model-not-found"));
  CHECK(error_of("C:\\in<valid>\\model?.gguf").starts_with("model-not-found"));
  CHECK(error_of(folder.file("")).find("is a folder") != std::string::npos);
  CHECK(error_of("NUL").find("is not an ordinary file") != std::string::npos);
}

TEST("a file of 5 GiB is mapped as a whole") {
  const TemporaryFolder folder;
  const std::string path = folder.file("large.gguf");
  constexpr int64_t kBytes = int64_t{5} << 30;
  const HANDLE writer = open_writer(path);
  DWORD n = 0;
  DeviceIoControl(writer, FSCTL_SET_SPARSE, nullptr, 0, nullptr, 0, &n, nullptr);
  LARGE_INTEGER end;
  end.QuadPart = kBytes - 4;
  CHECK(SetFilePointerEx(writer, end, nullptr, FILE_BEGIN));
  CHECK(WriteFile(writer, "last", 4, &n, nullptr) && n == 4);
  CloseHandle(writer);
  const MappedFile file(path);
  CHECK_EQUAL(static_cast<int64_t>(file.bytes().size()), kBytes);
  const auto tail = file.bytes().last(4);
  CHECK_EQUAL(std::string(reinterpret_cast<const char*>(tail.data()), 4), "last");
  CHECK(file.bytes()[kBytes / 2] == std::byte{0});
  file.release(file.bytes());
  CHECK(file.bytes()[kBytes - 1] == std::byte{'t'});
  file.require_unchanged();
}
