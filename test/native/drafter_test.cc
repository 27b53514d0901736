// The length of drafts, and when drafting stops.
#include "drafts/drafter.h"

#include <algorithm>
#include <vector>

#include "test.h"

using hearth::DraftCorpus;
using hearth::Drafter;
using hearth::Drafting;
using hearth::DraftRecord;
using hearth::MatchRecords;
using hearth::PassCosts;

namespace {

const std::vector<uint32_t> kPrompt{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 2, 3};

/// Fifteen tokens with consecutive ids.
std::vector<uint32_t> text(uint32_t first) {
  std::vector<uint32_t> tokens(15);
  for (uint32_t& token : tokens) token = first++;
  return tokens;
}

}  // namespace

/// Costs for which a pass of n tokens takes 1 + (n - 1) * token_cost times as long as a pass of one
/// token.
PassCosts costs_of(double token_cost) {
  PassCosts costs;
  for (int n = 1; n <= hearth::kMaxDraft + 1; n++) costs.record(n, 10 * (1 + (n - 1) * token_cost));
  return costs;
}

TEST("a draft is the text that followed the same three tokens") {
  Drafting drafting;
  Drafter drafter(drafting, kPrompt, 8);
  const std::vector<uint32_t> after{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  const std::span<const uint32_t> draft = drafter.propose(11);
  CHECK(draft.size() > 2 && std::ranges::equal(draft, std::span(after).first(draft.size())));
  CHECK_EQUAL(drafter.propose(2).size(), 2u);
  CHECK(drafter.propose(0).empty());
  drafter.append(99);
  CHECK(drafter.propose(11).empty());
}

TEST("a draft continues a text that repeats itself, beyond the end of the text") {
  Drafting drafting;
  const std::vector<uint32_t> prompt{5, 6, 5, 6, 5, 6};
  Drafter drafter(drafting, prompt, 8);
  CHECK(std::ranges::equal(drafter.propose(3), std::vector<uint32_t>{5, 6, 5}));
}

TEST("drafts grow while they are accepted and shrink while they are not") {
  const PassCosts costs = costs_of(0.1);
  DraftRecord record;
  const int at_first = record.next_length(costs);
  for (int i = 0; i < 30; i++) record.record(11, 11);
  CHECK_EQUAL(record.next_length(costs), 11);
  CHECK(at_first > 0 && at_first < 11);
  for (int i = 0; i < 30; i++) record.record(11, 1);
  CHECK_EQUAL(record.next_length(costs), 1);
}

TEST("drafts are shorter if each further token of a pass costs more, until there are none") {
  DraftRecord record;
  const int cheap = record.next_length(costs_of(0.05));
  const int dear = record.next_length(costs_of(0.3));
  CHECK(cheap > dear && dear > 0);
  CHECK_EQUAL(record.next_length(costs_of(0.1), 0.2), dear);
  record.next_length(costs_of(0.9));  // the first length is a trial
  CHECK_EQUAL(record.next_length(costs_of(0.9)), 0);
}

TEST("drafting that does not speed up answers stops, across requests too, but for rare trials") {
  Drafting drafting;
  int n_trials = 0, n_drafted = 0;
  for (int request = 0; request < 40; request++) {
    Drafter drafter(drafting, kPrompt, 8);
    for (int i = 0; i < 50; i++) {
      const auto n = static_cast<int>(drafter.propose(11).size());
      drafter.record_outcome(n, 0);
      n_trials += n > 0;
      n_drafted += n;
    }
  }
  CHECK(n_trials < 80);
  CHECK(n_drafted < 150);
  // Once drafts are right again, drafting is resumed.
  Drafter drafter(drafting, kPrompt, 8);
  size_t n = 0;
  for (int i = 0; i < 300; i++) {
    n = drafter.propose(11).size();
    drafter.record_outcome(static_cast<int>(n), static_cast<int>(n));
  }
  CHECK(n > 3);
}

TEST("failures of drafts after short matches do not shorten drafts after longer matches") {
  const PassCosts costs = costs_of(0.3);
  MatchRecords records;
  for (int i = 0; i < 50; i++) records.of(3).record(3, 0);
  records.of(3).next_length(costs);
  CHECK_EQUAL(records.of(3).next_length(costs), 0);
  CHECK(records.of(20).next_length(costs) > 0);
  CHECK(&records.of(16) == &records.of(1000));
}

TEST("the cost of a longer pass is measured") {
  PassCosts costs;
  CHECK_NEAR(costs.relative(11), 2.0, 1e-9);
  costs.record(1, 10);
  costs.record(4, 40);
  costs.record(4, 900);  // an outlier, as when another program took the processor
  costs.record(1, 9.9);
  costs.record(4, 39.6);
  CHECK_NEAR(costs.relative(4), 4.0, 1e-9);
  CHECK_NEAR(costs.relative(2), 4.0, 1e-9);  // at most as much as a longer pass
  CHECK_NEAR(costs.relative(6), 1.5, 1e-9);  // not measured yet
  CHECK_NEAR(costs.relative_ms(4.95), 0.5, 1e-9);
}

TEST("a draft comes from the corpus when the text itself has no match") {
  Drafting drafting;
  drafting.corpus.add(std::vector<uint32_t>{50, 51, 52, 53, 54, 55});
  drafting.corpus.add(std::vector<uint32_t>{90, 1, 2, 3, 70, 71, 72});
  Drafter drafter(drafting, kPrompt, 8);
  CHECK(std::ranges::equal(drafter.propose(3), std::vector<uint32_t>{4, 5, 6}));
  drafter.append(70);  // the corpus has 1, 2, 3, 70
  CHECK(std::ranges::equal(drafter.propose(11), std::vector<uint32_t>{71, 72}));
  for (const uint32_t token : {50, 51, 52, 53}) drafter.append(token);
  CHECK(std::ranges::equal(drafter.propose(1), std::vector<uint32_t>{54}));
}

TEST("a drafter notices that the corpus has changed") {
  Drafting drafting{.corpus = DraftCorpus(32)};
  DraftCorpus& corpus = drafting.corpus;
  const std::vector<uint32_t> prompt{7, 8, 9};
  Drafter drafter(drafting, prompt, 8);
  CHECK(drafter.propose(11).empty());
  corpus.add(std::vector<uint32_t>{7, 8, 9, 10});
  drafter.append(10);
  CHECK(drafter.propose(11).empty());
  const uint64_t before = corpus.generation();
  for (uint32_t i = 0; i < 4; i++)
    corpus.add(std::vector<uint32_t>{100 + i, 7, 8, 9, 10, 60 + i, 61, 62});
  CHECK(corpus.generation() > before);
  CHECK(std::ranges::equal(drafter.propose(3), std::vector<uint32_t>{63, 61, 62}));
}

TEST("a drafter notices that the corpus was rebuilt while a token was computed") {
  Drafting drafting{.corpus = DraftCorpus(64)};
  DraftCorpus& corpus = drafting.corpus;
  for (const uint32_t first : {100, 200, 300, 400}) corpus.add(text(first));  // it is full
  const std::vector<uint32_t> prompt{406, 407, 408, 409};
  Drafter drafter(drafting, prompt, 8);
  drafter.append(410);
  const uint64_t before = corpus.generation();
  corpus.add(text(500));
  CHECK(corpus.generation() > before);
  // The drafter's place in the corpus no longer exists.
  for (const uint32_t token : {411, 412}) drafter.append(token);
  CHECK(std::ranges::equal(drafter.propose(2), std::vector<uint32_t>{413, 414}));
}

TEST("the corpus drops the oldest texts and adds no text twice") {
  Drafting drafting{.corpus = DraftCorpus(64)};
  DraftCorpus& corpus = drafting.corpus;
  const auto has = [&](uint32_t first) {
    const std::vector<uint32_t> prompt{first, first + 1, first + 2, first + 3};
    Drafter drafter(drafting, prompt, 4);
    return !drafter.propose(1).empty();
  };
  for (int i = 0; i < 10; i++) corpus.add(text(100));
  CHECK_EQUAL(corpus.text().tokens().size(), 16u);
  for (uint32_t first : {200, 300, 400, 500}) corpus.add(text(first));
  CHECK(corpus.text().tokens().size() <= 64);
  CHECK(!has(100));
  CHECK(has(400) && has(500));
  std::vector<uint32_t> endless(1000);
  for (uint32_t i = 0; i < 1000; i++) endless[i] = 1000 + i;
  corpus.add(endless);
  CHECK(corpus.text().tokens().size() <= 64);
  CHECK(has(1990) && !has(1000));
}

TEST("wrong drafts from the corpus do not count against drafts from the text itself") {
  Drafting drafting;
  drafting.pass_costs = costs_of(0.3);
  drafting.corpus.add(std::vector<uint32_t>{40, 41, 42, 43, 44, 45, 46});
  const std::vector<uint32_t> fresh{30, 40, 41, 42, 43};
  for (int i = 0; i < 30; i++) {
    Drafter drafter(drafting, fresh, 8);
    drafter.record_outcome(static_cast<int>(drafter.propose(11).size()), 0);
  }
  CHECK(Drafter(drafting, fresh, 8).propose(11).empty());
  CHECK(!Drafter(drafting, kPrompt, 8).propose(11).empty());
}
