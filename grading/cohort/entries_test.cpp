#include "grading/cohort/entries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "grading/builder/scratch_directory.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/cohort/zip_archive.hpp"
#include "grading/cohort/zip_writing.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
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
  put(in() / "anna/labs/03_x/a.cu", "kernel");
  put(in() / "anna/labs/03_x/a.hpp", "header");
  put(in() / "anna/labs/a.cu", "too high");
  put(in() / "anna/labs/03_x/deep/a.cu", "too deep");
  put(in() / "anna/.git/labs/x.cu", "too high");
  fs::create_symlink("/etc/passwd", in() / "anna/labs/03_x/link.cu");
  fs::create_directory_symlink("/etc", in() / "anna/labs/04_x");
  EXPECT_EQ(take_sources({"anna", in() / "anna"}, out()), "");
  EXPECT_THAT(files_below(out()), ElementsAre("labs/03_x/a.cu=kernel"));
}

TEST_F(EntriesTest, MayLieInAFolderOfTheirOwn) {
  put(in() / "anna/tilewise-main/labs/03_x/a.cu", "kernel");
  EXPECT_EQ(take_sources({"anna", in() / "anna"}, out()), "");
  EXPECT_THAT(files_below(out()), ElementsAre("labs/03_x/a.cu=kernel"));
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
  write_zip(in() / "anna.zip", {{"repo-main/labs/03_x/a.cu", "kernel"},
                                {"labs/05_x/b.cu", "another"},
                                {"../labs/03_x/up.cu", "x"},
                                {"/labs/03_x/root.cu", "x"},
                                {"labs/../x.cu", "x"},
                                {"labs/03_x/link.cu", "", "/etc/passwd"},
                                {"labs/03_x/readme.txt", "x"}});
  EXPECT_EQ(take_sources({"anna", in() / "anna.zip"}, out()), "");
  EXPECT_THAT(files_below(scratch_.path() / "out"),
              UnorderedElementsAre("labs/03_x/a.cu=kernel", "labs/05_x/b.cu=another"));
}

TEST_F(EntriesTest, SayWhyThereIsNothingToGrade) {
  fs::create_directories(in());
  put(in() / "text.zip", "no archive");
  put(in() / "empty.zip", "");
  put(in() / "nothing/readme.txt", "x");
  put(in() / "huge/labs/03_x/a.cu", std::string(largest_source_bytes + 1, ' '));
  write_zip(in() / "bomb.zip", {{"labs/03_x/a.cu", std::string(largest_source_bytes + 1, ' ')}});
  write_zip(in() / "cut.zip", {{"labs/03_x/a.cu", std::string(9999, 'x')}});
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
