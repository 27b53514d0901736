// The disk cache: the next engine finds the pages of the previous one, and its logits have the same
// bits as with a cold cache, whatever happens to the files in between.
#include "cache/page_store.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "ask.h"
#include "faulty_engine.h"
#include "gguf_copy.h"
#include "temporary_folder.h"
#include "test.h"

namespace fs = std::filesystem;
using hearth::Engine;
using hearth::Request;
using hearth::RequestKind;
using Folder = test::TemporaryFolder;

namespace {

std::unique_ptr<Engine> open_engine(const fs::path& folder, uint64_t disk_bytes = 1 << 30,
                                    uint64_t cache_bytes = 0, const char* kv_type = "f16",
                                    const std::string& model = test::tiny_options().model_path) {
  hearth::LoadOptions options = test::tiny_options();
  options.model_path = model;
  options.disk_folder = folder.string();
  options.disk_bytes = disk_bytes;
  options.cache_bytes = cache_bytes;
  options.kv_type = kv_type;
  return test::load(options);
}

Request document(uint32_t seed, int n_tokens) {
  Request request;
  request.kind = RequestKind::kLastLogits;
  std::mt19937 random(seed);
  for (int i = 0; i < n_tokens; i++) request.tokens.push_back(300 + random() % 50);
  return request;
}

/// Opens an engine, evaluates the documents and closes the engine, which leaves their pages in the
/// folder.
void leave(const fs::path& folder, const std::vector<Request>& documents,
           uint64_t disk_bytes = 1 << 30) {
  const auto engine = open_engine(folder, disk_bytes);
  for (const Request& each : documents) test::ask(*engine, each);
  engine->close();
}

std::vector<float> cold_logits(const Request& document) {
  static const std::unique_ptr<Engine> engine = test::load_tiny(1, 0);
  test::clear_cache(*engine);
  return test::ask(*engine, document).values;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST("the next engine has the pages of the previous one, and its logits equal cold ones") {
  const Folder folder;
  const std::vector<Request> documents{document(1, 200), document(2, 75), document(3, 1)};
  leave(folder.path, documents);
  const auto engine = open_engine(folder.path);
  CHECK_EQUAL(engine->info().restored_pages, 7 + 3 + 1);
  CHECK(engine->info().disk_problems.empty());
  CHECK_EQUAL(engine->status().cache.pages_held, 0);
  for (const Request& each : documents) {
    const hearth::Result warm = test::ask(*engine, each);
    CHECK_EQUAL(warm.timings.cached_tokens, static_cast<int>(each.tokens.size()) - 1);
    CHECK(warm.values == cold_logits(each));
  }
}

TEST("all pages are in one file, which replaces the previous one; the folder is created") {
  const Folder folder;
  const fs::path inner = folder.path / "not" / "there yet";
  for (uint32_t i = 0; i < 3; i++) leave(inner, {document(i, 50)});
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(inner)) files.push_back(entry.path());
  CHECK_EQUAL(files.size(), 1u);
  CHECK_EQUAL(open_engine(inner)->info().restored_pages, 3 * 2);
}

TEST("the pages of two engines that ran at the same time are both kept") {
  const Folder folder;
  const auto one = open_engine(folder.path), other = open_engine(folder.path);
  test::ask(*one, document(1, 60));
  test::ask(*other, document(1, 60));
  test::ask(*other, document(2, 90));
  one->close();
  other->close();
  CHECK_EQUAL(folder.files().size(), 2u);
  CHECK_EQUAL(open_engine(folder.path)->info().restored_pages, 2 + 3);
}

TEST("a folder never holds more than its limit, and the oldest file is deleted first") {
  const Folder folder;
  const uint64_t page_bytes = test::load_tiny(1, 0)->status().page_bytes;
  const uint64_t limit = 10 * (page_bytes + 1000);
  leave(folder.path, {document(1, 6 * 32)}, limit);
  const auto engine = open_engine(folder.path, limit);
  for (uint32_t i = 2; i < 6; i++) test::ask(*engine, document(i, 4 * 32));
  engine->close();
  uint64_t n_bytes = 0;
  for (const fs::path& file : folder.files()) n_bytes += fs::file_size(file);
  CHECK(n_bytes <= limit);
  CHECK(n_bytes > limit / 2);
  const auto next = open_engine(folder.path, limit);
  CHECK_EQUAL(test::ask(*next, document(5, 4 * 32)).timings.cached_tokens, 4 * 32 - 1);
  CHECK_EQUAL(test::ask(*next, document(1, 6 * 32)).timings.cached_tokens, 0);
}

TEST("a small cache loads only the pages that fit, and the file is kept for larger caches") {
  const Folder folder;
  const uint64_t page_bytes = test::load_tiny(1, 0)->status().page_bytes;
  leave(folder.path, {document(1, 400), document(2, 400)});
  const auto small = open_engine(folder.path, 1 << 30, 16 * page_bytes);
  CHECK_EQUAL(small->info().restored_pages, 16);
  CHECK(test::ask(*small, document(2, 400)).values == cold_logits(document(2, 400)));
  small->close();
  CHECK_EQUAL(open_engine(folder.path)->info().restored_pages, 13 + 13);
}

TEST("a damaged file loses only its damaged pages and never causes a wrong logit") {
  const Request whole = document(1, 300), other = document(2, 100);
  const std::vector<float> expected = cold_logits(whole);
  const Folder origin;
  leave(origin.path, {whole, other});
  const fs::path name = origin.files().at(0).filename();
  const std::string bytes = read_file(origin.path / name);
  std::mt19937 random(7);
  std::set<int> n_restored;
  for (int round = 0; round < 40; round++) {
    const Folder folder;
    std::string damaged = bytes;
    if (round % 2 == 0) {
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
    } else {
      damaged.resize(random() % damaged.size());
    }
    write_file(folder.path / name, damaged);
    const auto engine = open_engine(folder.path);
    CHECK_EQUAL(engine->info().disk_problems.size(), 1u);
    CHECK(engine->info().disk_problems[0].find(name.string()) != std::string::npos);
    CHECK(engine->info().restored_pages < 10 + 4);
    n_restored.insert(engine->info().restored_pages);
    CHECK(test::ask(*engine, whole).values == expected);
  }
  CHECK(n_restored.size() > 4);
}

TEST("files of other models and of other programs are left alone") {
  const Folder folder;
  leave(folder.path, {document(1, 100)});
  const fs::path file = folder.files().at(0);
  std::string other_name = file.filename().string();
  other_name[0] = other_name[0] == '0' ? '1' : '0';
  fs::rename(file, folder.path / other_name);
  write_file(folder.path / "notes.txt", "not ours");
  write_file(folder.path / "holiday.pages", "not ours either");
  const auto engine = open_engine(folder.path);
  CHECK_EQUAL(engine->info().restored_pages, 0);
  CHECK(engine->info().disk_problems.empty());
  test::ask(*engine, document(2, 50));
  engine->close();
  CHECK_EQUAL(folder.files().size(), 4u);
  CHECK_EQUAL(read_file(folder.path / "holiday.pages"), std::string("not ours either"));
}

TEST("an engine loads only pages of its own KV type, and leaves other files alone") {
  const Folder folder;
  for (const char* kv_type : {"f16", "int8"}) {
    const auto engine = open_engine(folder.path, 1 << 30, 0, kv_type);
    CHECK_EQUAL(engine->info().restored_pages, 0);
    test::ask(*engine, document(1, 100));
    engine->close();
  }
  CHECK_EQUAL(folder.files().size(), 2u);
  const auto engine = open_engine(folder.path, 1 << 30, 0, "int8");
  CHECK_EQUAL(engine->info().restored_pages, 4);
  CHECK(engine->info().disk_problems.empty());
  const auto cold = open_engine(Folder().path, 1 << 30, 0, "int8");
  CHECK(test::ask(*engine, document(1, 100)).values == test::ask(*cold, document(1, 100)).values);
}

TEST("another model's file is recognized even if renamed") {
  const Folder folder, other;
  leave(folder.path, {document(1, 100)});
  const fs::path file = folder.files().at(0);
  std::string bytes = read_file(file);
  bytes[8] ^= 1;  // the identity in the header
  write_file(file, bytes);
  const auto engine = open_engine(folder.path);
  CHECK_EQUAL(engine->info().restored_pages, 0);
  CHECK_EQUAL(engine->info().disk_problems.size(), 1u);
}

TEST("an unwritable folder is reported when the engine closes") {
  const Folder folder;
  write_file(folder.path / "file", "in the way");
  const auto engine = open_engine(folder.path / "file" / "pages");
  test::ask(*engine, document(1, 40));
  CHECK_THROWS(engine->close(), (folder.path / "file" / "pages").string());
}

TEST("nothing is written if nothing was evaluated or no folder was given") {
  const Folder folder;
  open_engine(folder.path)->close();
  CHECK(folder.files().empty());
  const auto engine = test::load_tiny(1, 0);
  test::ask(*engine, document(1, 40));
  engine->close();
}

TEST("the checksum detects every flipped bit, truncation and shift") {
  std::vector<std::byte> bytes(100);
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = static_cast<std::byte>(i * 7);
  std::set<uint64_t> sums{hearth::checksum(bytes, 0), hearth::checksum(bytes, 1)};
  for (size_t i = 0; i < 8 * bytes.size(); i++) {
    bytes[i / 8] ^= static_cast<std::byte>(1 << i % 8);
    sums.insert(hearth::checksum(bytes, 0));
    bytes[i / 8] ^= static_cast<std::byte>(1 << i % 8);
  }
  for (size_t n = 0; n < bytes.size(); n++) {
    sums.insert(hearth::checksum(std::span(bytes).first(n), 0));
    if (n > 0) sums.insert(hearth::checksum(std::span(bytes).subspan(n), 0));
  }
  CHECK_EQUAL(sums.size(), 2 + 800 + 100 + 99u);
}

TEST("a file that another server has just deleted does not count as damaged") {
  const Folder folder;
  leave(folder.path, {document(1, 64)});
  // This file is listed, but does not exist when the store opens it.
  fs::path gone = folder.files().front();
  std::string name = gone.stem().string();
  name.back() = name.back() == '0' ? '1' : '0';
  gone.replace_filename(name + ".pages");
  std::error_code error;
  fs::create_symlink(folder.path / "nothing", gone, error);
  if (error) throw test::NotRun("creating links needs a privilege here:  " + error.message());
  const auto engine = open_engine(folder.path);
  CHECK_EQUAL(engine->info().restored_pages, 2);
  CHECK(engine->info().disk_problems.empty());
}

TEST("pages of a split model are not used after any of its parts has been rewritten") {
  const Folder folder, pages;
  const test::GgufCopy whole = test::GgufCopy::of(test::tiny_options().model_path);
  const auto part_of = [&](int i) {
    return folder.file("model-0000" + std::to_string(i + 1) + "-of-00002.gguf");
  };
  const size_t n_first = whole.tensors.size() / 2;
  for (int i : {0, 1}) {
    test::GgufCopy part = whole;
    part.metadata["split.count"] = uint64_t{2};
    part.metadata["split.no"] = static_cast<uint64_t>(i);
    part.tensors.assign(whole.tensors.begin() + (i == 0 ? 0 : n_first),
                        i == 0 ? whole.tensors.begin() + n_first : whole.tensors.end());
    write_file(part_of(i), part.bytes());
  }
  const auto open_split = [&] { return open_engine(pages.path, 1 << 30, 0, "f16", part_of(0)); };
  const auto engine = open_split();
  test::ask(*engine, document(1, 100));
  engine->close();
  CHECK_EQUAL(open_split()->info().restored_pages, 4);
  for (int i : {1, 0}) {
    fs::last_write_time(part_of(i), fs::last_write_time(part_of(i)) + std::chrono::seconds(2));
    CHECK_EQUAL(open_split()->info().restored_pages, 0);
    const auto changed = open_split();
    test::ask(*changed, document(1, 100));
    changed->close();
    CHECK_EQUAL(open_split()->info().restored_pages, 4);
  }
}

TEST("if pages cannot be read while they are saved, no file is left") {
  const Folder folder;
  test::FaultyEngine engine;
  engine.ask(document(1, 100));
  engine.ops.before_read_page = [] { throw std::runtime_error("the GPU is gone"); };
  hearth::PageStore store(folder.path.string(), 1 << 30, {7}, engine.ops);
  CHECK_THROWS(store.save(engine.cache), "the GPU is gone");
  CHECK(folder.files().empty());
  engine.ops.before_read_page = [] {};
  store.save(engine.cache);
  CHECK_EQUAL(folder.files().size(), 1u);
}
