#include "grading/autograder/autograder.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/submission.hpp"

// These tests check the archive, and run its scripts in folders like Gradescope's. The course is
// not built again there.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* stage = "03_shared_memory";
constexpr const char* source = "matmul_shared.cu";

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

void unpack(const fs::path& zip, const fs::path& to) {
  archive* reader = archive_read_new();
  archive_read_support_format_zip(reader);
  ASSERT_EQ(archive_read_open_filename(reader, zip.c_str(), 1 << 16), ARCHIVE_OK);
  archive_entry* entry = nullptr;
  while (archive_read_next_header(reader, &entry) == ARCHIVE_OK) {
    const fs::path path = to / archive_entry_pathname(entry);
    archive_entry_set_pathname(entry, path.c_str());
    ASSERT_EQ(archive_read_extract(reader, entry, ARCHIVE_EXTRACT_PERM), ARCHIVE_OK) << path;
  }
  archive_read_free(reader);
}

bool is_executable(const fs::path& file) {
  return (fs::status(file).permissions() & fs::perms::others_exec) != fs::perms::none;
}

/// Checks a results.json against Gradescope's specification.
void demand_valid(const Json& results) {
  const std::set<std::string> visibilities = {"hidden", "after_due_date", "after_published",
                                              "visible"};
  EXPECT_TRUE(results.at("score").is_number());
  EXPECT_TRUE(results.at("output").is_string());
  EXPECT_TRUE(visibilities.contains(results.at("visibility")));
  EXPECT_EQ(results.at("stdout_visibility"), "hidden");
  double score = 0;
  for (const Json& test : results.at("tests")) {
    EXPECT_TRUE(test.at("name").is_string());
    EXPECT_TRUE(test.at("output").is_string());
    EXPECT_TRUE(visibilities.contains(test.at("visibility")));
    EXPECT_LE(test.at("score"), test.at("max_score"));
    score += test.at("score").get<double>();
  }
  EXPECT_EQ(score, results.at("score").get<double>());
}

class AutograderTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new ScratchDirectory;
    // As on Gradescope, users other than root may read the folder.
    fs::permissions(scratch_->path(), fs::perms(0755));
    write_autograder({.stages = {"3"}}, zip());
    unpack(zip(), root() / "source");
    // These links take the place of setup.sh.
    fs::create_directories(course() / "build" / "simt");
    fs::create_directory_symlink(layout().build / "bin", course() / "build" / "simt" / "bin");
  }
  static void TearDownTestSuite() { delete scratch_; }

  void SetUp() override {
    fs::remove_all(root() / "submission");
    fs::remove_all(root() / "results");
    fs::create_directories(root() / "submission");
    fs::create_directories(root() / "results");
  }

  static fs::path zip() { return scratch_->path() / "autograder.zip"; }
  static fs::path root() { return scratch_->path() / "autograder"; }
  static fs::path course() { return root() / "source" / "course"; }
  static fs::path results() { return root() / "results" / "results.json"; }

  CommandResult run_autograder() const {
    Command command;
    command.arguments = {root() / "source" / "run_autograder"};
    command.environment = {{"AUTOGRADER_ROOT", root()}};
    return run_command(command);
  }

  static ScratchDirectory* scratch_;
};
ScratchDirectory* AutograderTest::scratch_ = nullptr;

TEST_F(AutograderTest, HoldsWhatItTakes) {
  for (const char* script : {"setup.sh", "run_autograder", "course/lab"}) {
    EXPECT_TRUE(is_executable(root() / "source" / script)) << script;
  }
  const fs::path kernel = fs::path("solutions") / stage / source;
  EXPECT_EQ(text_of(course() / kernel), text_of(layout().root / kernel));
  EXPECT_FALSE(is_executable(course() / kernel));
  EXPECT_EQ(text_of(root() / "source" / "grade_arguments"), "--gpu\ngtx1080\n03_shared_memory\n");
  const fs::path again = scratch_->path() / "again.zip";
  write_autograder({.stages = {"3"}}, again);
  EXPECT_TRUE(text_of(again) == text_of(zip())) << "the same course, the same archive";
}

TEST_F(AutograderTest, GradesForACardThatTheCourseDoesNotHave) {
  auto card = core::card_document(core::gpu_profile("gtx1080"));
  card["mine"] = card["gtx1080"];
  card.erase("gtx1080");
  const fs::path folder = scratch_->path() / "with_card";
  put(folder / "any_name.json", card.dump());
  write_autograder({.stages = {"3"}, .gpu = folder / "any_name.json"}, folder / "autograder.zip");
  unpack(folder / "autograder.zip", folder / "source");
  const fs::path source_folder = root() / "source";
  const std::string arguments = text_of(source_folder / "grade_arguments");
  for (const char* file : {"grade_arguments", "card.json"}) {
    fs::copy_file(folder / "source" / file, source_folder / file,
                  fs::copy_options::overwrite_existing);
  }
  put(root() / "submission" / source, text_of(layout().root / "solutions" / stage / source));
  const CommandResult run = run_autograder();
  put(source_folder / "grade_arguments", arguments);
  fs::remove(source_folder / "card.json");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(Json::parse(text_of(results()))["output"].get<std::string>(),
              HasSubstr("Graded on mine"));
}

TEST_F(AutograderTest, GradesWhateverIsHandedIn) {
  const std::string solution = text_of(layout().root / "solutions" / stage / source);
  const struct {
    const char* what;
    const char* path;
    std::string text;
    int score;
    const char* output;  ///< expected in the output for the whole submission
  } cases[] = {
      {"the solution", "labs/03_shared_memory/matmul_shared.cu", solution, 10, "Graded on gtx1080"},
      {"a file by itself", "matmul_shared.cu", solution, 10, "Graded on gtx1080"},
      {"a repository", "anna/labs/03_shared_memory/matmul_shared.cu", "#error later\n", 0,
       "Graded on"},
      {"the skeleton", "matmul_shared.cu", text_of(layout().root / "labs" / stage / source), 0,
       "Graded on gtx1080"},
      {"garbage", "matmul_shared.cu", std::string("\0\xff#include \"/etc/passwd\"\n", 25), 0,
       "Graded on gtx1080"},
      {"another name", "kernel.cu", solution, 0, "labs/03_shared_memory/matmul_shared.cu"},
      {"a link", "matmul_shared.cu", "", 0, "matmul_shared.cu by itself"},
  };
  for (const auto& [what, path, text, score, output] : cases) {
    SCOPED_TRACE(what);
    SetUp();
    if (text.empty()) {
      fs::create_symlink(layout().root / "solutions" / stage / source,
                         root() / "submission" / path);
    } else {
      put(root() / "submission" / path, text);
    }
    const CommandResult run = run_autograder();
    EXPECT_EQ(run.status, 0) << run.output;
    const Json document = Json::parse(text_of(results()), nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << text_of(results());
    demand_valid(document);
    EXPECT_EQ(document["score"], score) << document.dump(1) << run.output;
    EXPECT_THAT(document["output"].get<std::string>(), HasSubstr(output));
  }
}

TEST_F(AutograderTest, SaysThatNothingWasHandedIn) {
  EXPECT_EQ(run_autograder().status, 0);
  const Json document = Json::parse(text_of(results()));
  demand_valid(document);
  EXPECT_EQ(document["score"], 0);
  EXPECT_THAT(document["output"].get<std::string>(), HasSubstr("matmul_shared.cu by itself"));
}

TEST_F(AutograderTest, TellsHowLateItIs) {
  put(root() / "submission_metadata.json",
      R"({"created_at": "2026-11-22T10:00:00Z", "assignment": {"due_date": "2026-11-20T23:00:00Z"}})");
  const CommandResult run = run_autograder();
  fs::remove(root() / "submission_metadata.json");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(Json::parse(text_of(results()))["output"].get<std::string>(),
              HasSubstr("2 days late."));
}

TEST_F(AutograderTest, RunsNothingAsRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root could";
  put(root() / "submission" / source,
      "#include <stdio.h>\n#include <unistd.h>\n#include \"matmul_shared.hpp\"\n"
      "cudaError_t matmul_shared(const float*, const float*, float*, int, int) {\n"
      "  printf(\"user %u\\n\", unsigned(getuid()));\n"
      "  return cudaSuccess;\n"
      "}\n");
  const std::string output = run_autograder().output;
  if (output.find("submissions run as root") != output.npos) {
    GTEST_SKIP() << "this build lies where only root may look";
  }
  EXPECT_THAT(output, HasSubstr(fmt::format("user {}", getpwnam("nobody")->pw_uid)));
}

TEST_F(AutograderTest, LeavesNoResultWhereItIsAtFault) {
  put(root() / "submission" / source, "");
  const std::string arguments = text_of(root() / "source" / "grade_arguments");
  put(root() / "source" / "grade_arguments", "99\n");
  const CommandResult run = run_autograder();
  put(root() / "source" / "grade_arguments", arguments);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.output, AllOf(HasSubstr("there is no stage '99'"), HasSubstr("could not grade")));
  EXPECT_FALSE(fs::exists(results()));
}

TEST_F(AutograderTest, HasScriptsThatAreSound) {
  for (const char* script : {"setup.sh", "run_autograder"}) {
    const fs::path file = root() / "source" / script;
    for (std::vector<std::string> check :
         {std::vector<std::string>{"bash", "-n"}, {"shellcheck"}}) {
      if (!find_on_path(check.front())) continue;
      Command command;
      command.arguments = std::move(check);
      command.arguments.push_back(file);
      const CommandResult checked = run_command(command);
      EXPECT_TRUE(checked.succeeded()) << checked.output;
    }
  }
}

TEST(CourseFiles, AreThoseOfTheCourse) {
  const ScratchDirectory course;
  for (const char* file : {"lab", "labs/a.cu", "labs/.a.cu.swp", "solutions/a.cu", "build/a.o",
                           "report.html", "graded/anna.json"}) {
    put(course.path() / file, "");
  }
  EXPECT_THAT(course_files(course.path()), ElementsAre("lab", "labs/a.cu", "solutions/a.cu"));

  if (!find_on_path("git")) GTEST_SKIP() << "git is not installed";
  fs::create_directories(course.path() / ".git");
  EXPECT_THROW(course_files(course.path()), CannotGrade) << "that is no clone";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"init", "--quiet"}, {"add", "lab", "labs/a.cu", "report.html"}}) {
    Command git;
    git.arguments = {"git", "-C", course.path()};
    git.arguments.insert(git.arguments.end(), words.begin(), words.end());
    ASSERT_TRUE(run_command(git).succeeded());
  }
  EXPECT_THAT(course_files(course.path()), ElementsAre("lab", "labs/a.cu"));
}

TEST(Autograder, SaysWhatItCannotWrite) {
  const ScratchDirectory scratch;
  const fs::path out = scratch.path() / "autograder.zip";
  EXPECT_THROW(write_autograder({.stages = {"99"}}, out), CannotGrade);
  EXPECT_THROW(write_autograder({}, scratch.path() / "no" / "a.zip"), CannotGrade);
  EXPECT_THROW(write_autograder({.gpu = "gtx9999"}, out), std::runtime_error);
  EXPECT_FALSE(fs::exists(out));
}

}  // namespace
}  // namespace tilewise::grading
