#include "grading/hints/hints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/source_file.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string hint(const std::string& summary, const std::string& text) {
  return "<details>\n<summary>" + summary + "</summary>\n\n" + text + "\n</details>\n\n";
}

TEST(ParseHints, JoinsParagraphsAndKeepsWhatIsIndented) {
  const HintsByFunction hints = parse_hints(
      "# Stage 1\n\n## Questions\n\n" + hint("An answer", "42") +
          "## Hints\n\nOnly when stuck.\n\n" +
          hint("f: Idea", "One\nparagraph.\n\nAnother.\n\n    code\n      more\nText.") +
          hint("f: Steps", "1. one\n\n2. two") + hint("g: Idea", "x") + "## Pitfalls\n\n" +
          hint("None", "of these"),
      "README.md");
  ASSERT_EQ(hints.size(), 2u);
  EXPECT_THAT(hints.at("f"),
              ElementsAre(Tier{"Idea", "One paragraph.\n\nAnother.\n\n    code\n      more\nText."},
                          Tier{"Steps", "1. one\n\n2. two"}));
  EXPECT_THAT(hints.at("g"), ElementsAre(Tier{"Idea", "x"}));
}

TEST(ParseHints, NamesTheLineThatDoesNotFit) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"## Hints\n<details>\n<summary>Idea</summary>\nx\n</details>\n",
       "a.md:3: the summary of a hint reads 'function: title'"},
      {"## Hints\n<summary>f: Idea</summary>\nx\n<summary>f: Steps</summary>\n",
       "a.md:4: the hint before this one lacks its </details>"},
      {"## Hints\n<summary>f: Idea</summary>\nx\n## Pitfalls\n", "a.md:4: a hint lacks its"},
      {"## Hints\n<details>\nx\n</details>\n", "a.md:4: there is no hint that ends here"},
      {"## Hints\n<summary>f: Idea</summary>\nx\n", "a.md: the last hint lacks its </details>"},
  };
  for (const auto& [text, message] : cases) {
    try {
      parse_hints(text, "a.md");
      ADD_FAILURE() << text;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), StartsWith(message));
    }
  }
}

TEST(ReadHints, SaysThatThereIsNoFile) {
  const ScratchDirectory root;
  EXPECT_THROW(read_hints(root.path(), "01_a"), std::runtime_error);
}

/// The lines of a text without blanks and comments; lines that are then empty or hold punctuation
/// alone are left out.
std::vector<std::string> code_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    line = line.substr(0, line.find("//"));
    std::string code;
    for (const char c : line) {
      if (c != ' ') code += c;
    }
    if (!code.empty() && code.find_first_not_of("{}();") != code.npos) lines.push_back(code);
  }
  return lines;
}

/// Whether two successive lines of a solution follow one another in a hint.
bool quotes_a_run(const std::vector<std::string>& hint, const std::vector<std::string>& solution) {
  for (std::size_t i = 0; i + 1 < solution.size(); ++i) {
    const auto run = solution.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::search(hint.begin(), hint.end(), run, run + 2) != hint.end()) return true;
  }
  return false;
}

TEST(QuotesARun, FindsTwoLinesOfASolutionWhateverTheirBlanks) {
  const auto solution = code_lines("  int a = 1;\n  // why\n  int b = 2;  // so\n}\nint c = 3;\n");
  const struct {
    const char* hint;
    bool quotes;
  } cases[] = {
      {"int a = 1;", false},
      {"int a=1;\n\n    int b = 2;", true},
      {"int a = 1;\nand then\nint b = 2;", false},
      {"int b = 2;\nint c = 3;", true},
  };
  for (const auto& [hint, quotes] : cases) {
    EXPECT_EQ(quotes_a_run(code_lines(hint), solution), quotes) << hint;
  }
}

TEST(Hints, EveryFunctionHasThreeTiersAndNoneGivesTheSolution) {
  for (const StageInfo& stage : stages()) {
    const HintsByFunction hints = read_hints(layout().root, stage.id);
    std::vector<std::string> solution;
    for (const std::string& source : stage.sources) {
      const fs::path file = layout().root / "solutions" / stage.id / source;
      std::ranges::copy(code_lines(text_of(file)), std::back_inserter(solution));
    }
    std::set<std::string> functions;
    for (const auto& [function, tiers] : hints) {
      functions.insert(function);
      ASSERT_GE(tiers.size(), 3u) << function;
      EXPECT_EQ(tiers[0].title, "Idea") << function;
      EXPECT_EQ(tiers[1].title, "Steps") << function;
      EXPECT_EQ(tiers[2].title, "Nearly the code") << function;
      for (const Tier& tier : tiers) {
        EXPECT_GT(tier.text.size(), 80u) << function << ' ' << tier.title;
        EXPECT_FALSE(quotes_a_run(code_lines(tier.text), solution))
            << function << ' ' << tier.title;
      }
    }
    EXPECT_EQ(functions, std::set<std::string>(stage.functions.begin(), stage.functions.end()))
        << stage.id;
  }
}

const StageInfo stage = {"03_c", {"c.cu"}, {"matmul_c", "matmul_c_strided", "dtrsm_32_c"}};

Failure failure(const std::string& test, const std::string& message) {
  Failure failure;
  failure.test = test;
  failure.finding.message = message;
  failure.finding.hint = "look at the edges";
  failure.finding.file = "c.cu";
  failure.finding.line = 3;
  return failure;
}

TEST(FunctionOf, GoesByTheCallOrElseByTheSuite) {
  const struct {
    const char* test;
    const char* message;
    const char* function;
  } cases[] = {
      {"MatmulC.IsRight", "", "matmul_c"},
      {"MatmulCStrided.IsRight", "", "matmul_c_strided"},
      {"DtrsmOf32Rows.IsRight", "", "dtrsm_32_c"},
      {"DtrsmOf32Rows.IsRight", "matmul_c(n=3) is wrong", "matmul_c"},
      {"MatmulC.IsRight", "x = matmul_c_strided(n=3), then matmul_c(n=2)", "matmul_c_strided"},
      {"MatmulC.IsRight", "my_dtrsm_32_c(n=3)", "matmul_c"},
      {"Whatever.IsRight", "", "matmul_c"},
  };
  for (const auto& [test, message, function] : cases) {
    EXPECT_EQ(function_of(failure(test, message), stage), function) << test << ' ' << message;
  }
}

TEST(CallIn, IsTheFirstContractCall) {
  EXPECT_EQ(call_in("matmul_c(n=37, tile=16): C[3][4] is (wrong)", stage),
            "matmul_c(n=37, tile=16)");
  EXPECT_EQ(call_in("nothing here (n=3)", stage), "");
}

/// A course with one stage, in whose file a student has written something.
class NextHint : public testing::Test {
 protected:
  NextHint() { write("one\ntwo\nthree \033[31m\nfour\nfive\nsix\n"); }

  void write(const std::string& text) {
    fs::create_directories(root_.path() / "labs" / stage.id);
    std::ofstream(root_.path() / "labs" / stage.id / "c.cu") << text;
  }
  Hint next() { return next_hint(root_.path(), stage, hints_, progress_); }

  ScratchDirectory root_;
  HintsByFunction hints_ = {{"matmul_c", {{"Idea", "think"}, {"Steps", "do"}}},
                            {"matmul_c_strided", {{"Idea", "think twice"}}}};
  StageProgress progress_;
};

TEST_F(NextHint, BeginsWithTheFailureAndThenTellsMoreEachTime) {
  progress_.last_failure = failure("MatmulC.IsRight", "matmul_c(n=37): C[0][0] is 1, expected 2");
  const Hint aimed = next();
  EXPECT_EQ(aimed.title, "MatmulC.IsRight failed");
  EXPECT_THAT(aimed.text,
              AllOf(HasSubstr("labs/03_c/c.cu:3\n"), HasSubstr(" >    3  three \\x1b[31m\n"),
                    HasSubstr("      1  one\n"), HasSubstr("5  five\n"), Not(HasSubstr("six")),
                    HasSubstr("C[0][0] is 1, expected 2"), HasSubstr("Next: look at the edges"),
                    HasSubstr("./lab debug 03_c")));
  EXPECT_EQ(next().title, "matmul_c, hint 1 of 2: Idea");
  EXPECT_EQ(next().title, "matmul_c, hint 2 of 2: Steps");
  for (int again = 0; again < 2; ++again) {
    const Hint last = next();
    EXPECT_EQ(last.title, "matmul_c: there are no more hints");
    EXPECT_THAT(last.text,
                AllOf(HasSubstr("solutions/03_c/c.cu"), HasSubstr("solutions/03_c/NOTES.md")));
  }
}

TEST_F(NextHint, IsAimedAgainAfterAnotherFailureOnly) {
  progress_.last_failure = failure("MatmulC.IsRight", "matmul_c(n=37): C[0][0] is 1, expected 2");
  next();
  progress_.last_failure->finding.message = "matmul_c(n=38): C[5][7] is 3, expected 4";
  EXPECT_EQ(next().title, "matmul_c, hint 1 of 2: Idea") << "the same failure, other numbers";
  progress_.last_failure = failure("MatmulCStrided.IsFreeOfRaces", "a race");
  EXPECT_EQ(next().title, "MatmulCStrided.IsFreeOfRaces failed");
  EXPECT_EQ(next().title, "matmul_c_strided, hint 1 of 1: Idea");
  progress_.last_failure = failure("MatmulC.IsRight", "matmul_c(n=37): C[0][0] is 1, expected 2");
  EXPECT_EQ(next().title, "MatmulC.IsRight failed");
  EXPECT_EQ(next().title, "matmul_c, hint 2 of 2: Steps") << "what was shown is not shown again";
}

TEST_F(NextHint, LeavesTheQuotationToTheCompiler) {
  progress_.last_failure = failure("MatmulC.IsRight", "c.cu:3:1: error: expected ';'");
  progress_.last_failure->status = Status::error;
  const Hint hint = next();
  EXPECT_EQ(hint.title, "03_c could not be graded");
  EXPECT_THAT(hint.text, AllOf(HasSubstr("expected ';'"), Not(HasSubstr("three"))));
}

TEST_F(NextHint, SaysWhatIsStillToBeWritten) {
  write("x\n  // TODO(lab): (further on) more (3 lines)\n  // TODO(lab): sum it up (7 lines)\n");
  progress_.last_failure = failure("MatmulC.IsRight", "never written");
  EXPECT_THAT(next().text,
              HasSubstr("Still to be written: labs/03_c/c.cu:3: TODO(lab): sum it up (7 lines)"));
}

TEST_F(NextHint, NamesTheToolThatShowsMore) {
  const struct {
    Category category;
    const char* message;
    const char* command;
  } cases[] = {
      {Category::safety, "a race", "./lab debug 03_c"},
      {Category::memory, "matmul_c(n=64, tile=8) loads twice",
       "./lab profile 03_c --call 'matmul_c(n=64, tile=8)'"},
      {Category::memory, "loads twice", "./lab profile 03_c --call 'matmul_c(...)'"},
      {Category::performance, "too slow", "./lab bench 03_c"},
  };
  for (const auto& [category, message, command] : cases) {
    StageProgress progress;
    progress.last_failure = failure("MatmulC.Fails", message);
    progress.last_failure->category = category;
    EXPECT_THAT(next_hint(root_.path(), stage, hints_, progress).text, HasSubstr(command));
  }
}

TEST_F(NextHint, WithoutAFailureGoesThroughTheFunctions) {
  EXPECT_EQ(next().title, "matmul_c, hint 1 of 2: Idea");
  EXPECT_EQ(next().title, "matmul_c, hint 2 of 2: Steps");
  EXPECT_EQ(next().title, "matmul_c_strided, hint 1 of 1: Idea");
  EXPECT_EQ(next().title, "dtrsm_32_c: there are no more hints");
}

TEST_F(NextHint, IsNotNeededOnceTheStageHasPassed) {
  progress_.status = Status::passed;
  const Hint hint = next();
  EXPECT_EQ(hint.title, "03_c has passed");
  EXPECT_THAT(hint.text, AllOf(HasSubstr("solutions/03_c/NOTES.md"), HasSubstr("./lab next")));
  EXPECT_EQ(progress_.hints, HintsShown{}) << "nothing was given away";
}

TEST_F(NextHint, TakesAnyNumberThatTheFileMayHold) {
  for (const int shown : {-5, 1'000'000}) {
    progress_.hints.tiers["matmul_c"] = shown;
    EXPECT_FALSE(next().title.empty());
  }
}

}  // namespace
}  // namespace tilewise::grading
