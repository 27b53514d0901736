// How long drafts get, and when drafting stops.
#include "drafter.h"

#include <algorithm>
#include <vector>

#include "test.h"

using hearth::Drafter;
using hearth::PassCosts;

namespace {

const std::vector<uint32_t> kPrompt{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 2, 3};

}  // namespace

TEST("a draft is what followed the same three tokens") {
  Drafter drafter(kPrompt, 8);
  const std::span<const uint32_t> draft = drafter.propose(11);
  CHECK(std::ranges::equal(draft, std::vector<uint32_t>{4, 5, 6}));
  CHECK_EQUAL(drafter.propose(2).size(), 2u);
  CHECK(drafter.propose(0).empty());
  drafter.append(99);
  CHECK(drafter.propose(11).empty());
}

TEST("a draft goes on with a period") {
  Drafter drafter(std::vector<uint32_t>{5, 6, 5, 6, 5, 6}, 8);
  CHECK(std::ranges::equal(drafter.propose(3), std::vector<uint32_t>{5, 6, 5}));
}

TEST("drafts grow while they are accepted and shrink when not") {
  const PassCosts costs;
  Drafter drafter(kPrompt, 8);
  drafter.learn(3, 3, costs);
  CHECK_EQUAL(drafter.propose(11).size(), 6u);
  drafter.learn(6, 6, costs);
  CHECK_EQUAL(drafter.propose(11).size(), 11u);
  drafter.learn(11, 2, costs);
  CHECK_EQUAL(drafter.propose(11).size(), 3u);
}

TEST("drafting stops for good when it does not pay") {
  const PassCosts costs;
  Drafter drafter(kPrompt, 8);
  for (int i = 0; i < 4; i++) {
    CHECK(!drafter.propose(11).empty());
    drafter.learn(3, 0, costs);
  }
  CHECK(drafter.propose(11).empty());
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
  Drafter drafter(kPrompt, 8);
  // Three of four tokens for four times the price.
  for (int i = 0; i < 4; i++) drafter.learn(3, 2, costs);
  CHECK(drafter.propose(11).empty());
}
