// Files that the engine must refuse, and files that only their owner may read.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "ask.h"
#include "cache/page_store.h"
#include "faulty_engine.h"
#include "gguf_fixture.h"
#include "system/files.h"
#include "system/posix/posix.h"
#include "temporary_folder.h"

using hearth::EngineError;
using hearth::GgufFile;
using test::check_refused, test::small_builder, test::small_data;
using test::TemporaryFolder;

namespace {

/// Runs the action; as the user "nobody" if this process is root, who can read everything. The
/// action must not throw.
template <typename Action>
void with_ordinary_rights(const TemporaryFolder& folder, const Action& action) {
  chmod(folder.path.c_str(), 0755);
  const bool is_root = geteuid() == 0;
  if (is_root) CHECK_EQUAL(seteuid(65534), 0);
  action();
  if (is_root) CHECK_EQUAL(seteuid(0), 0);
}

}  // namespace

TEST("a device or a pipe is refused as a model at once, without waiting for data") {
  const TemporaryFolder folder;
  check_refused("/dev/null", "model-unreadable", "not an ordinary file");
  mkfifo(folder.file("pipe").c_str(), 0600);
  check_refused(folder.file("pipe"), "model-unreadable", "not an ordinary file");
}

TEST("open_own() opens only ordinary files") {
  const TemporaryFolder folder;
  mkfifo(folder.file("pipe").c_str(), 0600);
  CHECK_EQUAL(symlink(folder.write("file", "x").c_str(), folder.file("link").c_str()), 0);
  for (const char* name : {"", "pipe", "link", "none"})
    CHECK(hearth::system::open_own(folder.file(name)) == nullptr);
  std::FILE* file = hearth::system::open_own(folder.file("file"));
  CHECK(file != nullptr);
  std::fclose(file);
}

TEST("open_own() does not open a file that others own or are allowed to write") {
  const TemporaryFolder folder;
  const std::string path = folder.write("file", "x");
  const auto is_opened = [&] {
    std::FILE* file = hearth::system::open_own(path);
    if (file) std::fclose(file);
    return file != nullptr;
  };
  for (const mode_t mode : {0600, 0644, 0400}) {
    CHECK_EQUAL(chmod(path.c_str(), mode), 0);
    CHECK(is_opened());
  }
  for (const mode_t mode : {0620, 0602, 0666}) {
    CHECK_EQUAL(chmod(path.c_str(), mode), 0);
    CHECK(!is_opened());
  }
  if (geteuid() != 0) return;  // only root can change a file's owner
  CHECK_EQUAL(chmod(path.c_str(), 0600), 0);
  CHECK_EQUAL(chown(path.c_str(), 65534, 65534), 0);
  CHECK(!is_opened());
}

TEST("a file that we may not read counts as forbidden, not damaged") {
  using hearth::system::FileError;
  for (const int error : {EACCES, EPERM}) {
    try {
      hearth::system::throw_file_error(error);
    } catch (const FileError& forbidden) {
      CHECK(forbidden.reason == FileError::Reason::kForbidden);
    }
  }
}

TEST("the error for a file without read permission says so") {
  const TemporaryFolder folder;
  const std::string path = folder.write("model.gguf", small_builder().bytes(small_data()));
  chmod(path.c_str(), 0);
  std::string code;
  with_ordinary_rights(folder, [&] {
    try {
      GgufFile::open(path);
    } catch (const EngineError& error) {
      code = error.code;
    }
  });
  CHECK_EQUAL(code, "model-unreadable");
}

TEST("saved pages that cannot be opened at the moment do not count as damaged, and are kept") {
  const TemporaryFolder folder;
  test::FaultyEngine engine;
  hearth::Request request;
  request.kind = hearth::RequestKind::kPrefill;
  request.tokens = {300, 301, 302};
  engine.ask(request);
  hearth::PageStore store(folder.file(""), 1 << 30, {7}, engine.ops);
  store.save(engine.cache);
  chmod(folder.files().front().c_str(), 0);
  hearth::PageStore::Restored restored;
  with_ordinary_rights(folder, [&] { restored = store.restore(engine.cache); });
  CHECK_EQUAL(restored.n_pages, 0);
  CHECK_EQUAL(restored.problems.size(), 1u);
  CHECK(restored.problems.front().find("could not be opened") != std::string::npos);
  store.save(engine.cache);
  CHECK_EQUAL(folder.files().size(), 2u);
}

TEST("only their owner can read saved pages") {
  const TemporaryFolder folder;
  hearth::LoadOptions options = test::tiny_options();
  options.disk_folder = folder.file("pages");
  options.disk_bytes = 1 << 30;
  const auto engine = test::load(options);
  hearth::Request request;
  request.kind = hearth::RequestKind::kLastLogits;
  request.tokens = {300, 301, 302};
  test::ask(*engine, request);
  engine->close();
  const auto mode_of = [](const std::filesystem::path& path) {
    struct stat status {};
    CHECK_EQUAL(stat(path.c_str(), &status), 0);
    return status.st_mode & 0777;
  };
  CHECK_EQUAL(mode_of(options.disk_folder), 0700u);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.disk_folder))
    files.push_back(entry.path());
  CHECK_EQUAL(files.size(), 1u);
  CHECK_EQUAL(mode_of(files[0]), 0600u);
}
