#include "grading/cohort/intake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "common/process/sandbox.hpp"
#include "grading/autograder/autograder.hpp"
#include "grading/cli/submission.hpp"
#include "grading/cohort/test/write_archive.hpp"

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

/// Returns the paths and contents of all that was taken.
std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& item : fs::recursive_directory_iterator(folder)) {
    const std::string path = item.path().lexically_relative(folder).string();
    if (!item.is_regular_file() || path.starts_with("origins/")) continue;
    std::ostringstream text;
    text << std::ifstream(item.path()).rdbuf();
    files.push_back(path + "=" + text.str());
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
  for (const CohortEntry& entry : take_in(in()).entries) names.push_back(entry.name);
  EXPECT_THAT(names, ElementsAre("anna", "berta", "carla", "notes.txt"));
}

TEST_F(EntriesTest, AreMissedWithAReason) {
  fs::create_directories(in());
  EXPECT_THAT([&] { take_in(in()); }, ThrowsMessage<CannotGrade>(HasSubstr("the folder is empty")));
  EXPECT_THAT([&] { take_in(in() / "none"); }, ThrowsMessage<CannotGrade>(HasSubstr("none")));
}

TEST_F(EntriesTest, GiveTheirKernelsAndNothingElse) {
  put(in() / "anna/labs/03_shared_memory/matmul_shared.cu", "kernel");
  put(in() / "anna/labs/03_shared_memory/matmul_shared.hpp", "header");
  put(in() / "anna/labs/matmul_shared.cu", "too high");
  put(in() / "anna/labs/03_shared_memory/deep/matmul_shared.cu", "in no place");
  put(in() / "anna/.git/labs/x.cu", "too high");
  fs::create_symlink("/etc/passwd", in() / "anna/labs/03_shared_memory/link.cu");
  fs::create_directory_symlink("/etc", in() / "anna/labs/04_prefetch");
  EXPECT_EQ(take_sources({"anna", {{in() / "anna"}}}, out()), "");
  EXPECT_THAT(files_below(out()), ElementsAre("labs/03_shared_memory/matmul_shared.cu=kernel"));
}

TEST_F(EntriesTest, MayLieInAFolderOfTheirOwn) {
  put(in() / "anna/tilewise-main/labs/03_shared_memory/matmul_shared.cu", "kernel");
  EXPECT_EQ(take_sources({"anna", {{in() / "anna"}}}, out()), "");
  EXPECT_THAT(files_below(out()), ElementsAre("labs/03_shared_memory/matmul_shared.cu=kernel"));
}

TEST_F(EntriesTest, MayBeFilesByThemselves) {
  put(in() / "anna/matmul_shared.cu", "kernel");
  write_zip(in() / "berta.zip", {{"homework/matmul_shared.cu", "kernel"}});
  for (const char* name : {"anna", "berta.zip"}) {
    EXPECT_EQ(take_sources({name, {{in() / name}}}, out() / name), "");
    EXPECT_THAT(files_below(out() / name),
                ElementsAre("labs/03_shared_memory/matmul_shared.cu=kernel"));
  }
}

using Names = std::vector<std::string>;

/// Returns "anna: shared=text, 2x2=text" for each student, or what is wrong.
Names taken_in(const fs::path& submissions) {
  Names all;
  for (const CohortEntry& entry : take_in(submissions).entries) {
    const ScratchDirectory to;
    const std::string problem = take_sources(entry, to.path());
    std::string text = entry.name;
    for (const std::string& note : entry.notes) text += " [" + note + "]";
    if (!problem.empty()) {
      text += ": " + problem;
    } else {
      std::vector<std::string> files = files_below(to.path());
      std::ranges::sort(files);
      for (const std::string& file : files) text += ": " + file.substr(file.rfind('/') + 1);
    }
    all.push_back(text);
  }
  return all;
}

TEST_F(EntriesTest, ComeAsPlatformsDeliverThem) {
  const fs::path moodle = in() / "moodle", canvas = in() / "canvas", scope = in() / "gradescope";
  put(moodle / "Doe Jane_1234_assignsubmission_file_/matmul_shared.cu", "jane");
  put(moodle / "Doe Jane_1234_assignsubmission_file_/report.pdf", "%PDF");
  put(moodle / "Roe Max_1235_assignsubmission_file_/Matmul_Shared (1).CU", "max");
  put(moodle / "Roe Max_77_assignsubmission_file_/matmul_shared.cu", "the other max");
  put(moodle / "Poe Li_9_assignsubmission_file_/report.pdf", "%PDF");
  EXPECT_THAT(taken_in(moodle), ElementsAre("Doe Jane: matmul_shared.cu=jane",
                                            "Poe Li: it holds no labs/NN_topic/*.cu of a stage",
                                            "Roe Max (1235): matmul_shared.cu=max",
                                            "Roe Max (77): matmul_shared.cu=the other max"));

  put(canvas / "doejane_1001_2001_matmul_shared.cu", "first");
  put(canvas / "doejane_1001_2002_matmul_shared-1.cu", "second");
  put(canvas / "doejane_LATE_1001_2003_matmul_shared-10.cu", "last");
  put(canvas / "doejane_1001_2004_matmul_2x2.cu", "another stage");
  put(canvas / "roemax_LATE_1002_2005_report.pdf", "%PDF");
  fs::create_directories(canvas);
  write_zip(canvas / "roemax_1002_2006_hw-2.zip", {{"hw/matmul_shared.cu", "zipped"}});
  EXPECT_THAT(taken_in(canvas),
              ElementsAre("doejane [late] [attempt 11 of matmul_shared.cu]: "
                          "matmul_shared.cu=last: matmul_2x2.cu=another stage",
                          "roemax [late] [attempt 3 of hw.zip]: matmul_shared.cu=zipped"));

  put(scope / "submission_metadata.yml",
      "---\nsubmission_11:\n  :submitters:\n  - :name: Jane Doe\n    :email: j@x.org\n"
      "  - :name: \"Max Roe\"\n    :email: m@x.org\n  :created_at: 2026-11-22\n"
      "  :history:\n  - :id: 5\n    :submitters:\n    - :name: Jane Doe\n"
      "submission_12:\n  :submitters:\n  - :name: Li Poe\n");
  put(scope / "submission_11/matmul_shared.cu", "both");
  put(scope / "submission_12/labs/03_shared_memory/matmul_shared.cu", "li");
  EXPECT_THAT(taken_in(scope), ElementsAre("Jane Doe and Max Roe: matmul_shared.cu=both",
                                           "Li Poe: matmul_shared.cu=li"));
}

TEST_F(EntriesTest, MayLieAFolderDeeperWhereAPlatformSaysSo) {
  const struct {
    const char* what;
    std::vector<std::string> files;
    Names expected;
  } cases[] = {
      {"Gradescope's export of one",
       {"assignment_9_export/submission_metadata.yml",
        "assignment_9_export/submission_11/matmul_shared.cu"},
       {"Jane Doe: matmul_shared.cu=x"}},
      {"Moodle",
       {"CS1-Lab 3/Doe Jane_12_assignsubmission_file_/matmul_shared.cu",
        "CS1-Lab 3/Roe Max_13_assignsubmission_file_/matmul_shared.cu"},
       {"Doe Jane: matmul_shared.cu=x", "Roe Max: matmul_shared.cu=x"}},
      {"Canvas",
       {"submissions/doejane_1_2_matmul_shared.cu", "submissions/roemax_3_4_matmul_shared.cu"},
       {"doejane: matmul_shared.cu=x", "roemax: matmul_shared.cu=x"}},
      {"one student's file, as Canvas has called it",
       {"anna/anna_1_2_matmul_shared.cu"},
       {"anna: matmul_shared.cu=x"}},
      {"one student's clone", {"anna/tilewise/matmul_shared.cu"}, {"anna: matmul_shared.cu=x"}},
  };
  for (const auto& [what, files, expected] : cases) {
    SCOPED_TRACE(what);
    fs::remove_all(in());
    for (const std::string& file : files) {
      put(in() / file,
          file.ends_with(".yml") ? "submission_11:\n  :submitters:\n  - :name: Jane Doe\n" : "x");
    }
    EXPECT_EQ(taken_in(in()), expected);
  }
}

TEST_F(EntriesTest, KeepWhichFilesTheyWere) {
  put(in() / "anna/hw/Matmul_Shared (1).CU", "a\r\n");
  put(in() / "anna/hw/old/matmul_shared.cu", "older");
  write_zip(in() / "berta.zip", {{"x/labs/03_shared_memory/matmul_shared.cu", "abc"}});
  put(in() / "doejane_1001_2001_matmul_shared-3.cu", "abc");
  const fs::path place = "03_shared_memory/matmul_shared.cu";
  const std::string of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  const struct {
    std::string path, sha256;
  } expected[] = {
      {"hw/Matmul_Shared (1).CU",  // what sha256sum prints for the bytes that were handed in
       "8e4621379786ef42a4fec155cd525c291dd7db3c1fde3478522f4f61c03fd1bd"},
      {"x/labs/03_shared_memory/matmul_shared.cu", of_abc},
      {"matmul_shared.cu", of_abc}};
  const Intake intake = take_in(in());
  ASSERT_EQ(intake.entries.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const ScratchDirectory to;
    EXPECT_EQ(take_sources(intake.entries[i], to.path()), "");
    const auto origin = origin_of(to.path(), place);
    ASSERT_TRUE(origin) << i;
    EXPECT_EQ(origin->path, expected[i].path);
    EXPECT_EQ(origin->sha256, expected[i].sha256);
  }
}

TEST_F(EntriesTest, ComeInArchivesOfAnyKind) {
  fs::create_directories(in());
  const std::vector<ZipItem> items = {{"matmul_shared.cu", "kernel"}};
  for (const char* name : {"a.tar.gz", "b.7z", "c.zip", "d.tar.xz"}) {
    write_archive(in() / name, items);
  }
  const auto bytes_of = [](const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  };
  write_zip(in() / "e.zip", {{"hand_in/inner.7z", bytes_of(in() / "b.7z")}});
  write_zip(in() / "f.zip", {{"deep.zip", bytes_of(in() / "e.zip")}});
  write_zip(in() / "g.zip",
            {{"__MACOSX/._matmul_shared.cu", "x"}, {"hw/g_matmul_shared-2.cu", "named after g"}});
  put(in() / "h/inner.7z", bytes_of(in() / "b.7z"));
  put(in() / "i.rar", rar4_of({"hw/matmul_shared.cu", "kernel"}));
  put(in() / "j.RAR", rar5_of({"hw/matmul_shared.cu", "kernel"}));
  const std::string right = ": matmul_shared.cu=kernel";
  EXPECT_THAT(
      taken_in(in()),
      ElementsAre("a" + right, "b" + right, "c" + right, "d" + right, "e" + right,
                  "f: it holds no labs/NN_topic/*.cu of a stage",
                  "g: matmul_shared.cu=named after g", "h" + right, "i" + right, "j" + right));
  std::vector<ZipItem> all;
  for (const char* name : {"a.tar.gz", "b.7z", "e.zip"}) {
    all.push_back({std::string("class/") + name, bytes_of(in() / name)});
  }
  all.push_back({"class/../../up.cu", "x"});
  all.push_back({"class/i/matmul_shared.cu", "i's"});
  write_zip(scratch_.path() / "class.zip", all);
  EXPECT_THAT(taken_in(scratch_.path() / "class.zip"),
              ElementsAre("a" + right, "b" + right, "e" + right, "i: matmul_shared.cu=i's"));
}

TEST_F(EntriesTest, AreTakenWhateverElseLiesBeside) {
  const std::string kernel = "labs/03_shared_memory/matmul_shared.cu";
  put(in() / "a" / kernel, "kernel");
  put(in() / "a/broken.zip", "no archive");
  put(in() / "b/matmul_shared.cu", "kernel");
  put(in() / "b/broken.7z", "no archive");
  write_zip(in() / "c.zip", {{"broken.zip", "no archive"}, {kernel, "kernel"}});
  write_zip(in() / "d.zip", {{"broken.tar.gz", "no archive"}, {"hw/matmul_shared.cu", "kernel"}});
  put(in() / "e/broken.zip", "no archive");
  const std::string right = ": matmul_shared.cu=kernel";
  EXPECT_THAT(taken_in(in()), ElementsAre("a" + right, "b" + right, "c" + right, "d" + right,
                                          "e: broken.zip: it is neither a folder nor an archive"));
}

TEST_F(EntriesTest, AreNotUnpackedForLong) {
  fs::create_directories(in());
  // A mebibyte of zeros takes a kilobyte.
  std::vector<ZipItem> large;
  for (int i = 0; i < 5; ++i) large.push_back({std::to_string(i), std::string(250 << 20, '\0')});
  write_archive(in() / "large.tar.gz", large);
  write_zip(in() / "inner.zip", {{"readme.txt", "x"}});
  std::ostringstream inner;
  inner << std::ifstream(in() / "inner.zip", std::ios::binary).rdbuf();
  fs::remove(in() / "inner.zip");
  std::vector<ZipItem> many;
  for (int i = 0; i < 50; ++i) many.push_back({std::to_string(i) + ".zip", inner.str()});
  write_zip(in() / "x.zip", {{"matmul_shared.cu", "kernel"}});
  std::ostringstream last;
  last << std::ifstream(in() / "x.zip", std::ios::binary).rdbuf();
  fs::remove(in() / "x.zip");
  many.push_back({"x.zip", last.str()});
  write_zip(in() / "many.zip", many);
  // These names are longer than any file's, and would make a regular expression recurse too deeply.
  write_archive(in() / "names.tar.xz",
                {{std::string(300'000, ' ') + "matmul_shared.cu", "x"},
                 {"matmul_shared" + std::string(300'000, ' ') + ".cu", "x"}});
  put(in() / "submission_metadata.yml", std::string(300'000, 'x') + ":\n");
  EXPECT_THAT(taken_in(in()), ElementsAre("large: large.tar.gz: it unpacks to more than 1024 MiB",
                                          "many: it holds no labs/NN_topic/*.cu of a stage",
                                          "names: it holds no labs/NN_topic/*.cu of a stage"));
}

TEST_F(EntriesTest, StopNoClassByTheirNames) {
  write_zip(scratch_.path() / "class.zip",
            {{"anna/matmul_shared.cu", "kernel"},
             {"berta/" + std::string(300, 'n') + "/matmul_shared.cu", "x"},
             {"carla.zip", "no archive"},
             {"carla.zip/matmul_shared.cu", "in a file"}});
  EXPECT_THAT(taken_in(scratch_.path() / "class.zip"),
              testing::Contains("anna: matmul_shared.cu=kernel"));
}

TEST_F(EntriesTest, AreAskedForRatherThanGuessed) {
  put(in() / "anna/matmul_shared.cu", "one");
  put(in() / "anna/matmul_shared (1).cu", "another");
  put(in() / "berta/matmul_shared.cu", "the same");
  put(in() / "berta/matmul_shared (1).cu", "the same");
  put(in() / "berta/old/matmul_shared.cu", "older");
  put(in() / "carla/matmul_shared.cu", "in the folder");
  write_zip(in() / "carla.zip", {{"matmul_shared.cu", "in the archive"}});
  put(in() / "dora/matmul_shared.cu", "the same");
  write_zip(in() / "dora.zip", {{"matmul_shared.cu", "the same"}});
  EXPECT_THAT(
      taken_in(in()),
      ElementsAre("anna: matmul_shared (1).cu and matmul_shared.cu differ, and either may "
                  "be meant: hand in one of them",
                  "berta: matmul_shared.cu=the same",
                  "carla: carla and carla.zip differ in matmul_shared.cu, and either may be "
                  "meant: keep one of them",
                  "dora: matmul_shared.cu=the same"));
}

TEST_F(EntriesTest, BecomeUtf8WithPlainLines) {
  using namespace std::string_literals;
  put(in() / "anna/matmul_shared.cu", "\xFF\xFE" + "a\0\r\0\n\0\xE9\0"s);
  put(in() / "berta/matmul_shared.cu", "\xFE\xFF" + "\0a"s);
  put(in() / "carla/matmul_shared.cu",
      "\xEF\xBB\xBF"
      "a\r\nb\rc");
  put(in() / "dora/matmul_shared.cu", "\xFF\xFE" + "\0\xD8"s);
  EXPECT_THAT(taken_in(in()),
              ElementsAre("anna: matmul_shared.cu=a\n\xC3\xA9", "berta: matmul_shared.cu=a",
                          "carla: matmul_shared.cu=a\nb\rc",
                          HasSubstr("dora: 03_shared_memory/matmul_shared.cu is "
                                    "text in UTF-16 that cannot be read")));
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
  EXPECT_EQ(take_sources({"anna", {{in() / "anna.zip"}}}, out()), "");
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
  // These are longer than any file's name, and than any path, may be.
  items.push_back({"labs/" + std::string(300, 'n') + "/x.cu", "x"});
  items.push_back({"labs/03_shared_memory/" + std::string(5000, 'n') + ".cu", "x"});
  items.push_back({"labs/03_shared_memory/MATMUL_SHARED.CU", "x"});
  items.push_back({"labs/03_shared_memory/matmul_shared.cu\033[2J", "x"});
  items.push_back({"labs\\03_shared_memory\\matmul_shared.cu", "x"});
  items.push_back({"C:/labs/03_shared_memory/matmul_shared.cu", "x"});
  write_zip(in() / "anna.zip", items);
  ASSERT_LT(fs::file_size(in() / "anna.zip"), largest_source_bytes);
  EXPECT_EQ(take_sources({"anna", {{in() / "anna.zip"}}}, out()), "");
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
    EXPECT_THAT(take_sources({name, {{in() / name}}}, out() / name), Not(IsEmpty())) << name;
  }
}

}  // namespace
}  // namespace tilewise::grading
