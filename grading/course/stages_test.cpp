#include "grading/course/stages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "common/process/sandbox.hpp"

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A course whose drawers hold a stage.json.
class Stages : public testing::Test {
 protected:
  void put(const std::string& id, const std::string& text) {
    std::filesystem::create_directories(drawer_of(root_.path(), id));
    std::ofstream(stage_file(root_.path(), id)) << text;
  }

  ScratchDirectory root_;
};

TEST_F(Stages, AreTheFoldersWithAStageFileInOrder) {
  put("02_b", R"({"functions": [{"name": "f", "source": "f.cu"}, {"name": "g", "source": "g.cu"},
                                {"name": "h", "source": "f.cu"}]})");
  put("01_a", R"({"functions": [{"name": "a", "source": "a.cu"}]})");
  std::filesystem::create_directories(drawer_of(root_.path(), "no_stage"));
  const std::vector<StageInfo> found = read_stages(root_.path());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].id, "01_a");
  EXPECT_EQ(found[1].id, "02_b");
  EXPECT_THAT(found[1].functions, ElementsAre("f", "g", "h"));
  EXPECT_THAT(found[1].sources, ElementsAre("f.cu", "g.cu"));
}

TEST_F(Stages, AreSimulatedOnACardThatHasWhatTheyNeed) {
  put("01_any", R"({"functions": [{"name": "f", "source": "f.cu"}]})");
  put("02_new", R"({"compute_capability": "8.0", "functions": [{"name": "g", "source": "g.cu"}]})");
  const std::vector<StageInfo> found = read_stages(root_.path());
  const auto card = [&](std::size_t stage, const char* gpu) {
    return simulated_gpu(found.at(stage), core::gpu_profile(gpu)).id;
  };
  EXPECT_EQ(card(0, "gtx280"), "gtx280");
  EXPECT_EQ(card(1, "gtx1080"), "h200");
  EXPECT_EQ(card(1, "t4"), "h200");
  EXPECT_EQ(card(1, "a100"), "a100");
}

TEST_F(Stages, SayWhichFileLacksWhat) {
  const std::pair<const char*, const char*> cases[] = {
      {"{", "parse error"},
      {"{}", "'functions' not found"},
      {R"({"functions": []})", "one function or more"},
      {R"({"functions": [{"name": "f"}]})", "'source' not found"},
      {R"({"compute_capability": "8", "functions": [{"name": "f", "source": "f.cu"}]})",
       "compute capability"},
  };
  for (const auto& [text, message] : cases) {
    put("01_a", text);
    EXPECT_THAT(
        [&] { read_stages(root_.path()); },
        ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("01_a/stage.json"), HasSubstr(message))));
  }
}

TEST_F(Stages, HaveAFileThatCanBeRead) {
  EXPECT_THAT([&] { read_stage_file(root_.path(), "01_none"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cannot read")));
}

}  // namespace
}  // namespace tilewise::grading
