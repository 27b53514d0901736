// The common part of the fuzz programs: reporting a failure, and reading an input as a series of
// decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

/// Aborts, so that libFuzzer reports the input.
#define EXPECT(condition)                                                \
  if (!(condition)) {                                                    \
    std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    std::abort();                                                        \
  }

namespace fuzz {

/// Reads an input from its beginning; after its end it returns zeros.
class Input {
 public:
  Input(const uint8_t* data, size_t n) : bytes_(data, n) {}
  bool is_empty() const { return bytes_.empty(); }
  uint8_t byte() {
    if (bytes_.empty()) return 0;
    const uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }
  int below(int n) { return byte() % n; }
  std::string_view rest() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::span<const uint8_t> bytes_;
};

}  // namespace fuzz
