// How long drafts get, and when drafting stops.
#include "drafter.h"

#include <algorithm>
#include <vector>

#include "test.h"

using hearth::DraftCorpus;
using hearth::Drafter;
using hearth::PassCosts;

namespace {

DraftCorpus no_corpus;
const std::vector<uint32_t> kPrompt{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 2, 3};

}  // namespace

TEST("a draft is what followed the same three tokens") {
  Drafter drafter(no_corpus, nullptr, kPrompt, 8);
  const std::span<const uint32_t> draft = drafter.propose(11);
  CHECK(std::ranges::equal(draft, std::vector<uint32_t>{4, 5, 6}));
  CHECK_EQUAL(drafter.propose(2).size(), 2u);
  CHECK(drafter.propose(0).empty());
  drafter.append(99);
  CHECK(drafter.propose(11).empty());
}

TEST("a draft goes on with a period") {
  Drafter drafter(no_corpus, nullptr, std::vector<uint32_t>{5, 6, 5, 6, 5, 6}, 8);
  CHECK(std::ranges::equal(drafter.propose(3), std::vector<uint32_t>{5, 6, 5}));
}

TEST("drafts grow while they are accepted and shrink when not") {
  const PassCosts costs;
  Drafter drafter(no_corpus, nullptr, kPrompt, 8);
  drafter.learn(3, 3, costs);
  CHECK_EQUAL(drafter.propose(11).size(), 6u);
  drafter.learn(6, 6, costs);
  CHECK_EQUAL(drafter.propose(11).size(), 11u);
  drafter.learn(11, 2, costs);
  CHECK_EQUAL(drafter.propose(11).size(), 3u);
}

TEST("drafting stops for long when it does not pay, then has another trial") {
  const PassCosts costs;
  Drafter drafter(no_corpus, nullptr, kPrompt, 8);
  for (int i = 0; i < 4; i++) {
    CHECK(!drafter.propose(11).empty());
    drafter.learn(3, 0, costs);
  }
  for (int i = 0; i < 100; i++) CHECK(drafter.propose(11).empty());
  CHECK(!drafter.propose(11).empty());
}

TEST("what a longer pass costs is measured") {
  PassCosts costs;
  CHECK_NEAR(costs.relative(11), 2.0, 1e-9);
  costs.note(1, 10);
  costs.note(4, 40);
  costs.note(4, 900);  // something else ran
  costs.note(1, 9.9);
  costs.note(4, 39.6);
  CHECK_NEAR(costs.relative(4), 4.0, 1e-9);
  Drafter drafter(no_corpus, nullptr, kPrompt, 8);
  // Three of four tokens for four times the price.
  for (int i = 0; i < 4; i++) drafter.learn(3, 2, costs);
  CHECK(drafter.propose(11).empty());
}

TEST("a draft comes from the corpus when the text itself has no match") {
  DraftCorpus corpus;
  corpus.learn(std::vector<uint32_t>{50, 51, 52, 53, 54, 55});
  corpus.learn(std::vector<uint32_t>{90, 1, 2, 3, 70, 71, 72});
  Drafter drafter(corpus, nullptr, kPrompt, 8);
  CHECK(std::ranges::equal(drafter.propose(11), std::vector<uint32_t>{4, 5, 6}));
  drafter.append(70);  // the corpus has 1, 2, 3, 70
  CHECK(std::ranges::equal(drafter.propose(11), std::vector<uint32_t>{71, 72}));
  for (const uint32_t token : {50, 51, 52, 53}) drafter.append(token);
  CHECK(std::ranges::equal(drafter.propose(1), std::vector<uint32_t>{54}));
}

TEST("a corpus that changes under a drafter is looked at anew") {
  DraftCorpus corpus(32);
  Drafter drafter(corpus, nullptr, std::vector<uint32_t>{7, 8, 9}, 8);
  CHECK(drafter.propose(11).empty());
  corpus.learn(std::vector<uint32_t>{7, 8, 9, 10});
  drafter.append(10);
  CHECK(drafter.propose(11).empty());
  const uint64_t before = corpus.generation();
  for (uint32_t i = 0; i < 4; i++)
    corpus.learn(std::vector<uint32_t>{100 + i, 7, 8, 9, 10, 60 + i, 61, 62});
  CHECK(corpus.generation() > before);
  CHECK(std::ranges::equal(drafter.propose(11), std::vector<uint32_t>{63, 61, 62}));
}

TEST("the corpus forgets the oldest, and learns nothing twice") {
  DraftCorpus corpus(64);
  const auto text = [](uint32_t first) {
    std::vector<uint32_t> tokens(15);
    for (uint32_t& token : tokens) token = first++;
    return tokens;
  };
  const auto has = [&](uint32_t first) {
    Drafter drafter(corpus, nullptr, std::vector<uint32_t>{first, first + 1, first + 2, first + 3},
                    4);
    return !drafter.propose(1).empty();
  };
  for (int i = 0; i < 10; i++) corpus.learn(text(100));
  CHECK_EQUAL(corpus.text().tokens().size(), 16u);
  for (uint32_t first : {200, 300, 400, 500}) corpus.learn(text(first));
  CHECK(corpus.text().tokens().size() <= 64);
  CHECK(!has(100));
  CHECK(has(400) && has(500));
  std::vector<uint32_t> endless(1000);
  for (uint32_t i = 0; i < 1000; i++) endless[i] = 1000 + i;
  corpus.learn(endless);
  CHECK(corpus.text().tokens().size() <= 64);
  CHECK(has(1990) && !has(1000));
}

TEST(
    "what the corpus gets wrong, one request after the other, says nothing about the text's own "
    "words") {
  const PassCosts costs;
  DraftCorpus corpus;
  corpus.learn(std::vector<uint32_t>{40, 41, 42, 43, 44, 45, 46});
  const std::vector<uint32_t> fresh{30, 40, 41, 42, 43};
  for (int i = 0; i < 4; i++) {
    Drafter drafter(corpus, nullptr, fresh, 8);
    CHECK(!drafter.propose(11).empty());
    drafter.learn(3, 0, costs);
  }
  CHECK(Drafter(corpus, nullptr, fresh, 8).propose(11).empty());
  CHECK(!Drafter(corpus, nullptr, kPrompt, 8).propose(11).empty());
}
