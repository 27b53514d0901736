// Files that the engine must refuse, and files that nobody else may read.
#include <sys/stat.h>
#include <unistd.h>

#include "ask.h"
#include "gguf_fixture.h"
#include "temporary_folder.h"

using hearth::EngineError;
using hearth::GgufFile;
using test::check_refused, test::small_builder, test::small_data;
using test::TemporaryFolder;

TEST("a device or a pipe is not a model, and nobody waits for it") {
  const TemporaryFolder folder;
  check_refused("/dev/null", "model-unreadable", "not an ordinary file");
  mkfifo(folder.file("pipe").c_str(), 0600);
  check_refused(folder.file("pipe"), "model-unreadable", "not an ordinary file");
}

TEST("a file that may not be read says so") {
  const TemporaryFolder folder;
  const std::string path = folder.write("model.gguf", small_builder().bytes(small_data()));
  chmod(path.c_str(), 0);
  // The superuser may read everything: become nobody for a moment.
  const bool is_root = geteuid() == 0;
  chmod(folder.file("").c_str(), 0755);
  if (is_root) CHECK_EQUAL(seteuid(65534), 0);
  std::string code;
  try {
    GgufFile::open(path);
  } catch (const EngineError& error) {
    code = error.code;
  }
  if (is_root) CHECK_EQUAL(seteuid(0), 0);
  CHECK_EQUAL(code, "model-unreadable");
}

TEST("saved pages are readable by their owner only") {
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
