#include "grading/progress/progress_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "common/process/scratch_directory.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/progress/example_progress.hpp"
#include "grading/report/file_text.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

void put(const fs::path& root, const std::string& text) {
  std::ofstream(progress_file(root), std::ios::binary) << text;
}

TEST(ProgressFile, ReadsWhatItWrote) {
  const ScratchDirectory root;
  change_progress(root.path(), [](Progress& progress) { progress = example_progress(); });
  EXPECT_EQ(read_progress(root.path()), example_progress());
  EXPECT_THAT(text_of(progress_file(root.path())),
              AllOf(HasSubstr("  \"schema\": \"tilewise/progress/v1\",\n"),
                    HasSubstr("\"current\": \"02_multi_block_grid\"")))
      << "made to be read by people, too";
}

TEST(ProgressFile, IsEmptyWhereItWasDeleted) {
  const ScratchDirectory root;
  EXPECT_EQ(read_progress(root.path()), Progress{});
  change_progress(root.path(), [](Progress& progress) { progress.current = "01_single_block"; });
  fs::remove(progress_file(root.path()));
  EXPECT_EQ(read_progress(root.path()), Progress{});
}

TEST(ProgressFile, SaysWhatToDoAboutADamagedOneAndLeavesItAlone) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", "is damaged"},
      {"{\"schema\": \"tilewise/progress/v1\"", "is damaged"},
      {"[]", "is damaged"},
      {"\xff\xfe", "is damaged"},
      {R"({"schema": "tilewise/progress/v1", "current": 3, "stages": {}})", "is damaged"},
      {R"({"schema": "tilewise/progress/v1", "current": "", "stages": {"01_a": {}}})",
       "is damaged"},
      {R"({"schema": "tilewise/progress/v2"})", "has the schema 'tilewise/progress/v2'"},
  };
  for (const auto& [text, message] : cases) {
    const ScratchDirectory root;
    put(root.path(), text);
    for (const auto& use : std::initializer_list<std::function<void()>>{
             [&] { read_progress(root.path()); },
             [&] { change_progress(root.path(), [](Progress&) {}); }}) {
      try {
        use();
        ADD_FAILURE() << text;
      } catch (const CannotGrade& error) {
        EXPECT_THAT(error.what(),
                    AllOf(HasSubstr(message), HasSubstr("Move it away"), HasSubstr("delete it")));
      }
    }
    EXPECT_EQ(text_of(progress_file(root.path())), text);
  }
}

TEST(ProgressFile, MayNotBeAFolder) {
  const ScratchDirectory root;
  fs::create_directory(progress_file(root.path()));
  EXPECT_THROW(read_progress(root.path()), CannotGrade);
}

TEST(ProgressFile, SaysThatItCannotBeWritten) {
  const ScratchDirectory folder;
  const fs::path gone = folder.path() / "gone";
  EXPECT_THROW(change_progress(gone, [](Progress&) {}), CannotGrade);
  EXPECT_FALSE(fs::exists(gone));
}

TEST(ProgressFile, LosesNothingWhereSeveralWriteAtOnce) {
  const ScratchDirectory root;
  constexpr int writers = 4, changes = 25;
  std::vector<pid_t> children;
  for (int writer = 0; writer < writers; ++writer) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = 0; i < changes; ++i) {
        change_progress(root.path(), [](Progress& progress) { ++progress.stages["01_a"].score; });
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(progress_of(read_progress(root.path()), "01_a").score, writers * changes);
}

}  // namespace
}  // namespace tilewise::grading
