// Opens any bytes as a model file: either the file is refused with a printable message, or every
// tensor lies inside the file and the tokenizer works.
#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

#include <string>

#include "common/error.h"
#include "fuzz.h"
#include "gguf/gguf.h"
#include "memory_file.h"
#include "model/model.h"
#include "tokenizer/tokenizer.h"

using hearth::EngineError;
using hearth::GgufFile;
using hearth::GgufTensor;

namespace {

constexpr size_t kPageBytes = 4096;

size_t up_to_page(size_t n) { return (n + kPageBytes - 1) / kPageBytes * kPageBytes; }

/// Sums the bytes, so that the compiler cannot remove the reads.
unsigned read_ends(const GgufFile& file) {
  unsigned sum = 0;
  for (const GgufTensor& tensor : file.tensors()) {
    if (tensor.data.empty()) continue;
    sum += static_cast<unsigned>(tensor.data.front()) + static_cast<unsigned>(tensor.data.back());
  }
  return sum;
}

void use(const GgufFile& file) {
  volatile unsigned sum = read_ends(file);
  (void)sum;
  const hearth::ModelConfig config = hearth::read_config(file);
  EXPECT(config.n_vocab > 0 && config.n_layers > 0 && config.n_heads > 0);
  const hearth::Tokenizer tokenizer(file);
  const auto round_trip = [&](std::string_view text) {
    return tokenizer.decode(tokenizer.encode(text, hearth::SpecialTokens::kAsText));
  };
  const std::string_view code = "for (const x of [1, 22]) { x?.y ?? \"\" }\n\t ";
  EXPECT(round_trip(code) == code);
  // A vocabulary may lack the bytes of other characters. Decoding leaves those out.
  const std::string_view letters = "caf\xc3\xa9";
  EXPECT(round_trip(letters).starts_with("caf") && letters.size() >= round_trip(letters).size());
}

bool is_plain(char c) { return c >= ' ' && c <= '~'; }

}  // namespace

extern "C" void* __real_mmap(void*, size_t, int, int, int, off_t);
extern "C" int __real_munmap(void*, size_t);

extern "C" void* __wrap_mmap(void* at, size_t n, int access, int flags, int fd, off_t offset) {
  void* address = __real_mmap(at, n, access, flags, fd, offset);
  if (address != MAP_FAILED)
    __asan_poison_memory_region(static_cast<char*>(address) + n, up_to_page(n) - n);
  return address;
}

extern "C" int __wrap_munmap(void* address, size_t n) {
  __asan_unpoison_memory_region(address, up_to_page(n));
  return __real_munmap(address, n);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t n) {
  static fuzz::MemoryFile memory;
  try {
    use(GgufFile::open(memory.hold(fuzz::Input(data, n).rest())));
  } catch (const EngineError& error) {
    const std::string_view message = error.what();
    EXPECT(error.code.starts_with("model-"));
    EXPECT(message.size() < 1000);
    for (const char c : message) EXPECT(is_plain(c));
  }
  return 0;
}
