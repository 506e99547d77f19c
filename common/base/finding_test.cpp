#include "common/base/finding.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tilewise::core {
namespace {

using Json = nlohmann::json;

TEST(FindingJson, ReadsWhatItWrote) {
  const Finding race{.kind = "race",
                     .message = "two threads meet",
                     .file = "a.cu",
                     .line = 12,
                     .other_file = "b.hpp",
                     .other_line = 9,
                     .place = ThreadOfGrid{{1, 0, 0}, {2, 3, 0}},
                     .array = "As",
                     .bracket = 2};
  const Finding wrong{.message = "C[2][1] is 0",
                      .hint = "look",
                      .call = "f(n=3)",
                      .matrix = "C",
                      .row = 2,
                      .col = 1};
  for (const Finding& finding : {Finding{}, race, wrong}) {
    EXPECT_EQ(Json(finding).get<Finding>(), finding) << Json(finding);
  }
}

TEST(FindingJson, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(
      Json(Finding{.message = "it failed"}).dump(),
      R"({"file":"","kind":"","line":0,"message":"it failed","other_file":"","other_line":0})");
}

TEST(FindingJson, RefusesWhatIsNoFinding) {
  Json whole = Finding{
      .hint = "look", .place = ThreadOfGrid{}, .call = "f(n=3)", .array = "A", .matrix = "C"};
  for (const auto& [key, value] : whole.items()) {
    for (const Json& wrong : {Json(-1), Json(true), Json({1, 2}), Json(nullptr)}) {
      Json changed = whole;
      changed[key] = wrong;
      EXPECT_THROW(changed.get<Finding>(), std::runtime_error) << changed;
    }
  }
  whole.erase("message");
  EXPECT_THROW(whole.get<Finding>(), std::runtime_error);
}

}  // namespace
}  // namespace tilewise::core
