#include "grading/cli/stage_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilewise::grading {
namespace {

using testing::HasSubstr;

const std::vector<StageInfo> known = {
    {"01_single_block", {}, {}}, {"03_shared_memory", {}, {}}, {"10_last", {}, {}}};

std::vector<std::string> chosen(const std::vector<std::string>& words) {
  std::vector<std::string> ids;
  for (const StageInfo& stage : choose_stages(words, known)) ids.push_back(stage.id);
  return ids;
}

TEST(ChooseStages, TakesIdNumberAndTopic) {
  using Ids = std::vector<std::string>;
  const struct {
    std::vector<std::string> words;
    Ids ids;
  } cases[] = {
      {{}, {"01_single_block", "03_shared_memory", "10_last"}},
      {{"03_shared_memory"}, {"03_shared_memory"}},
      {{"03"}, {"03_shared_memory"}},
      {{"3"}, {"03_shared_memory"}},
      {{"10"}, {"10_last"}},
      {{"shared_memory"}, {"03_shared_memory"}},
      {{"10", "1"}, {"10_last", "01_single_block"}},
      {{"3", "03", "shared_memory"}, {"03_shared_memory"}},
  };
  for (const auto& [words, ids] : cases) EXPECT_EQ(chosen(words), ids);
}

TEST(ChooseStages, ListsTheStagesForAnUnknownOne) {
  for (const char* word : {"", "0", "4", "shared", "03_", "03_shared_memory/", "-3", "3\033[2J"}) {
    try {
      choose_stages({word}, known);
      ADD_FAILURE() << word;
    } catch (const CannotGrade& error) {
      EXPECT_THAT(error.what(), HasSubstr("01_single_block, 03_shared_memory, 10_last"));
      EXPECT_THAT(error.what(), testing::Not(HasSubstr("\033")));
    }
  }
}

}  // namespace
}  // namespace tilewise::grading
