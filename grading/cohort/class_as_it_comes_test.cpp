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
#include "grading/cohort/intake.hpp"
#include "grading/cohort/test/write_archive.hpp"
#include "grading/cohort/times.hpp"

// What a class of students hands in, and what platforms call it.
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

/// Where entries of a class are written to.
using Folder = const fs::path&;

struct Case {
  std::string student;
  void (*hand_in)(Folder in);
  std::string refusal = "";  ///< what its student is told; empty: it is graded
};

const std::vector<Case> cases = {
    // As the course has it.
    {"as_it_is", [](Folder in) { put(in / "as_it_is" / place, kernel); }},
    {"clone", [](Folder in) { put(in / "clone/tilewise-main" / place, kernel); }},
    {"two_above", [](Folder in) { put(in / "two_above/home/tilewise" / place, kernel); }},
    {"with_report",
     [](Folder in) {
       put(in / "with_report" / place, kernel);
       put(in / "with_report/report.pdf", "%PDF");
     }},
    {"with_build",
     [](Folder in) {
       put(in / "with_build" / place, kernel);
       put(in / "with_build/build/simt/x.o", "ELF");
     }},
    // The file alone.
    {"file_alone", [](Folder in) { put(in / "file_alone/matmul_shared.cu", kernel); }},
    {"in_homework", [](Folder in) { put(in / "in_homework/hw/3/matmul_shared.cu", kernel); }},
    {"downloaded", [](Folder in) { put(in / "downloaded/matmul_shared (1).cu", kernel); }},
    {"upper_case", [](Folder in) { put(in / "upper_case/MATMUL_SHARED.CU", kernel); }},
    {"by_mail", [](Folder in) { put(in / "by_mail/matmul_shared.cu.txt", kernel); }},
    {"copied", [](Folder in) { put(in / "copied/matmul_shared - Copy.cu", kernel); }},
    {"kopiert", [](Folder in) { put(in / "kopiert/matmul_shared - Kopie.cu", kernel); }},
    {"versioned", [](Folder in) { put(in / "versioned/matmul_shared-2.cu", kernel); }},
    {"with_name", [](Folder in) { put(in / "with_name/zoe_matmul_shared.cu", kernel); }},
    {"zoe", [](Folder in) { put(in / "zoe_matmul_shared.cu", kernel); }},
    {"Jane Roe", [](Folder in) { put(in / "Jane Roe - matmul_shared.cu", kernel); }},
    // Archives.
    {"zip",
     [](Folder in) {
       write_zip(in / "zip.zip", {{place, kernel}});
     }},
    {"zip_in_folder",
     [](Folder in) {
       fs::create_directories(in / "zip_in_folder");
       write_zip(in / "zip_in_folder/hw.zip", {{"hw/matmul_shared.cu", kernel}});
     }},
    {"from_a_mac",
     [](Folder in) {
       write_zip(in / "from_a_mac.zip", {{"__MACOSX/hw/._matmul_shared.cu", "Mac"},
                                         {"hw/.DS_Store", "Mac"},
                                         {"hw/matmul_shared.cu", kernel}});
     }},
    {"tar_gz",
     [](Folder in) {
       write_archive(in / "tar_gz.tar.gz", {{"matmul_shared.cu", kernel}});
     }},
    {"tgz",
     [](Folder in) {
       write_archive(in / "tgz.tgz", {{place, kernel}});
     }},
    {"seven_zip",
     [](Folder in) {
       write_archive(in / "seven_zip.7z", {{"matmul_shared.cu", kernel}});
     }},
    {"tar_xz",
     [](Folder in) {
       write_archive(in / "tar_xz.tar.xz", {{"a/matmul_shared.cu", kernel}});
     }},
    {"nested_once",
     [](Folder in) {
       const ScratchDirectory from;
       write_zip(from.path() / "inner.zip", {{"matmul_shared.cu", kernel}});
       write_zip(in / "nested_once.zip", {{"inner.zip", bytes_of(from.path() / "inner.zip")}});
     }},
    {"upper_case_zip",
     [](Folder in) {
       write_zip(in / "upper_case_zip.ZIP", {{place, kernel}});
     }},
    {"both_alike",
     [](Folder in) {
       put(in / "both_alike" / place, kernel);
       write_zip(in / "both_alike.zip", {{place, kernel}});
     }},
    // Texts as editors of Windows write them.
    {"utf_16", [](Folder in) { put(in / "utf_16/matmul_shared.cu", utf16(kernel, true)); }},
    {"utf_16_big",
     [](Folder in) { put(in / "utf_16_big/matmul_shared.cu", utf16(kernel, false)); }},
    {"with_mark",
     [](Folder in) {
       put(in / "with_mark/matmul_shared.cu", std::string("\xEF\xBB\xBF") + kernel);
     }},
    {"crlf", [](Folder in) { put(in / "crlf/matmul_shared.cu", "__global__ void k() {}\r\n"); }},
    // What cannot be graded, or not without asking.
    {"pdf", [](Folder in) { put(in / "pdf/report.pdf", "%PDF"); },
     "it holds no labs/NN_topic/*.cu"},
    {"pdf_alone", [](Folder in) { put(in / "pdf_alone.pdf", "%PDF"); },
     "it is neither a folder nor an archive"},
    {"empty_zip", [](Folder in) { write_zip(in / "empty_zip.zip", {}); },
     "it is neither a folder nor an archive"},
    {"no_zip", [](Folder in) { put(in / "no_zip.zip", "<html>Log in</html>"); },
     "it is neither a folder nor an archive"},
    {"half_a_zip",
     [](Folder in) {
       write_zip(in / "half_a_zip.zip", {{place, std::string(9999, 'x')}});
       fs::resize_file(in / "half_a_zip.zip", 80);
     },
     ""},
    {"two_that_differ",
     [](Folder in) {
       put(in / "two_that_differ/matmul_shared.cu", kernel);
       put(in / "two_that_differ/matmul_shared (1).cu", "other");
     },
     "matmul_shared (1).cu and matmul_shared.cu differ, and either may be meant"},
    {"folder_and_zip_differ",
     [](Folder in) {
       put(in / "folder_and_zip_differ" / place, kernel);
       write_zip(in / "folder_and_zip_differ.zip", {{place, "other"}});
     },
     "differ in matmul_shared.cu, and either may be meant: keep one of them"},
    {"too_large", [](Folder in) { put(in / "too_large" / place, std::string(2 << 20, ' ')); },
     "larger than"},
    {"other_name", [](Folder in) { put(in / "other_name/kernel.cu", kernel); },
     "it holds no labs/NN_topic/*.cu"},
    {"nested_twice",
     [](Folder in) {
       const ScratchDirectory from;
       write_zip(from.path() / "a.zip", {{"matmul_shared.cu", kernel}});
       write_zip(from.path() / "b.zip", {{"a.zip", bytes_of(from.path() / "a.zip")}});
       write_zip(in / "nested_twice.zip", {{"b.zip", bytes_of(from.path() / "b.zip")}});
     },
     "it holds no labs/NN_topic/*.cu"},
    {"nothing", [](Folder in) { fs::create_directories(in / "nothing"); },
     "it holds no labs/NN_topic/*.cu"},
};

/// Of a damaged archive what is wrong depends on where it ends.
bool is_damaged(const Case& one) { return one.student == "half_a_zip"; }

TEST(ClassAsItComes, IsGradedOrToldWhyNot) {
  EXPECT_EQ(cases.size(), 41U);
  const ScratchDirectory scratch;
  const fs::path in = scratch.path() / "in";
  fs::create_directories(in);
  for (const Case& one : cases) one.hand_in(in);
  std::map<std::string, CohortEntry> entries;
  for (const CohortEntry& entry : take_in(in).entries) entries[entry.name] = entry;
  for (const Case& one : cases) {
    // What is no archive is called by its whole name.
    const std::string name = one.student == "pdf_alone" ? "pdf_alone.pdf" : one.student;
    ASSERT_TRUE(entries.contains(name)) << name;
    const ScratchDirectory to;
    const std::string problem = take_sources(entries[name], to.path());
    if (is_damaged(one)) {
      EXPECT_NE(problem, "") << name;
    } else if (one.refusal.empty()) {
      EXPECT_EQ(problem, "") << name;
      EXPECT_EQ(bytes_of(to.path() / place), kernel) << name;
    } else {
      EXPECT_THAT(problem, HasSubstr(one.refusal)) << name;
    }
  }
  EXPECT_EQ(entries.size(), cases.size());
}

struct NamedCase {
  std::string name;
  std::string student;
  std::string id = "";    ///< that the platform has
  std::string time = "";  ///< of this machine
  bool late = false;
};

const std::vector<NamedCase> named_cases = {
    // Moodle, which keeps the middle in all languages.
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
};

TEST(ClassAsItComes, IsKnownByPlatformsNames) {
  EXPECT_EQ(named_cases.size(), 30U);
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
    EXPECT_EQ(take_sources(entry, scratch.path() / "out"), "");
    EXPECT_EQ(bytes_of(scratch.path() / "out" / place), kernel);
  }
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
  // Signed, and the repository's settings name the program that looks at signatures.
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
    const char* same;  ///< nullptr: none
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
