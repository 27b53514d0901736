// Runs the registered cases; an argument runs only those whose name contains it.
#include "test.h"

int main(int argc, char** argv) {
  int passed = 0, failed = 0;
  for (const test::Case& c : test::cases()) {
    if (argc > 1 && c.name.find(argv[1]) == std::string::npos) continue;
    try {
      c.run();
      std::printf("ok %s\n", c.name.c_str());
      passed++;
    } catch (const std::exception& e) {
      std::printf("FAIL %s\n  %s\n", c.name.c_str(), e.what());
      failed++;
    }
    std::fflush(stdout);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}
