// A test registry: TEST(name) { CHECK(...); }. One program per room, linked with test_main.cc.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace test {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInf = std::numeric_limits<float>::infinity();

struct Case {
  std::string name;
  std::function<void()> run;
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

struct Register {
  Register(std::string name, std::function<void()> run) {
    cases().push_back({std::move(name), std::move(run)});
  }
};

/// Thrown by a test that this machine cannot run.
struct NotRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void fail(const char* file, int line, const std::string& what) {
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

template <typename A, typename B>
void check_equal(const A& a, const B& b, const char* text, const char* file, int line) {
  if (a == b) return;
  std::ostringstream message;
  message << text << ": " << a << " != " << b;
  fail(file, line, message.str());
}

/// Whether this build has AddressSanitizer or ThreadSanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

/// Whether the processor is emulated. Whoever starts the emulator sets the variable.
inline bool is_emulated() { return std::getenv("HEARTH_EMULATED") != nullptr; }

/// Sanitizers and emulators slow a test down about tenfold, so tests with many cases may try fewer.
inline bool is_slow() { return kIsSanitized || is_emulated(); }

/// Returns all cases or, with a sanitizer, only one, a different one each turn. Sanitizers only
/// check memory accesses; the build without them compares the values of all cases.
template <typename T>
std::vector<T> sample(std::vector<T> all, size_t turn) {
  if (!kIsSanitized) return all;
  return {all[turn % all.size()]};
}

}  // namespace test

#define TEST_JOIN2(a, b) a##b
#define TEST_JOIN(a, b) TEST_JOIN2(a, b)
#define TEST_NAMED(title, id)                               \
  static void id();                                         \
  static const test::Register TEST_JOIN(id, _r)(title, id); \
  static void id()
/// TEST("a plain sentence") { ... } The names of its functions have a number, not the line, since
/// several files may be compiled as one.
#define TEST(title) TEST_NAMED(title, TEST_JOIN(test_case_, __COUNTER__))
#define CHECK(condition) \
  if (!(condition)) test::fail(__FILE__, __LINE__, #condition)
#define CHECK_EQUAL(a, b) test::check_equal((a), (b), #a " == " #b, __FILE__, __LINE__)
/// Checks that |a - b| <= tolerance and that both are finite.
#define CHECK_NEAR(a, b, tolerance) CHECK(std::fabs((a) - (b)) <= (tolerance))
/// Checks that the expression throws an exception whose message contains the text.
#define CHECK_THROWS(expression, text)                                              \
  try {                                                                             \
    expression;                                                                     \
    test::fail(__FILE__, __LINE__, #expression " did not throw");                   \
  } catch (const std::exception& e) {                                               \
    if (std::string(e.what()).find(text) == std::string::npos)                      \
      test::fail(__FILE__, __LINE__, std::string("unexpected error: ") + e.what()); \
  }
