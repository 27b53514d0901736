#include "gguf.h"

#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "error.h"
#include "gguf_builder.h"
#include "test.h"

using hearth::EngineError;
using hearth::GgufFile;
using hearth::GgufTensor;
using test::GgufBuilder;
using test::TemporaryFolder;

namespace {

constexpr uint32_t kF32Id = 0, kQ8_0Id = 8, kUnknownId = 37;

/// Two tensors, 256 bytes of data: "a" [4, 8] F32 at 0, "b" [32, 2] Q8_0 at 128.
GgufBuilder small_builder() {
  GgufBuilder builder;
  builder.key("general.architecture", GgufBuilder::kString, std::string("qwen2"))
      .key("count", GgufBuilder::kU32, uint32_t{7})
      .key("negative", GgufBuilder::kI32, int32_t{-3})
      .key("ratio", GgufBuilder::kF32, 0.5f)
      .key("flag", GgufBuilder::kBool, true)
      .array("words", GgufBuilder::kString, std::vector<std::string>{"one", "", "three"})
      .array("types", GgufBuilder::kI32, std::vector<int32_t>{1, -1})
      .tensor("a", {4, 8}, kF32Id, 0)
      .tensor("b", {32, 2}, kQ8_0Id, 128);
  return builder;
}

std::string small_data() {
  std::string data(256, '\0');
  for (size_t i = 0; i < data.size(); i++) data[i] = static_cast<char>(i);
  return data;
}

void check_refused(const std::string& path, const std::string& code, const std::string& text) {
  try {
    GgufFile::open(path);
  } catch (const EngineError& error) {
    CHECK_EQUAL(error.code, code);
    const std::string message = error.what();
    if (message.find(text) == std::string::npos) test::fail(__FILE__, __LINE__, message);
    return;
  }
  test::fail(__FILE__, __LINE__, path + " was opened");
}

void check_bytes_refused(const std::string& bytes, const std::string& code,
                         const std::string& text) {
  const TemporaryFolder folder;
  check_refused(folder.write("model.gguf", bytes), code, text);
}

/// Opens whatever the bytes are: true if valid. Anything but an EngineError fails the test.
bool opens(const std::string& path) {
  try {
    const GgufFile file = GgufFile::open(path);
    unsigned sum = 0;
    for (const GgufTensor& tensor : file.tensors()) {
      for (const std::byte b : tensor.data) sum += std::to_integer<unsigned>(b);
    }
    volatile unsigned keep = sum;
    static_cast<void>(keep);
    return true;
  } catch (const EngineError& error) {
    CHECK(std::string(error.what()).find(path) != std::string::npos);
    return false;
  }
}

}  // namespace

TEST("an opened file answers metadata, tensors and sizes") {
  const TemporaryFolder folder;
  for (const uint32_t version : {2u, 3u}) {
    GgufBuilder builder = small_builder();
    builder.version = version;
    const std::string bytes = builder.bytes(small_data());
    const GgufFile file = GgufFile::open(folder.write("model.gguf", bytes));
    CHECK_EQUAL(file.n_bytes(), bytes.size());
    CHECK_EQUAL(file.string("general.architecture").value(), "qwen2");
    CHECK_EQUAL(file.unsigned_value("count").value(), 7u);
    CHECK_EQUAL(file.number("ratio").value(), 0.5);
    CHECK_EQUAL(file.number("negative").value(), -3.0);
    CHECK(std::get<bool>(file.metadata().at("flag")));
    CHECK((*file.strings("words") == std::vector<std::string>{"one", "", "three"}));
    CHECK(!file.string("absent") && !file.strings("absent") && !file.number("absent"));
    const GgufTensor* b = file.find("b");
    CHECK(b && b->type == hearth::kernels::BlockType::kQ8_0);
    CHECK((b->shape == std::vector<uint64_t>{32, 2}));
    CHECK_EQUAL(b->data.size(), 68u);
    CHECK_EQUAL(std::to_integer<int>(b->data[0]), 128);
    CHECK(file.find("c") == nullptr);
    file.release(*b);
    CHECK_EQUAL(std::to_integer<int>(b->data[0]), 128);
  }
}

TEST("a value of another kind is an error that names the key") {
  const TemporaryFolder folder;
  const GgufFile file =
      GgufFile::open(folder.write("model.gguf", small_builder().bytes(small_data())));
  CHECK_THROWS(file.unsigned_value("negative"), "\"negative\"");
  CHECK_THROWS(file.unsigned_value("words"), "\"words\"");
  CHECK_THROWS(file.string("count"), "\"count\"");
  CHECK_THROWS(file.strings("types"), "\"types\"");
  CHECK_THROWS(file.number("flag"), "\"flag\"");
}

TEST("a path without a readable file says what is wrong with it") {
  const TemporaryFolder folder;
  check_refused(folder.file("none.gguf"), "model-not-found", "none.gguf");
  check_refused(folder.write("f", "") + "/x.gguf", "model-not-found", "x.gguf");
  check_refused(folder.file(""), "model-unreadable", "is a folder");
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

TEST("a file that is no GGUF of version 2 or 3 is refused") {
  const std::string valid = small_builder().bytes(small_data());
  check_bytes_refused("PK\3\4 not a model", "model-invalid", "not a GGUF");
  check_bytes_refused("G", "model-truncated", "1 bytes");
  check_bytes_refused("", "model-truncated", "0 bytes");
  GgufBuilder builder = small_builder();
  builder.version = 1;
  check_bytes_refused(builder.bytes(small_data()), "model-unsupported", "version 1");
  builder.version = 4;
  check_bytes_refused(builder.bytes(small_data()), "model-unsupported", "version 4");
  builder.version = 0x03000000;
  check_bytes_refused(builder.bytes(small_data()), "model-unsupported", "big-endian");
}

TEST("a file whose end is missing says how many bytes there should be") {
  const std::string bytes = small_builder().bytes(small_data());
  // The last tensor ends 60 bytes before the file does.
  const std::string expected = std::to_string(bytes.size() - 60);
  check_bytes_refused(bytes.substr(0, bytes.size() - 100), "model-truncated",
                      std::to_string(bytes.size() - 100) + " bytes of " + expected);
  check_bytes_refused(bytes.substr(0, 150), "model-truncated", "150 bytes end inside the metadata");
}

TEST("lying counts and sizes are refused without allocating for them") {
  // To allocate what the greater counts claim would fail with another exception.
  const auto refuse = [](GgufBuilder builder, const std::string& code, const std::string& text) {
    check_bytes_refused(builder.bytes(small_data()), code, text);
  };
  for (const int64_t count : {int64_t{1} << 20, int64_t{1} << 40, int64_t{-1}}) {
    GgufBuilder keys = small_builder(), tensors = small_builder();
    keys.n_keys = count;
    tensors.n_tensors = count;
    refuse(keys, "model-truncated", "header");
    refuse(tensors, "model-truncated", "header");
    const std::vector<std::string> none;
    const std::string code = count == 1 << 20 ? "model-truncated" : "model-invalid";
    refuse(small_builder().bare_array("big", GgufBuilder::kString, count, none), code, "\"big\"");
    refuse(small_builder().bare_array("big", GgufBuilder::kU64, count, none), code, "\"big\"");
    refuse(small_builder().key("text", GgufBuilder::kString, count), "model-truncated", "\"text\"");
  }
}

TEST("metadata of unknown type, nested or repeated, is refused") {
  const auto refuse = [](GgufBuilder builder, const std::string& text) {
    check_bytes_refused(builder.bytes(small_data()), "model-invalid", text);
  };
  refuse(small_builder().key("odd", static_cast<GgufBuilder::Type>(99), uint32_t{0}),
         "unknown type");
  refuse(small_builder().array("odd", GgufBuilder::kArray, std::vector<uint64_t>{0, 0}),
         "array of arrays");
  refuse(small_builder().array("odd", static_cast<GgufBuilder::Type>(99), std::vector<uint32_t>{}),
         "unknown type");
  refuse(small_builder().key("count", GgufBuilder::kU32, uint32_t{8}), "\"count\" twice");
  for (const uint32_t alignment : {0u, 48u, 1u << 30}) {
    refuse(small_builder().key("general.alignment", GgufBuilder::kU32, alignment), "alignment");
  }
}

TEST("a tensor of impossible shape or place is refused by name") {
  const auto refuse = [](const std::vector<uint64_t>& shape, uint32_t type, uint64_t offset,
                         const std::string& text, const std::string& code = "model-invalid") {
    GgufBuilder builder = small_builder();
    builder.tensor("c", shape, type, offset);
    check_bytes_refused(builder.bytes(small_data()), code, text);
  };
  refuse({}, kF32Id, 0, "tensor \"c\" has 0 dimensions");
  refuse({1, 1, 1, 1, 1}, kF32Id, 0, "5 dimensions");
  refuse({4, 0}, kF32Id, 0, "dimension of 0");
  refuse({uint64_t{1} << 33}, kF32Id, 0, "dimension of 8589934592");
  refuse({1u << 30, 1u << 30, 1u << 30}, kF32Id, 0, "too large");
  refuse({33, 2}, kQ8_0Id, 0, "whole number of Q8_0 blocks");
  refuse({4}, kF32Id, 33, "impossible offset 33");
  refuse({4}, kF32Id, ~uint64_t{31}, "impossible offset");
  refuse({4}, kF32Id, 256, "incomplete", "model-truncated");
  refuse({4}, kF32Id, uint64_t{1} << 50, "incomplete", "model-truncated");
  GgufBuilder twice = small_builder();
  twice.tensor("a", {4}, kF32Id, 0);
  check_bytes_refused(twice.bytes(small_data()), "model-invalid", "\"a\" twice");
}

TEST("a tensor of unknown type is kept without data") {
  const TemporaryFolder folder;
  GgufBuilder builder = small_builder();
  builder.tensor("odd", {31}, kUnknownId, 0);
  const GgufFile file = GgufFile::open(folder.write("m.gguf", builder.bytes(small_data())));
  CHECK_EQUAL(file.find("odd")->type_id, kUnknownId);
  CHECK(hearth::kernels::block_traits(file.find("odd")->type).name == nullptr);
  CHECK(file.find("odd")->data.empty());
}

TEST("general.alignment moves the start of the data") {
  const TemporaryFolder folder;
  GgufBuilder builder = small_builder();
  builder.key("general.alignment", GgufBuilder::kU32, uint32_t{128});
  const GgufFile file = GgufFile::open(folder.write("m.gguf", builder.bytes(small_data(), 128)));
  CHECK_EQUAL(std::to_integer<int>(file.find("b")->data[0]), 128);
}

namespace {

GgufBuilder split_part(int part, int n_parts, int n_tensors) {
  const std::string name = {'t', static_cast<char>('0' + part)};
  GgufBuilder builder;
  builder.key("split.no", GgufBuilder::kU16, static_cast<uint16_t>(part - 1))
      .key("split.count", GgufBuilder::kU16, static_cast<uint16_t>(n_parts))
      .key("split.tensors.count", GgufBuilder::kI32, int32_t{n_tensors})
      .tensor(name, {4}, kF32Id, 32);
  return builder;
}

void write_split(const TemporaryFolder& folder, int n_tensors = 2) {
  folder.write("m-00001-of-00002.gguf", split_part(1, 2, n_tensors).bytes(small_data()));
  folder.write("m-00002-of-00002.gguf", split_part(2, 2, n_tensors).bytes(small_data()));
}

}  // namespace

TEST("any part of a split model opens all parts") {
  const TemporaryFolder folder;
  write_split(folder);
  for (const char* name : {"m-00001-of-00002.gguf", "m-00002-of-00002.gguf"}) {
    const GgufFile file = GgufFile::open(folder.file(name));
    CHECK_EQUAL(file.tensors().size(), 2u);
    CHECK_EQUAL(file.find("t2")->file, folder.file("m-00002-of-00002.gguf"));
    CHECK_EQUAL(std::to_integer<int>(file.find("t2")->data[0]), 32);
    CHECK_EQUAL(file.unsigned_value("split.no").value(), 0u);
  }
}

TEST("a split model with a part missing, mixed up or renamed says which") {
  const TemporaryFolder folder;
  const std::string first = folder.file("m-00001-of-00002.gguf");
  const std::string second = folder.file("m-00002-of-00002.gguf");
  write_split(folder);
  std::filesystem::remove(second);
  check_refused(first, "model-not-found", "Part 2 of 2 of the model is missing: " + second);
  std::filesystem::copy(first, second);
  check_refused(first, "model-invalid", second + " is not the part");
  write_split(folder, 3);
  check_refused(first, "model-invalid", "3 tensors, but there are 2");
  std::filesystem::rename(first, folder.file("renamed.gguf"));
  check_refused(folder.file("renamed.gguf"), "model-invalid", "one part of a split model");
  folder.write("n-00001-of-00002.gguf", small_builder().bytes(small_data()));
  check_refused(folder.file("n-00001-of-00002.gguf"), "model-invalid", "is not the part");
  GgufBuilder same = split_part(2, 2, 2);
  write_split(folder);
  GgufBuilder repeated;
  repeated.key("split.no", GgufBuilder::kU16, uint16_t{1})
      .key("split.count", GgufBuilder::kU16, uint16_t{2})
      .tensor("t1", {4}, kF32Id, 0);
  folder.write("m-00002-of-00002.gguf", repeated.bytes(small_data()));
  check_refused(first, "model-invalid", "repeats the tensor \"t1\"");
}

TEST("a file cut off at any length is refused or complete, never a crash") {
  const TemporaryFolder folder;
  const std::string bytes = small_builder().bytes(small_data());
  int n_opened = 0;
  for (size_t length = 0; length <= bytes.size(); length++) {
    n_opened += opens(folder.write("cut.gguf", bytes.substr(0, length)));
  }
  CHECK_EQUAL(n_opened, 61);  // only the 60 bytes of padding at the end may be missing
}

TEST("a file with damaged bytes is refused or opened, never a crash") {
  const TemporaryFolder folder;
  const std::string bytes = small_builder().bytes(small_data());
  std::mt19937 random(1);
  int n_refused = 0;
  for (int i = 0; i < 6000; i++) {
    std::string damaged = bytes;
    for (uint32_t n = 1 + random() % 4; n > 0; n--) {
      const std::mt19937::result_type values[] = {0, 1, 0x7f, 0x80, 0xff, random() & 0xff};
      damaged[random() % damaged.size()] = static_cast<char>(values[random() % 6]);
    }
    n_refused += !opens(folder.write("damaged.gguf", damaged));
  }
  CHECK(n_refused > 2000);
}

TEST("the starter model's header is read whole") {
  const GgufFile file = GgufFile::open(HEARTH_FIXTURES "/../../models/starter-45m-q6_k.gguf");
  CHECK_EQUAL(file.string("general.architecture").value(), "qwen2");
  CHECK_EQUAL(file.strings("tokenizer.ggml.tokens")->size(), 16384u);
  const GgufTensor* embedding = file.find("token_embd.weight");
  CHECK(embedding && embedding->shape[0] == 512 && embedding->shape[1] == 16384);
}
