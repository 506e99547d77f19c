#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/results/files.hpp"

// Tests the commands of a whole term.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A class in which nothing can be graded, so that everything but grading is quick to try.
class WholeClass : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(in() / "doejane");
    put(in() / "roem_1001_2001_matmul_shared.zip", "no archive");
    put(file("roster.csv"),
        "name,id,email\nJane Doe,A1,jane@example.org\nMax Roe,A2,roem\nGus Poe,A3,\n");
    put(file("points.csv"), "student,stage,points,comment\nA1,3,7.5,shown in class\n");
    put(file("deadlines.json"), R"({"due": "2026-11-20", "percent_per_late_day": 10})");
  }

  fs::path file(const std::string& name) const { return scratch_.path() / name; }
  fs::path in() const { return file("in"); }

  static void put(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  static CommandResult run(std::vector<std::string> arguments,
                           std::vector<std::pair<std::string, std::string>> environment = {}) {
    Command command;
    command.arguments = {tool("tilewise"), "cohort"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = std::move(environment);
    return run_command(command);
  }

  CommandResult grade(const fs::path& out, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"grade",
                                          in(),
                                          "3",
                                          "--out",
                                          out,
                                          "--backend",
                                          "simt",
                                          "--roster",
                                          file("roster.csv"),
                                          "--points",
                                          file("points.csv"),
                                          "--deadlines",
                                          file("deadlines.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(std::move(arguments));
  }

  ScratchDirectory scratch_;
};

TEST_F(WholeClass, IsThatOfTheRoster) {
  const CommandResult shown = run({"intake", in(), "--roster", file("roster.csv")});
  EXPECT_THAT(shown.output, AllOf(HasSubstr("doejane, on the roster Jane Doe\n"),
                                  HasSubstr("Gus Poe: nothing handed in\n")));
  const fs::path out = file("stage 3");
  const CommandResult graded = grade(out);
  EXPECT_EQ(graded.status, 3) << "Max has no points" << graded.output;
  EXPECT_THAT(graded.output, HasSubstr("0 graded, 2 not; 1 of the roster handed in nothing"));
  const std::string book = text_of(out / "gradebook.csv");
  EXPECT_THAT(book, HasSubstr("\r\nGus Poe,missing,,,,,,,,A3,"));
  EXPECT_THAT(book, HasSubstr("\r\nJane Doe,by hand,7.5,10,7.5,it holds no"));
  EXPECT_THAT(
      book,
      HasSubstr(
          "\r\nMax Roe,not graded,,,,matmul_shared.zip: it is neither a folder nor an archive"));
  EXPECT_THAT(
      text_of(out / "moodle.csv"),
      HasSubstr("\r\nJane Doe,A1,jane@example.org,7.5,03_shared_memory: shown in class\r\n"));
  EXPECT_THAT(text_of(out / "canvas.csv"), HasSubstr(",Section,stage 3\r\n"));
  EXPECT_THAT(text_of(out / "feedback" / "Jane Doe.txt"), HasSubstr("7.5 points: shown in class"));

  const CommandResult merged = run({"merge", file("term"), out});
  EXPECT_EQ(merged.status, 0) << merged.output;
  EXPECT_THAT(text_of(file("term") / "term.csv"),
              HasSubstr("Jane Doe,A1,jane@example.org,7.5,7.5"));
}

TEST_F(WholeClass, LeavesNoNamesWhereItHasPseudonyms) {
  const fs::path out = file("out"), key = file("secret") / "key.csv";
  fs::create_directories(key.parent_path());
  const CommandResult inside = grade(out, {"--pseudonyms", out / "key.csv"});
  EXPECT_EQ(inside.status, 2);
  EXPECT_THAT(inside.output, HasSubstr("name one elsewhere"));

  std::string book;
  for (const char* time : {"once", "again"}) {
    const CommandResult graded = grade(out, {"--pseudonyms", key});
    EXPECT_EQ(graded.status, 3) << time << graded.output;
    EXPECT_EQ(text_of(out / "gradebook.csv"), book.empty() ? text_of(out / "gradebook.csv") : book);
    book = text_of(out / "gradebook.csv");
  }
  EXPECT_THAT(book, HasSubstr("it holds no labs/NN_topic/*.cu")) << "what was said is whole";
  for (const auto& item : fs::recursive_directory_iterator(out)) {
    const std::string text =
        item.path().filename().string() + (item.is_regular_file() ? text_of(item.path()) : "");
    for (const char* secret :
         {"Jane", "Doe", "doejane", "Max", "roem", "Gus", "A1", "A2", "example.org", "1001"}) {
      EXPECT_THAT(text, Not(HasSubstr(secret))) << item.path();
    }
  }
  EXPECT_THAT(text_of(key), AllOf(HasSubstr(",Jane Doe\r\n"), HasSubstr(",Gus Poe\r\n")));
  EXPECT_THAT(text_of(key.parent_path() / "key_out_moodle.csv"),
              HasSubstr("\r\nJane Doe,A1,jane@example.org,7.5,"));
  EXPECT_EQ(grade(out).status, 2) << "names and pseudonyms do not mix";
}

TEST_F(WholeClass, IsComparedByWhatIsInstalled) {
  ASSERT_EQ(grade(file("out")).status, 3);
  put(file("out") / "submissions/doejane/labs/03_shared_memory/matmul_shared.cu", "kernel");
  const auto similarity = [&] {
    return run({"similarity", file("out")}, {{"PATH", file("bin").string() + ":/bin"}});
  };
  const CommandResult none = similarity();
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.output, HasSubstr("npm install --global @dodona/dolos"));

  const auto stand_in = [&](const std::string& program) {
    const fs::path script = file("bin") / program;
    put(script, "#!/bin/sh\n[ \"$1\" = --version ] || echo " + program + " \"$@\" >\"" +
                    file(program + ".log").string() + "\"\n");
    fs::permissions(script, fs::perms::owner_all);
  };
  stand_in("dolos");
  EXPECT_EQ(similarity().status, 0);
  EXPECT_THAT(text_of(file("dolos.log")),
              AllOf(HasSubstr("dolos run --language cpp --output-format csv --ignore"),
                    HasSubstr("/labs/03_shared_memory/matmul_shared.cu --output-destination"),
                    HasSubstr("/solutions/03_shared_memory/matmul_shared.cu"),
                    HasSubstr("/submissions/doejane/labs/03_shared_memory/matmul_shared.cu")));
  stand_in("jplag");
  EXPECT_EQ(similarity().status, 0);
  EXPECT_THAT(
      text_of(file("jplag.log")),
      AllOf(HasSubstr("jplag --language cpp --suffixes .cu --base-code"),
            HasSubstr("--mode RUN --overwrite --result-file"), HasSubstr("/out/submissions")));
  EXPECT_EQ(run({"similarity", in()}).status, 2) << "nothing was graded there";
}

TEST_F(WholeClass, HasARubricThatCanBeKeptTo) {
  const CommandResult right = run({"rubric"});
  EXPECT_EQ(right.status, 0) << right.output;
  EXPECT_THAT(right.output, HasSubstr("points in all"));

  const std::string place = "grading/stages/03_shared_memory/stage.json";
  const std::string own = text_of(layout().root / place);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = own;
    changed.replace(changed.find(from), from.size(), to);
    put(file("course") / place, changed);
    put(file("course") / "lab", "");
    fs::create_directories(file("course") / "labs");
    return run({"rubric"}, {{"TILEWISE_ROOT", file("course")}});
  };
  const CommandResult misspelt = with("MatmulShared.IsFreeOfRaces", "MatmulShared.IsFreOfRaces");
  EXPECT_EQ(misspelt.status, 2);
  EXPECT_THAT(misspelt.output, AllOf(HasSubstr("the grader has no test MatmulShared.IsFreOfRaces"),
                                     HasSubstr("not listed are MatmulShared.IsFreeOfRaces")));
  EXPECT_THAT(with("\"tests\"", "\"testes\"").output, HasSubstr("'testes' is none of"));
  const CommandResult worth_more = with("\"points\": ", "\"points\": 9");
  EXPECT_EQ(worth_more.status, 0) << worth_more.output;
  EXPECT_THAT(worth_more.output, HasSubstr("100 points in all")) << "any sum will do";
}

}  // namespace
}  // namespace tilewise::grading
