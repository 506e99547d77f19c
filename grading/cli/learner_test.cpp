#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/base/test/matches.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/test/temporary_submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"
#include "grading/results/files.hpp"

// Tests what a learner types, on a course of their own.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Runs a command that must end with the given status, and returns what it says.
std::string said(const TemporaryCourse& course, std::vector<std::string> arguments,
                 int status = 0) {
  const CommandResult run = course.tilewise(std::move(arguments));
  EXPECT_EQ(run.status, status) << run.output;
  return run.output;
}

TEST(Learner, IsLedFromTheFirstStageToTheSecond) {
  const TemporaryCourse course;
  EXPECT_THAT(said(course, {}), StartsWith("Welcome"));

  std::string text = said(course, {"grade", "1", "--backend", "simt", "--seed", "7"}, 1);
  EXPECT_THAT(text, HasSubstr("Stuck? ./lab hint\n"));
  const auto failure = progress_of(read_progress(course.root()), "01_single_block").last_failure;
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->test, "MatmulSingleBlock.IsRightWhenTheBlockDividesN");
  EXPECT_EQ(failure->seed, 7u);

  EXPECT_THAT(said(course, {}), AllOf(HasSubstr("failed  MatmulSingleBlock.IsRight"),
                                      HasSubstr("edit    labs/01_single_block/")));
  text = said(course, {"hint"});
  EXPECT_THAT(text, AllOf(StartsWith("MatmulSingleBlock.IsRightWhenTheBlockDividesN failed\n"),
                          HasSubstr("Still to be written: labs/01_single_block/")));
  EXPECT_THAT(said(course, {"hint", "1"}), StartsWith("matmul_single_block, hint 1 of 3: Idea"));
  EXPECT_THAT(said(course, {"hint"}), StartsWith("matmul_single_block, hint 2 of 3: Steps"));

  course.solve("01_single_block");
  text = said(course, {"grade", "1", "--backend", "simt"});
  EXPECT_THAT(text, HasSubstr("What comes next: ./lab next\n"));
  EXPECT_THAT(said(course, {"status"}),
              AllOf(HasSubstr("> 01_single_block        10/10  passed"),
                    HasSubstr(" GFLOPS on gtx1080 (modelled)"),
                    HasSubstr("1 of " + std::to_string(stages().size()) + " passed")));
  EXPECT_THAT(said(course, {"next"}), AllOf(HasSubstr("labs/02_multi_block_grid/README.md"),
                                            Not(HasSubstr("has not passed"))));
  EXPECT_EQ(read_progress(course.root()).current, "02_multi_block_grid");

  // Beginning a stage anew keeps the record and the work.
  text = said(course, {"reset", "1"});
  const auto backup = core::matches_of(text, "what it held is in (.*)\n");
  ASSERT_EQ(backup.size(), 1u) << text;
  const std::string source = "matmul_single_block.cu";
  EXPECT_EQ(text_of(course.root() / backup[0][1]),
            text_of(layout().root / "solutions/01_single_block" / source));
  EXPECT_THAT(text_of(course.lab("01_single_block", source)), HasSubstr("TODO(lab)"));
  EXPECT_THAT(said(course, {"status"}),
              HasSubstr("> 01_single_block         0/10  not graded yet  "));
}

TEST(Learner, IsSpokenToInTheirLanguage) {
  const TemporaryCourse course;
  setenv("TILEWISE_LANGUAGE", "es", 1);
  const std::string welcome = said(course, {});
  const std::string graded = said(course, {"grade", "1", "--backend", "simt", "--seed", "7"}, 1);
  const std::string aimed = said(course, {"hint"});
  const std::string hint = said(course, {"hint"});
  const fs::path result = course.root() / "result.json";
  const std::string for_programs = said(
      course, {"grade", "1", "--backend", "simt", "--seed", "7", "--json", result.string()}, 1);
  const std::string profile = said(
      course, {"profile", "1", "--solutions", "--call", "matmul_single_block(n=32, block=8x8)"});
  const std::string occupancy = said(course, {"occupancy", "--block", "32x32"});
  const std::string refusal = said(course, {"profile", "1", "--nothing"}, 2);
  unsetenv("TILEWISE_LANGUAGE");

  EXPECT_THAT(welcome, HasSubstr("lee      labs/01_single_block/README.es.md"));
  EXPECT_THAT(graded, AllOf(HasSubstr("C[0][0] nunca se escribió; se esperaba"),
                            HasSubstr("Siguiente paso: Comprueba que el kernel se lanza")));
  EXPECT_THAT(aimed, HasSubstr("Queda por escribir: labs/01_single_block/"));
  EXPECT_THAT(hint, AllOf(StartsWith("matmul_single_block, pista 1 de 3: Idea"),
                          HasSubstr("Hay un solo bloque, y C suele ser mayor que él.")));
  EXPECT_THAT(for_programs, HasSubstr("C[0][0] was never written, expected"));
  EXPECT_THAT(profile, AllOf(HasSubstr("malla 1x1, bloque 8x8"), HasSubstr("global loads")));
  EXPECT_THAT(occupancy, HasSubstr("activos en un SM   2 bloques, 64 de 64 warps"));
  EXPECT_THAT(refusal, AllOf(HasSubstr("--call"), HasSubstr("Con --help verás más.")));
  EXPECT_THAT(text_of(result), HasSubstr("\"status\": \"failed\""));
}

/// Runs `tilewise predict` with these lines for answers.
CommandResult predict(const TemporaryCourse& course, const std::string& arguments,
                      const std::string& answers) {
  Command command;
  command.arguments = {
      "sh", "-c",
      "printf '" + answers + "' | '" + tool("tilewise").string() + "' predict " + arguments};
  command.environment = {{"TILEWISE_ROOT", course.root()}};
  command.time_limit_s = 120;
  return run_command(std::move(command));
}

TEST(Learner, PredictsAndSeesTheCountBeside) {
  const TemporaryCourse course;
  const fs::path json = course.root() / "predictions.json";
  CommandResult run = predict(course, "3 --json " + json.string(), "32\\n\\nFP32 arithmetic\\n");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(
      run.output,
      AllOf(HasSubstr("Of the solution, as your own files have a TODO(lab) left"),
            HasSubstr("1. 8 times what is counted."), HasSubstr("3. Not what is counted.")));
  const auto kept = [&] {
    return progress_of(read_progress(course.root()), "03_shared_memory").predictions;
  };
  ASSERT_EQ(kept().size(), 2u);  // an answer that was left out is not kept
  EXPECT_EQ(kept()[0].predicted, "32");
  EXPECT_EQ(kept()[0].counted, "4");
  EXPECT_TRUE(kept()[0].of_solution);
  const auto document = nlohmann::json::parse(text_of(json));
  EXPECT_EQ(document.at("schema"), "tilewise/predictions/v1");
  EXPECT_EQ(document.at("predictions").size(), 3u);
  EXPECT_EQ(document["predictions"][2]["counted"], "shared wavefronts");

  // A learner who asks for a solution's count learns it, and nothing of it is kept.
  run = predict(course, "3 --solutions", "4\\n1\\n3\\n");
  EXPECT_THAT(run.output, AllOf(HasSubstr("\nOf the solution:\n"), HasSubstr("1. As counted.")));
  EXPECT_EQ(kept()[0].predicted, "32");

  course.solve("03_shared_memory");
  run = predict(course, "3", "4\\n1\\n3\\n");
  EXPECT_THAT(run.output, HasSubstr("\nOf your kernels:\n"));
  ASSERT_EQ(kept().size(), 3u);
  EXPECT_EQ(kept()[0].predicted, "32") << "the first prediction is the one that teaches";
  EXPECT_FALSE(kept()[0].of_solution);
}

TEST(Learner, IsAskedNothingTwiceAndKeepsNothingWhereAnswersEnd) {
  const TemporaryCourse course;
  const struct {
    const char* answers;
    const char* message;
  } cases[] = {{"", "the answers end here, so nothing was counted and nothing is kept"},
               {"4\\n", "the answers end here"},
               {"4\\nmany\\n1\\n", "'many' is no answer to this: type a number, such as 4 or 1/8"},
               {"4\\n1\\n9\\n", "'9' is no answer to this: type a number from 1 to 4"}};
  for (const auto& [answers, message] : cases) {
    const CommandResult run = predict(course, "3", answers);
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.output, HasSubstr(message));
  }
  EXPECT_FALSE(fs::exists(progress_file(course.root())));
}

TEST(Learner, IsRemindedOfOffsetsThatOverflowAtNoCost) {
  const TemporaryCourse course;
  course.solve("02_multi_block_grid");
  const fs::path file = course.lab("02_multi_block_grid", "matmul_grid.cu");
  std::string text = text_of(file);
  const std::string wide = "A + std::size_t(row) * n";
  ASSERT_NE(text.find(wide), text.npos);
  std::ofstream(file) << text.replace(text.find(wide), wide.size(), "A + row * n");
  EXPECT_THAT(said(course, {"grade", "2", "--backend", "simt"}),
              AllOf(HasSubstr("Remark, which costs nothing: "), HasSubstr("row * n is an int"),
                    HasSubstr("10/10  passed")));
}

TEST(Learner, KeepsTheProgressOfOnesOwnKernelsOnly) {
  const TemporaryCourse course;
  // Code that does not compile is graded soonest.
  for (const char* folder : {"labs", "solutions"}) {
    std::ofstream(course.root() / folder / "01_single_block/matmul_single_block.cu") << "int x = 1";
  }
  said(course, {"grade", "1", "--solutions", "--backend", "simt"}, 1);
  said(course, {"grade", "1", "--submission", course.root(), "--backend", "simt"}, 1);
  EXPECT_FALSE(fs::exists(progress_file(course.root())));
}

TEST(Learner, IsToldThatTheProgressIsDamaged) {
  const TemporaryCourse course;
  std::ofstream(progress_file(course.root())) << "{";
  const std::vector<std::string> cases[] = {{},       {"status"},     {"next"},
                                            {"hint"}, {"reset", "1"}, {"grade", "1"}};
  for (const auto& arguments : cases) {
    EXPECT_THAT(said(course, arguments, 2),
                AllOf(StartsWith("tilewise: "), HasSubstr("progress.json is damaged"),
                      HasSubstr("Move it away")));
  }
  EXPECT_EQ(text_of(progress_file(course.root())), "{");
  said(course, {"list"});  // scripts need no progress
}

TEST(Learner, IsToldWhatIsWrongWithACommand) {
  const TemporaryCourse course;
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{"hint", "99"}, "there is no stage '99'"},
      {{"reset"}, "STAGE is required"},
      {{"reset", "99"}, "there is no stage '99'"},
      {{"next", "3"}, "3"},
      {{"watch", "99"}, "watch needs a terminal to draw on; without one use ./lab grade"},
  };
  for (const auto& [arguments, message] : cases) {
    EXPECT_THAT(said(course, arguments, 2), HasSubstr(message));
  }
}

TEST(List, IsForScriptsInAPipe) {
  const TemporaryCourse course;
  std::istringstream lines(said(course, {"list"}));
  std::size_t count = 0;
  for (std::string id, rest; lines >> id && std::getline(lines, rest); ++count) {
    ASSERT_LT(count, stages().size());
    EXPECT_EQ(id, stages()[count].id);
  }
  EXPECT_EQ(count, stages().size());
}

}  // namespace
}  // namespace tilewise::grading
