// The disk cache in folders with unusual Windows paths: long ones, in other alphabets, on other
// drives or on shares.
#include <windows.h>

#include <cctype>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "ask.h"
#include "system/files.h"
#include "system/paths.h"
#include "temporary_folder.h"
#include "test.h"

namespace fs = std::filesystem;
using hearth::system::names_in, hearth::system::path_of, hearth::system::utf8_of;
using test::TemporaryFolder;

namespace {

/// Evaluates a document with a new engine and closes the engine. Returns the number of pages that
/// the engine has loaded from the disk.
int restored_pages(const std::string& folder) {
  hearth::LoadOptions options = test::tiny_options();
  options.disk_folder = folder;
  options.disk_bytes = 1 << 30;
  const auto engine = test::load(options);
  hearth::Request request;
  request.kind = hearth::RequestKind::kLastLogits;
  for (uint32_t i = 0; i < 70; i++) request.tokens.push_back(300 + i % 50);
  test::ask(*engine, request);
  engine->close();
  CHECK(engine->info().disk_problems.empty());
  return engine->info().restored_pages;
}

void check_cache_works(const std::string& folder) {
  CHECK_EQUAL(restored_pages(folder), 0);
  CHECK_EQUAL(restored_pages(folder), 3);
  // Each engine replaces the previous engine's file.
  CHECK_EQUAL(restored_pages(folder), 3);
  CHECK_EQUAL(names_in(folder).size(), 1u);
  // The C++ library itself cannot remove files with long paths.
  for (const std::string& name : names_in(folder))
    CHECK(DeleteFileW(path_of(folder + "\\" + name).c_str()));
}

}  // namespace

TEST("the disk cache is found again in folders with long paths and names in any alphabet") {
  const TemporaryFolder folder;
  std::vector<std::string> folders{utf8_of(folder.path) + "\\\u00fc dir \u00e4"};
  while (folders.back().size() < 400)
    folders.push_back(folders.back() + "\\\u65e5\u672c\u8a9e-0123456789-0123456789");
  check_cache_works(folders.back());
  for (; !folders.empty(); folders.pop_back())
    CHECK(RemoveDirectoryW(path_of(folders.back()).c_str()));
}

TEST("a model and its disk cache can be on two drives, and paths can have either kind of slash") {
  const TemporaryFolder folder;
  hearth::LoadOptions options = test::tiny_options();
  std::string model = fs::absolute(path_of(options.model_path)).generic_string();
  if (std::tolower(model[0]) == std::tolower(utf8_of(folder.path)[0]))
    throw test::NotRun("there is only one drive");
  for (int i = 0; i < 2; i++) {
    options.model_path = model;
    CHECK(test::load(options)->info().file_bytes > 0);
    model[0] = static_cast<char>(std::tolower(model[0]));
  }
  check_cache_works(folder.path.generic_string() + "/cache/with\\slashes");
}

TEST("a long path on a share or a drive gets the prefix that Windows requires") {
  const std::string deep(300, 'x');
  CHECK_EQUAL(utf8_of(path_of("\\\\server\\share\\" + deep)), "\\\\?\\UNC\\server\\share\\" + deep);
  CHECK_EQUAL(utf8_of(path_of("//server/share/./a/../" + deep)),
              "\\\\?\\UNC\\server\\share\\" + deep);
  CHECK_EQUAL(utf8_of(path_of("C:/models/" + deep)), "\\\\?\\C:\\models\\" + deep);
  CHECK_EQUAL(utf8_of(path_of("\\\\?\\C:\\" + deep)), "\\\\?\\C:\\" + deep);
  CHECK_EQUAL(utf8_of(path_of("\\\\server\\share\\model.gguf")), "\\\\server\\share\\model.gguf");
}
