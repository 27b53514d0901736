// What the fuzz programs share: how they say that something is wrong, and bytes read as decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

/// Ends the program, which libFuzzer reports with the input.
#define EXPECT(condition)                                                \
  if (!(condition)) {                                                    \
    std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    std::abort();                                                        \
  }

namespace fuzz {

/// Takes an input from its beginning; behind the end there are zeros.
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
