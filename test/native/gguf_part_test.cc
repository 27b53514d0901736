// Files that are not GGUF, truncated or damaged: each is refused with a reason, without a crash.
#include "gguf/gguf_part.h"

#include <random>

#include "gguf_fixture.h"

using hearth::EngineError;
using hearth::GgufFile;
using hearth::GgufTensor;
using test::check_bytes_refused, test::kF32Id, test::kQ8_0Id, test::small_builder, test::small_data;
using test::GgufBuilder;
using test::TemporaryFolder;

namespace {

constexpr uint32_t kUnknownId = 37;

/// Opens a file with these bytes. Returns true if it is valid; any exception but EngineError fails
/// the test.
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

TEST("a file that is not GGUF of version 2 or 3 is refused") {
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

TEST("the error for a truncated file says how many bytes there should be") {
  const std::string bytes = small_builder().bytes(small_data());
  // The last tensor ends 60 bytes before the end of the file.
  const std::string expected = std::to_string(bytes.size() - 60);
  check_bytes_refused(bytes.substr(0, bytes.size() - 100), "model-truncated",
                      std::to_string(bytes.size() - 100) + " bytes of " + expected);
  check_bytes_refused(bytes.substr(0, 150), "model-truncated", "150 bytes end inside the metadata");
}

TEST("wrong counts and sizes are refused without allocating memory for them") {
  // Allocating memory for the greater counts would fail with a different exception.
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

TEST("metadata lists that need far more memory than the file's size are refused") {
  GgufBuilder builder = small_builder();
  const std::vector<uint8_t> bytes(1 << 20);  // each becomes a number of eight bytes in memory
  for (int i = 0; i < 17; i++) builder.array("list " + std::to_string(i), GgufBuilder::kU8, bytes);
  check_bytes_refused(builder.bytes(small_data()), "model-invalid", "\"list 15\"");
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

TEST("the error for a tensor with an impossible shape or place names the tensor") {
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
  refuse({33, 2}, kQ8_0Id, 0, "cannot be divided into Q8_0 blocks");
  refuse({4}, kF32Id, 33, "impossible offset 33");
  refuse({4}, kF32Id, ~uint64_t{31}, "impossible offset");
  refuse({4}, kF32Id, 256, "incomplete", "model-truncated");
  refuse({4}, kF32Id, uint64_t{1} << 50, "incomplete", "model-truncated");
  GgufBuilder twice = small_builder();
  twice.tensor("a", {4}, kF32Id, 0);
  check_bytes_refused(twice.bytes(small_data()), "model-invalid", "\"a\" twice");
}

TEST("a tensor of unknown type is listed without its data") {
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

TEST("a file cut off at any length is refused or complete, never a crash") {
  const TemporaryFolder folder;
  const std::string bytes = small_builder().bytes(small_data());
  int n_opened = 0;
  for (size_t length = 0; length <= bytes.size(); length++) {
    n_opened += opens(folder.write("cut.gguf", bytes.substr(0, length)));
  }
  CHECK_EQUAL(n_opened, 61);  // 0 to 60 of the 60 bytes of padding at the end can be missing
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
