#include "grading/cohort/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "common/process/sandbox.hpp"
#include "grading/autograder/autograder.hpp"
#include "grading/cli/submission.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

/// Paths and contents of all files below a folder.
std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& item : fs::recursive_directory_iterator(folder)) {
    if (!item.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(item.path()).rdbuf();
    files.push_back(item.path().lexically_relative(folder).string() + "=" + text.str());
  }
  return files;
}

class EntriesTest : public testing::Test {
 protected:
  fs::path in() const { return scratch_.path() / "in"; }
  fs::path out() const { return scratch_.path() / "out"; }
  ScratchDirectory scratch_;
};

TEST_F(EntriesTest, AreFoundByName) {
  put(in() / "berta/labs/x", "");
  put(in() / "anna.zip", "");
  put(in() / "carla/labs/x", "");
  put(in() / "carla.zip", "");
  put(in() / ".hidden/x", "");
  put(in() / "notes.txt", "");
  std::vector<std::string> names;
  for (const CohortEntry& entry : find_entries(in())) names.push_back(entry.name);
  EXPECT_THAT(names, ElementsAre("anna", "berta", "carla", "carla.zip", "notes.txt"));
}

TEST_F(EntriesTest, AreMissedWithAReason) {
  fs::create_directories(in());
  EXPECT_THAT([&] { find_entries(in()); },
              ThrowsMessage<CannotGrade>(HasSubstr("the folder is empty")));
  EXPECT_THAT([&] { find_entries(in() / "none"); }, ThrowsMessage<CannotGrade>(HasSubstr("none")));
}

TEST_F(EntriesTest, GiveTheirKernelsAndNothingElse) {
  put(in() / "anna/labs/03_shared_memory/matmul_shared.cu", "kernel");
  put(in() / "anna/labs/03_shared_memory/matmul_shared.hpp", "header");
  put(in() / "anna/labs/matmul_shared.cu", "too high");
  put(in() / "anna/labs/03_shared_memory/deep/matmul_shared.cu", "too deep");
  put(in() / "anna/.git/labs/x.cu", "too high");
  fs::create_symlink("/etc/passwd", in() / "anna/labs/03_shared_memory/link.cu");
  fs::create_directory_symlink("/etc", in() / "anna/labs/04_prefetch");
  EXPECT_EQ(take_sources({"anna", in() / "anna"}, out()), "");
  EXPECT_THAT(files_below(out()), ElementsAre("labs/03_shared_memory/matmul_shared.cu=kernel"));
}

TEST_F(EntriesTest, MayLieInAFolderOfTheirOwn) {
  put(in() / "anna/tilewise-main/labs/03_shared_memory/matmul_shared.cu", "kernel");
  EXPECT_EQ(take_sources({"anna", in() / "anna"}, out()), "");
  EXPECT_THAT(files_below(out()), ElementsAre("labs/03_shared_memory/matmul_shared.cu=kernel"));
}

TEST_F(EntriesTest, MayBeFilesByThemselves) {
  put(in() / "anna/matmul_shared.cu", "kernel");
  write_zip(in() / "berta.zip", {{"homework/matmul_shared.cu", "kernel"}});
  for (const char* name : {"anna", "berta.zip"}) {
    EXPECT_EQ(take_sources({name, in() / name}, out() / name), "");
    EXPECT_THAT(files_below(out() / name),
                ElementsAre("labs/03_shared_memory/matmul_shared.cu=kernel"));
  }
}

TEST_F(EntriesTest, AreUnpackedIntoTheirPlacesOnly) {
  fs::create_directories(in());
  write_zip(in() / "anna.zip", {{"repo-main/labs/03_shared_memory/matmul_shared.cu", "kernel"},
                                {"labs/05_work_2x2/matmul_2x2.cu", "another"},
                                {"../labs/03_shared_memory/up.cu", "x"},
                                {"/labs/03_shared_memory/root.cu", "x"},
                                {"labs/../x.cu", "x"},
                                {"labs/03_shared_memory/link.cu", "", "/etc/passwd"},
                                {"labs/03_shared_memory/readme.txt", "x"}});
  EXPECT_EQ(take_sources({"anna", in() / "anna.zip"}, out()), "");
  EXPECT_THAT(files_below(scratch_.path() / "out"),
              UnorderedElementsAre("labs/03_shared_memory/matmul_shared.cu=kernel",
                                   "labs/05_work_2x2/matmul_2x2.cu=another"));
}

TEST_F(EntriesTest, AreUnpackedNoFurtherThanTheirStageGoes) {
  fs::create_directories(in());
  const std::string large(largest_source_bytes, 'x');
  std::vector<ZipItem> items = {{"labs/03_shared_memory/matmul_shared.cu", "the first counts"}};
  for (int i = 0; i < 40; ++i) {
    items.push_back({"labs/03_shared_memory/" + std::to_string(i) + ".cu", large});
    items.push_back({"labs/" + std::to_string(i) + "_topic/matmul_shared.cu", large});
    items.push_back({"labs/03_shared_memory/matmul_shared.cu", large});
    items.push_back({"other/labs/03_shared_memory/matmul_shared.cu", large});
  }
  // Longer than any file's name may be, and than any path.
  items.push_back({"labs/" + std::string(300, 'n') + "/x.cu", "x"});
  items.push_back({"labs/03_shared_memory/" + std::string(5000, 'n') + ".cu", "x"});
  items.push_back({"labs/03_shared_memory/MATMUL_SHARED.CU", "x"});
  items.push_back({"labs/03_shared_memory/matmul_shared.cu\033[2J", "x"});
  items.push_back({"labs\\03_shared_memory\\matmul_shared.cu", "x"});
  items.push_back({"C:/labs/03_shared_memory/matmul_shared.cu", "x"});
  write_zip(in() / "anna.zip", items);
  ASSERT_LT(fs::file_size(in() / "anna.zip"), largest_source_bytes);
  EXPECT_EQ(take_sources({"anna", in() / "anna.zip"}, out()), "");
  EXPECT_THAT(files_below(out()),
              ElementsAre("labs/03_shared_memory/matmul_shared.cu=the first counts"));
}

TEST_F(EntriesTest, AreNeverWaitedFor) {
  fs::create_directories(in() / "folder/labs/03_shared_memory");
  const auto in_place = in() / "folder/labs/03_shared_memory/matmul_shared.cu";
  ASSERT_EQ(::mkfifo(in_place.c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((in() / "pipe.zip").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", in() / "zero.zip");
  fs::create_symlink("loop.zip", in() / "loop.zip");
  fs::create_symlink("gone", in() / "gone.zip");
  fs::create_directories(in() / "nested/labs/03_shared_memory/matmul_shared.cu/matmul_shared.cu");
  for (const char* name : {"folder", "pipe.zip", "zero.zip", "loop.zip", "gone.zip", "nested"}) {
    EXPECT_THAT(take_sources({name, in() / name}, out() / name), Not(IsEmpty())) << name;
  }
}

TEST_F(EntriesTest, SayWhyThereIsNothingToGrade) {
  fs::create_directories(in());
  put(in() / "text.zip", "no archive");
  put(in() / "empty.zip", "");
  put(in() / "nothing/readme.txt", "x");
  put(in() / "huge/labs/03_shared_memory/matmul_shared.cu",
      std::string(largest_source_bytes + 1, ' '));
  write_zip(in() / "bomb.zip", {{"labs/03_shared_memory/matmul_shared.cu",
                                 std::string(largest_source_bytes + 1, ' ')}});
  write_zip(in() / "cut.zip", {{"labs/03_shared_memory/matmul_shared.cu", std::string(9999, 'x')}});
  fs::resize_file(in() / "cut.zip", 60);
  const struct {
    const char* name;
    const char* problem;
  } cases[] = {{"text.zip", "neither a folder nor a zip archive"},
               {"empty.zip", ""},
               {"nothing", "holds no labs/NN_topic/*.cu"},
               {"huge", "larger than"},
               {"bomb.zip", "larger than"},
               {"cut.zip", ""}};
  for (const auto& [name, problem] : cases) {
    const std::string found = take_sources({name, in() / name}, out() / name);
    EXPECT_NE(found, "") << name;
    EXPECT_THAT(found, HasSubstr(problem)) << name;
  }
}

}  // namespace
}  // namespace tilewise::grading
