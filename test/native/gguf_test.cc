// The content of an open model file, and models that are split into several files.
// gguf_part_test.cc tests damaged files.
#include "gguf/gguf.h"

#include "gguf_fixture.h"

using hearth::EngineError;
using hearth::GgufFile;
using hearth::GgufTensor;
using test::check_refused, test::kF32Id, test::small_builder, test::small_data;
using test::GgufBuilder;
using test::TemporaryFolder;

TEST("an open file has the right metadata, tensors and sizes") {
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

TEST("the error for a value of the wrong kind names the key") {
  const TemporaryFolder folder;
  const GgufFile file =
      GgufFile::open(folder.write("model.gguf", small_builder().bytes(small_data())));
  CHECK_THROWS(file.unsigned_value("negative"), "\"negative\"");
  CHECK_THROWS(file.unsigned_value("words"), "\"words\"");
  CHECK_THROWS(file.string("count"), "\"count\"");
  CHECK_THROWS(file.strings("types"), "\"types\"");
  CHECK_THROWS(file.number("flag"), "\"flag\"");
}

TEST("the error for a path without a readable file says what is wrong") {
  const TemporaryFolder folder;
  check_refused(folder.file("none.gguf"), "model-not-found", "none.gguf");
  check_refused(folder.write("f", "") + "/x.gguf", "model-not-found", "x.gguf");
  check_refused(folder.file(""), "model-unreadable", "is a folder");
}

TEST("the starter model's whole header is read") {
  const GgufFile file = GgufFile::open(HEARTH_FIXTURES "/../../models/starter.gguf");
  CHECK_EQUAL(file.string("general.architecture").value(), "qwen2");
  CHECK_EQUAL(file.strings("tokenizer.ggml.tokens")->size(), 16384u);
  const GgufTensor* embedding = file.find("token_embd.weight");
  CHECK(embedding && embedding->shape[0] == 768 && embedding->shape[1] == 16384);
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

TEST("opening any part of a split model opens all parts") {
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

TEST("if a split model has a missing, foreign or renamed part, the error names it") {
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
