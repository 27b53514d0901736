// Compares the automaton with the definition: the longest suffix that also occurs earlier.
#include "drafts/suffix_automaton.h"

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
  SuffixAutomaton automaton(1);  // small, so that it has to grow
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

TEST("in random texts, the match is the longest suffix that also occurs earlier") {
  std::mt19937 random(1);
  for (int i = 0; i < 60; i++) {
    const uint32_t n_letters = 1 + i % 6;
    std::vector<uint32_t> text(10 + random() % 120);
    for (uint32_t& token : text) token = 151000 + random() % n_letters;
    check_text(text);
  }
}

TEST("in texts that repeat themselves, the match is the longest suffix that also occurs earlier") {
  check_text(std::vector<uint32_t>(100, 7));
  std::vector<uint32_t> fibonacci{1}, before{0};
  while (fibonacci.size() < 150) {
    const std::vector<uint32_t> last = fibonacci;
    fibonacci.insert(fibonacci.end(), before.begin(), before.end());
    before = last;
  }
  check_text(fibonacci);
}

TEST("if a match occurs several times, the continuation is that of its latest occurrence") {
  SuffixAutomaton automaton(16);
  for (const uint32_t token : {1, 2, 3, 9, 1, 2, 4, 9, 1, 2}) automaton.append(token);
  CHECK_EQUAL(automaton.match_length(), 3);
  CHECK_EQUAL(automaton.continuation().front(), 4u);
}

namespace {

bool occurs(std::span<const uint32_t> words, std::span<const uint32_t> text) {
  return std::search(text.begin(), text.end(), words.begin(), words.end()) != text.end();
}

/// Checks that the other text's suffix of length place.length occurs in the automaton's text,
/// followed by continuation(place).
void check_place(const SuffixAutomaton& automaton, SuffixAutomaton::Match place,
                 std::span<const uint32_t> other) {
  if (place.length == 0) return;
  const std::span<const uint32_t> text = automaton.tokens();
  const std::span<const uint32_t> suffix = other.last(place.length);
  const std::span<const uint32_t> next = automaton.continuation(place);
  const size_t end = text.size() - next.size();
  CHECK(std::equal(next.begin(), next.end(), text.begin() + end));
  CHECK(std::ranges::equal(suffix, text.subspan(end - place.length, place.length)));
}

}  // namespace

TEST("advance() finds the longest matching suffix of another text, unless this text has grown") {
  std::mt19937 random(2);
  for (int i = 0; i < 100; i++) {
    const uint32_t n_letters = 2 + i % 5;
    const bool is_growing = i % 2;
    SuffixAutomaton automaton(1);
    std::vector<uint32_t> other;
    SuffixAutomaton::Match place;
    for (int n = 0; n < 60; n++) automaton.append(random() % n_letters);
    for (int n = 0; n < 60; n++) {
      other.push_back(random() % (n_letters + 1));
      place = automaton.advance(place, other.back());
      check_place(automaton, place, other);
      const bool is_longest = place.length == n + 1 ||
                              !occurs(std::span(other).last(place.length + 1), automaton.tokens());
      CHECK(is_growing || is_longest);
      if (is_growing) automaton.append(random() % n_letters);
      check_place(automaton, place, other);
    }
  }
}
