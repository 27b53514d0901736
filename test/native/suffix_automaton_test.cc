// The automaton against the definition: the longest suffix that also ends earlier.
#include "suffix_automaton.h"

#include <algorithm>
#include <random>

#include "test.h"

using hearth::SuffixAutomaton;

namespace {

int longest_match(std::span<const uint32_t> text) {
  const int n = static_cast<int>(text.size());
  int longest = 0;
  for (int end = 1; end < n; end++) {
    int length = 0;
    while (length < end && text[end - 1 - length] == text[n - 1 - length]) length++;
    longest = std::max(longest, length);
  }
  return longest;
}

void check_text(const std::vector<uint32_t>& text) {
  SuffixAutomaton automaton(1);  // so that it grows, too
  for (size_t n = 1; n <= text.size(); n++) {
    automaton.append(text[n - 1]);
    const auto so_far = std::span(text).first(n);
    const int length = longest_match(so_far);
    CHECK_EQUAL(automaton.match_length(), length);
    const std::span<const uint32_t> next = automaton.continuation();
    CHECK_EQUAL(next.empty(), length == 0);
    if (next.empty()) continue;
    const size_t end = n - next.size();
    CHECK(std::equal(next.begin(), next.end(), so_far.begin() + end));
    CHECK(std::equal(so_far.end() - length, so_far.end(), so_far.begin() + end - length));
  }
}

}  // namespace

TEST("the match is the longest suffix that ends earlier, on random texts") {
  std::mt19937 random(1);
  for (int i = 0; i < 60; i++) {
    const uint32_t n_letters = 1 + i % 6;
    std::vector<uint32_t> text(10 + random() % 120);
    for (uint32_t& token : text) token = 151000 + random() % n_letters;
    check_text(text);
  }
}

TEST("the match is the longest suffix that ends earlier, on texts that repeat themselves") {
  check_text(std::vector<uint32_t>(100, 7));
  std::vector<uint32_t> fibonacci{1}, before{0};
  while (fibonacci.size() < 150) {
    const std::vector<uint32_t> last = fibonacci;
    fibonacci.insert(fibonacci.end(), before.begin(), before.end());
    before = last;
  }
  check_text(fibonacci);
}

TEST("the continuation of a repeated match is the newer one") {
  SuffixAutomaton automaton(16);
  for (const uint32_t token : {1, 2, 3, 9, 1, 2, 4, 9, 1, 2}) automaton.append(token);
  CHECK_EQUAL(automaton.match_length(), 3);
  CHECK_EQUAL(automaton.continuation().front(), 4u);
}
