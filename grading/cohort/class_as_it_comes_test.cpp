#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/autograder/autograder.hpp"
#include "grading/cohort/deadlines.hpp"
#include "grading/cohort/intake.hpp"
#include "grading/cohort/test/write_archive.hpp"
#include "grading/results/printable.hpp"

// Tests the kinds of files that a class of students hands in, and the names that platforms give
// them.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kernel = "__global__ void k() {}\n";
constexpr const char* place = "labs/03_shared_memory/matmul_shared.cu";

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string bytes_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::string utf16(const std::string& text, bool little) {
  std::string wide = little ? "\xFF\xFE" : "\xFE\xFF";
  for (const char c : text) {
    if (little) wide += {c, '\0'};
    if (!little) wide += {'\0', c};
  }
  return wide;
}

ZipItem at(const std::string& path, const std::string& text = kernel) { return {path, text}; }

/// Returns an archive of the kind that its name says.
ZipItem packed(const std::string& path, const std::vector<ZipItem>& items) {
  const ScratchDirectory scratch;
  const fs::path file = scratch.path() / in_lower_case(fs::path(path).filename().string());
  items.empty() ? write_zip(file, items) : write_archive(file, items);
  return {path, bytes_of(file)};
}

struct Case {
  std::string student;
  std::vector<ZipItem> files;  ///< in the folder of the class
  std::string refusal = "";    ///< what its student is told; empty if it is graded
};

std::vector<Case> cases() {
  const ZipItem alone = at("matmul_shared.cu"), in_place = at(place);
  const std::string none = "it holds no labs/NN_topic/*.cu of a stage";
  const std::string no_archive = ": it is neither a folder nor an archive";
  return {
      // The course's own layout.
      {"as_it_is", {at("as_it_is/" + in_place.path)}},
      {"clone", {at("clone/tilewise-main/" + in_place.path)}},
      {"two_above", {at("two_above/home/tilewise/" + in_place.path)}},
      {"deep", {at("deep/Users/zoe/Documents/gpu/tilewise/" + in_place.path)}},
      {"with_report", {at("with_report/" + in_place.path), at("with_report/report.pdf", "%PDF")}},
      {"with_build", {at("with_build/" + in_place.path), at("with_build/build/simt/x.o", "ELF")}},
      {"with_backup",
       {at("with_backup/" + in_place.path), at("with_backup/backup/" + in_place.path, "older")}},
      {"two_clones",
       {at("two_clones/a/" + in_place.path), at("two_clones/b/" + in_place.path, "other")},
       "differ, and either may be meant: hand in one of them"},
      {"versions",
       {at("versions/Lab 3/Version 9/matmul_shared.cu", "older"),
        at("versions/Lab 3/Version 10/matmul_shared.cu")}},
      {"times",
       {at("times/2026-11-20-23-59-00/matmul_shared.cu"),
        at("times/2026-11-19-23-59-00/matmul_shared.cu", "older")}},
      // Only the file.
      {"file_alone", {at("file_alone/matmul_shared.cu")}},
      {"in_homework", {at("in_homework/hw/3/matmul_shared.cu")}},
      {"downloaded", {at("downloaded/matmul_shared (1).cu")}},
      {"upper_case", {at("upper_case/MATMUL_SHARED.CU")}},
      {"by_mail", {at("by_mail/matmul_shared.cu.txt")}},
      {"copied", {at("copied/matmul_shared - Copy.cu")}},
      {"kopiert", {at("kopiert/matmul_shared - Kopie.cu")}},
      {"versioned", {at("versioned/matmul_shared-2.cu")}},
      {"with_name", {at("with_name/zoe_matmul_shared.cu")}},
      {"with_driver",
       {at("with_driver/matmul_shared.cu"), at("with_driver/matmul_shared_test.cu", "main")}},
      {"zoe", {at("zoe_matmul_shared.cu")}},
      {"Jane Roe", {at("Jane Roe - matmul_shared.cu")}},
      // Archives.
      {"zip", {packed("zip.zip", {in_place})}},
      {"zip_in_folder", {packed("zip_in_folder/hw.zip", {at("hw/matmul_shared.cu")})}},
      {"Doe, Jane(doej)", {packed("Doe, Jane(doej)/Submission attachment(s)/hw.zip", {alone})}},
      {"from_a_mac",
       {packed("from_a_mac.zip", {at("__MACOSX/hw/._matmul_shared.cu", "Mac"),
                                  at("hw/.DS_Store", "Mac"), at("hw/matmul_shared.cu")})}},
      {"from_windows", {packed("from_windows.tar.gz", {at("hw\\3\\matmul_shared.cu")})}},
      {"tar_gz", {packed("tar_gz.tar.gz", {alone})}},
      {"tgz", {packed("tgz.tgz", {in_place})}},
      {"seven_zip", {packed("seven_zip.7z", {alone})}},
      {"tar_xz", {packed("tar_xz.tar.xz", {at("a/matmul_shared.cu")})}},
      {"nested_once", {packed("nested_once.zip", {packed("inner.zip", {alone})})}},
      {"upper_case_zip", {packed("upper_case_zip.ZIP", {in_place})}},
      {"both_alike", {at("both_alike/" + in_place.path), packed("both_alike.zip", {in_place})}},
      // Texts as Windows editors write them.
      {"utf_16", {at("utf_16/matmul_shared.cu", utf16(kernel, true))}},
      {"utf_16_big", {at("utf_16_big/matmul_shared.cu", utf16(kernel, false))}},
      {"with_mark", {at("with_mark/matmul_shared.cu", std::string("\xEF\xBB\xBF") + kernel)}},
      {"crlf", {at("crlf/matmul_shared.cu", "__global__ void k() {}\r\n")}},
      // Submissions that cannot be graded, or not without asking.
      {"pdf", {at("pdf/report.pdf", "%PDF")}, none},
      {"pdf_alone.pdf", {at("pdf_alone.pdf", "%PDF")}, "pdf_alone.pdf" + no_archive},
      {"empty_zip", {packed("empty_zip.zip", {})}, "empty_zip.zip" + no_archive},
      {"no_zip", {at("no_zip.zip", "<html>Log in</html>")}, "no_zip.zip" + no_archive},
      // The rest of the message depends on where the archive ends.
      {"half_a_zip",
       {at("half_a_zip.zip",
           packed("x.zip", {at(place, std::string(9999, 'x'))}).text.substr(0, 80))},
       "half_a_zip.zip: "},
      {"two_that_differ",
       {at("two_that_differ/matmul_shared.cu"),
        at("two_that_differ/matmul_shared (1).cu", "other")},
       "matmul_shared (1).cu and matmul_shared.cu differ, and either may be meant"},
      {"folder_and_zip_differ",
       {at("folder_and_zip_differ/" + in_place.path),
        packed("folder_and_zip_differ.zip", {at(place, "other")})},
       "differ in matmul_shared.cu, and either may be meant: keep one of them"},
      {"too_large", {at("too_large/" + in_place.path, std::string(2 << 20, ' '))}, "larger than"},
      {"bomb", {packed("bomb.zip", {at(place, std::string(2 << 20, ' '))})}, "larger than"},
      {"other_name",
       {at("other_name/kernel.cu")},
       none + "; kernel.cu is called as none of the course's files"},
      {"other_names",
       {packed("other_names.zip", {at("a.cu"), at("b.cpp"), at("__MACOSX/._a.cu")})},
       none + "; a.cu, b.cpp are called as none of the course's files"},
      {"nested_twice",
       {packed("nested_twice.zip", {packed("b.zip", {packed("a.zip", {alone})})})},
       none},
      {"nothing", {}, none},
  };
}

TEST(ClassAsItComes, IsGradedOrToldWhyNot) {
  const ScratchDirectory scratch;
  const fs::path in = scratch.path() / "in";
  fs::create_directories(in / "nothing");
  const std::vector<Case> all = cases();
  for (const Case& one : all) {
    for (const ZipItem& file : one.files) put(in / file.path, file.text);
  }
  std::map<std::string, CohortEntry> entries;
  for (const CohortEntry& entry : take_in(in).entries) entries[entry.name] = entry;
  for (const Case& one : all) {
    SCOPED_TRACE(one.student);
    ASSERT_TRUE(entries.contains(one.student));
    const ScratchDirectory to;
    const std::string problem = take_sources(entries[one.student], to.path());
    EXPECT_EQ(problem.empty(), one.refusal.empty()) << problem;
    EXPECT_THAT(problem, HasSubstr(one.refusal));
    if (one.refusal.empty()) {
      EXPECT_EQ(bytes_of(to.path() / place), kernel);
    }
  }
  EXPECT_EQ(entries.size(), all.size());
}

struct NamedCase {
  std::string name;
  std::string student;
  std::string id = "";    ///< the platform's id
  std::string time = "";  ///< in this machine's time zone
  bool late = false;
  std::string refusal = "";  ///< empty if it is graded
};

const std::vector<NamedCase> named_cases = {
    // Moodle keeps the middle part in all languages.
    {"Doe Jane_1234_assignsubmission_file_/matmul_shared.cu", "Doe Jane", "1234"},
    {"Doe Jane_1235_assignsubmission_file_matmul_shared.cu", "Doe Jane", "1235"},
    {"Müller Özlem_1236_assignsubmission_file_/matmul_shared.cu", "Müller Özlem", "1236"},
    {"Participant_1237_assignsubmission_file_/matmul_shared.cu", "Participant", "1237"},
    {"Teilnehmer_in_1238_assignsubmission_file_/matmul_shared.cu", "Teilnehmer_in", "1238"},
    {"Participante_1239_assignsubmission_file_/matmul_shared.cu", "Participante", "1239"},
    {"Группа 1-Иванов Пётр_1240_assignsubmission_file_/matmul_shared.cu", "Группа 1-Иванов Пётр",
     "1240"},
    {"O'Neil Mary Ann_1241_assignsubmission_file_/hw/matmul_shared.cu", "O'Neil Mary Ann", "1241"},
    {"山田 花子_1242_assignsubmission_file_/matmul_shared.cu", "山田 花子", "1242"},
    // Canvas.
    {"doejane_1001_2001_matmul_shared.cu", "doejane", "1001"},
    {"roemax_LATE_1002_2002_matmul_shared-3.cu", "roemax", "1002", "", true},
    {"labgroup3_1003_2003_matmul_shared.cu", "labgroup3", "1003"},
    {"müllerözlem_1004_2004_matmul_shared-1.cu", "müllerözlem", "1004"},
    {"anon_Ab3Cd_2005_matmul_shared.cu", "anon_Ab3Cd"},
    {"LATE_anon_Xy9Zw_2006_matmul_shared.cu", "anon_Xy9Zw", "", "", true},
    // Blackboard.
    {"Lab 3_doej_attempt_2026-11-20-23-59-00_matmul_shared.cu", "doej", "doej", "2026-11-20 23:59"},
    {"Stage 3_ Tiles_roem2_attempt_2026-11-21-08-05-09_matmul_shared.cu", "roem2", "roem2",
     "2026-11-21 08:05"},
    {"Práctica 3_a01234567_attempt_2026-03-01-00-00-00_matmul_shared.cu", "a01234567", "a01234567",
     "2026-03-01 00:00"},
    // Brightspace.
    {"397063-2557369 - Mary-Ann Smith - Sep 24, 2026 926 PM/matmul_shared.cu", "Mary-Ann Smith",
     "397063", "2026-09-24 21:26"},
    {"397064-2557369 - John Doe - Nov 5, 2026 1159 PM/matmul_shared.cu", "John Doe", "397064",
     "2026-11-05 23:59"},
    {"397065-2557369 - Li Poe - Nov 5, 2026 1205 AM - matmul_shared.cu", "Li Poe", "397065",
     "2026-11-05 00:05"},
    // Google Classroom, Sakai, Gradescope without its metadata, GitHub.
    {"Ana Lima - matmul_shared.cu", "Ana Lima"},
    {"Bo Chen - Copy of matmul_shared.cu", "Bo Chen"},
    {"Doe, Jane(jdoe)/Submission attachment(s)/matmul_shared.cu", "Doe, Jane(jdoe)"},
    {"submission_123456789/matmul_shared.cu", "submission_123456789"},
    {"stage-3-octocat/labs/03_shared_memory/matmul_shared.cu", "stage-3-octocat"},
    {"tilewise-octocat-main/tilewise/labs/03_shared_memory/matmul_shared.cu",
     "tilewise-octocat-main"},
    {"gpu26-shared-memory-octocat/labs/03_shared_memory/matmul_shared.cu",
     "gpu26-shared-memory-octocat"},
    {"jane.doe@example.org/matmul_shared.cu", "jane.doe@example.org"},
    {"s1234567/matmul_shared.cu", "s1234567"},
    // Newer Moodle and Canvas, and texts that were typed in there.
    {"Jane Doe_1243_assignsubmission_file/matmul_shared.cu", "Jane Doe", "1243"},
    {"Default group-Jane Doe_1244_assignsubmission_file_/matmul_shared.cu",
     "Default group-Jane Doe", "1244"},
    {"Doe Jane_1245_assignsubmission_onlinetext_/onlinetext.html", "Doe Jane", "1245", "", false,
     "it holds no labs/NN_topic/*.cu"},
    {"van_dyke_1005_2007_matmul_shared.cu", "van_dyke", "1005"},
    {"doejane_1006_2008_Matmul%20Shared (1)-2.cu", "doejane", "1006"},
    {"doejane_1007_text.html", "doejane", "1007", "", false, "text.html: it is neither a folder"},
    {"doejane_LATE_1008_link.html", "doejane", "1008", "", true, "link.html: it is neither"},
    // Brightspace in French; ILIAS; Teams; Moodle's programming laboratory.
    {"397066-2557369 - Li Poe - 5 nov. 2026 23 h 59/matmul_shared.cu", "Li Poe", "397066"},
    {"397067-2557369 - Group 4 - Nov 5, 2026 1159 PM/matmul_shared.cu", "Group 4", "397067",
     "2026-11-05 23:59"},
    {"Doe_Jane_doej_345/matmul_shared.cu", "Doe_Jane_doej_345", "doej"},
    {"Team_12/Doe_Jane_doej_345/matmul_shared.cu", "Team_12"},
    {"Jane Doe/Lab 3/Version 1/matmul_shared.cu", "Jane Doe"},
    {"Doe Jane 1234/2026-11-20-23-59-00/matmul_shared.cu", "Doe Jane 1234"},
    // Mail.
    {"Doe, Jane <doej@example.org>/matmul_shared.cu", "Doe, Jane <doej@example.org>"},
    {"Stage 3 - Jane Doe.eml", "Stage 3 - Jane Doe.eml", "", "", false,
     "Stage 3 - Jane Doe.eml: it is neither a folder nor an archive"},
    // Names that students give their files, in a folder for all and in one of their own.
    {"matmul_shared_zoe.cu", "zoe"},
    {"matmul_shared (zoe).cu", "zoe"},
    {"zoe.matmul_shared.cu", "zoe"},
    {"Zoe Doe matmul_shared.cu", "Zoe Doe"},
    {"zoe/matmul-shared.cu", "zoe"},
    {"zoe/Matmul Shared.cu", "zoe"},
    {"zoe/MatMulShared.cu", "zoe"},
    {"zoe/matmul_shared_final.cu", "zoe"},
    {"zoe/matmul_shared v2.cu", "zoe"},
    {"zoe/matmul_shared.cu.cu", "zoe"},
    {"zoe/matmul_shared.cu.cpp", "zoe"},
    {"zoe/matmul_shared%20(2).cu", "zoe"},
    {"zoe/matmul_shared__1_.cu", "zoe"},
    {"zoe/matmul_shared \xE2\x80\x94 kopia.cu", "zoe"},
    {"zoe/matmul_shared - Copie (2).cu", "zoe"},
    {"zoe/Copy of matmul_shared.cu", "zoe"},
    {"zoe/matmul_shared.cuh", "zoe", "", "", false, "matmul_shared.cuh is called as none"},
    {"zoe/matmul_shared.docx", "zoe", "", "", false, "it holds no labs/NN_topic/*.cu"},
    {"zoe.bundle", "zoe.bundle", "", "", false, "zoe.bundle: it is neither a folder"},
};

TEST(ClassAsItComes, IsKnownByPlatformsNames) {
  for (const NamedCase& one : named_cases) {
    SCOPED_TRACE(one.name);
    const ScratchDirectory scratch;
    const fs::path in = scratch.path() / "in";
    put(in / one.name, kernel);
    const Intake intake = take_in(in);
    ASSERT_EQ(intake.entries.size(), 1U);
    const CohortEntry& entry = intake.entries.front();
    EXPECT_EQ(entry.name, one.student);
    ASSERT_EQ(entry.people.size(), 1U);
    EXPECT_EQ(entry.people[0].ids,
              one.id.empty() ? std::vector<std::string>() : std::vector{one.id});
    EXPECT_EQ(entry.at.marked_late, one.late);
    EXPECT_EQ(entry.at.time ? in_words(*entry.at.time).substr(0, 16) : "", one.time);
    const std::string problem = take_sources(entry, scratch.path() / "out");
    EXPECT_EQ(problem.empty(), one.refusal.empty()) << problem;
    EXPECT_THAT(problem, HasSubstr(one.refusal));
    if (one.refusal.empty()) {
      EXPECT_EQ(bytes_of(scratch.path() / "out" / place), kernel);
    }
  }
}

TEST(ClassAsItComes, IsToldApartByMoreThanOneName) {
  const ScratchDirectory scratch;
  const fs::path in = scratch.path() / "in", ilias = scratch.path() / "ilias.zip";
  const auto students = [](const fs::path& of_class) {
    std::vector<std::string> names;
    for (const CohortEntry& entry : take_in(of_class).entries) names.push_back(entry.name);
    return names;
  };
  const std::string time = "_attempt_2026-11-20-10-00-00";
  for (const char* who : {"jane_doe", "john_doe", "johanna"}) {
    put(in / ("My_lab 3_" + std::string(who) + time + "_matmul_shared.cu"), who);
    put(in / ("My_lab 3_" + std::string(who) + time + ".txt"), "Name: somebody");
  }
  for (const char* table : {"roster.csv", "Lab 3.xlsx", "dates.json"}) put(in / table, "x");
  EXPECT_THAT(students(in), testing::ElementsAre("jane_doe", "johanna", "john_doe"));
  write_zip(ilias, {at("Lab 3/Submissions/Doe_Jane_doej_345/matmul_shared.cu"),
                    at("Lab 3/Submissions/Roe_Max_roem_346/matmul_shared.cu")});
  EXPECT_THAT(students(ilias), testing::ElementsAre("Doe_Jane_doej_345", "Roe_Max_roem_346"));
  write_zip(ilias, {at("class/zoe/labs/03_shared_memory/matmul_shared.cu"), at("class/zoe/x.cu")});
  EXPECT_THAT(students(ilias), testing::ElementsAre("zoe"));
  put(in / place, kernel);
  EXPECT_THAT([&] { take_in(in); },
              testing::ThrowsMessage<CannotGrade>(HasSubstr("so it is one submission")));
}

TEST(ClassAsItComes, HasTheLastOfSeveralAttempts) {
  const ScratchDirectory scratch;
  const fs::path in = scratch.path() / "in";
  put(in / "Lab 3_doej_attempt_2026-11-20-10-00-00_matmul_shared.cu", "first");
  put(in / "Lab 3_doej_attempt_2026-11-20-11-00-00_matmul_shared.cu", "last");
  put(in / "Lab 3_doej_attempt_2026-11-20-11-00-00.txt", "Name: Jane Doe");
  put(in / "1-2 - Li Poe - Nov 5, 2026 1205 AM/matmul_shared.cu", "last");
  put(in / "1-2 - Li Poe - Nov 4, 2026 1105 PM/matmul_shared.cu", "first");
  put(in / "index.html", "Brightspace's");
  const Intake intake = take_in(in);
  ASSERT_EQ(intake.entries.size(), 2U);
  for (const CohortEntry& entry : intake.entries) {
    const ScratchDirectory to;
    EXPECT_EQ(take_sources(entry, to.path()), "");
    EXPECT_EQ(bytes_of(to.path() / place), "last") << entry.name;
    EXPECT_THAT(entry.notes, testing::ElementsAre(HasSubstr("the last of several attempts")));
  }
}

TEST(ClassAsItComes, TellsWhenAClonesLastCommitWasMade) {
  const ScratchDirectory scratch;
  const fs::path clone = scratch.path() / "in" / "anna";
  put(clone / place, kernel);
  const auto git = [&](std::vector<std::string> arguments) {
    Command command;
    command.arguments = {"git", "-C", clone, "-c", "user.name=A", "-c", "user.email=a@example.org"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    const CommandResult result = run_command(command);
    return result.succeeded() ? result.output.substr(0, result.output.find('\n')) : "failed";
  };
  if (git({"init", "--quiet", "--initial-branch=main"}) == "failed") {
    GTEST_SKIP() << "git is not installed";
  }
  ASSERT_EQ(git({"add", "."}), "");
  // The commit is signed, and the repository's settings name the program that checks signatures.
  const std::string person = "A <a@example.org> 1795176000 +0000\n";
  put(scratch.path() / "commit", "tree " + git({"write-tree"}) + "\nauthor " + person +
                                     "committer " + person +
                                     "gpgsig -----BEGIN PGP SIGNATURE-----\n \n =abcd\n"
                                     " -----END PGP SIGNATURE-----\n\nStage 3\n");
  const std::string commit = git({"hash-object", "-t", "commit", "-w", scratch.path() / "commit"});
  put(clone / ".git/refs/heads/main", commit + "\n");
  const fs::path ran = scratch.path() / "ran", program = scratch.path() / "program";
  put(program, "#!/bin/sh\ntouch '" + ran.string() + "'\n");
  fs::permissions(program, fs::perms::owner_all);
  const std::string settings = bytes_of(clone / ".git/config");
  for (const bool is_packed : {false, true}) {
    if (is_packed) {
      put(clone / ".git/config", settings);
      ASSERT_EQ(git({"pack-refs", "--all"}), "");
      ASSERT_EQ(git({"gc", "--quiet"}), "");
    }
    put(clone / ".git/config",
        settings + "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = " + program.string() + "\n");
    const Intake intake = take_in(scratch.path() / "in");
    EXPECT_EQ(intake.entries.front().at.time, 1795176000) << is_packed;
    EXPECT_EQ(intake.entries.front().at.said_by, "its Git commit");
    EXPECT_FALSE(fs::exists(ran)) << "something of the repository's has run";
  }
  git({"log", "-1"});
  EXPECT_TRUE(fs::exists(ran)) << "as it would, had git been asked in the clone";
}

TEST(Times, AreReadAsTheyAreWritten) {
  const struct {
    const char* text;
    const char* same;  ///< nullptr if it is no time
  } cases[] = {
      {"2026-11-20T23:59:00Z", "2026-11-20 23:59:00 UTC"},
      {"2026-11-20T23:59:00.123456+01:00", "2026-11-20T22:59:00Z"},
      {"2026-11-20 23:59:00.987 -0730", "2026-11-21 07:29:00Z"},
      {"2026-11-20", "2026-11-20 00:00"},
      {"Friday, 20 November 2026, 11:59 PM", "2026-11-20 23:59"},
      {"Friday, November 20, 2026, 12:05 AM", "2026-11-20 00:05"},
      {"Nov 20, 2026 112 PM", "2026-11-20 13:12"},
      {"2026-11-20-13-45-10", "2026-11-20 13:45:10"},
      {"2026-02-30", nullptr},
      {"2026-11-20 24:30", nullptr},
      {"20.11.2026", nullptr},
      {"Fri, 20 Brumaire 2026, 11:59 PM", nullptr},
      {"yesterday", nullptr},
  };
  for (const auto& [text, same] : cases) {
    const auto time = parse_time(text, DayMeans::its_beginning);
    EXPECT_EQ(time, same == nullptr ? std::nullopt : parse_time(same, DayMeans::its_beginning))
        << text;
  }
  EXPECT_EQ(parse_time("2026-11-20", DayMeans::its_end), parse_time("2026-11-20 23:59:59", {}));
}

}  // namespace
}  // namespace tilewise::grading
