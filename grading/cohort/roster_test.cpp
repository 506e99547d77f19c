#include "grading/cohort/roster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/process/sandbox.hpp"
#include "grading/cohort/deadlines.hpp"
#include "grading/cohort/tables.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class RosterTest : public testing::Test {
 protected:
  fs::path file(const std::string& text) const {
    const fs::path path = scratch_.path() / "roster.csv";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  Roster roster(const std::string& text) const { return Roster(file(text)); }

  ScratchDirectory scratch_;
};

std::string utf16(const std::string& text) {
  std::string wide = "\xFF\xFE";
  for (const char c : text) wide += {c, '\0'};
  return wide;
}

TEST_F(RosterTest, IsWhatPlatformsExport) {
  const struct {
    const char* platform;
    std::string text;
    const char *name, *id, *email;
  } cases[] = {
      {"Canvas' gradebook",
       "Student,ID,SIS User ID,SIS Login ID,Section,Stage 3 (77),Final Score\n"
       ",,,,,Manual Posting,\n"
       "    Points Possible,,,,,10,(read only)\n"
       "\"Doe, Jane\",1001,A17,doej,Lab 1,8,80\n"
       "\"Student, Test\",1002,,abc,Lab 1,,\n",
       "Doe, Jane", "A17", ""},
      {"Moodle's participants",
       "\xEF\xBB\xBF\"First name\",\"Last name\",\"ID number\",\"Email address\",Groups\n"
       "Jane,Doe,A17,doej@example.org,\"Lab 1, Lab 2\"\n",
       "Jane Doe", "A17", "doej@example.org"},
      {"Moodle's grading worksheet, in Excel",
       "Identifier;Full name;Email address;Status;Grade;Maximum grade;Grade can be changed;"
       "Last modified (submission);Last modified (grade);Feedback comments\r\n"
       "Participant 1234;Jane Doe;doej@example.org;Submitted;;10.00;Yes;"
       "Friday, 20 November 2026, 11:30 PM;-;\r\n",
       "Jane Doe", "Participant 1234", "doej@example.org"},
      {"Gradescope's roster",
       "First Name,Last Name,SID,Email,Role,Sections\nJane,Doe,A17,doej@example.org,Student,1\n"
       "Tea,Cher,,t@example.org,Instructor,1\n",
       "Jane Doe", "A17", "doej@example.org"},
      {"GitHub Classroom's",
       "\"identifier\",\"github_username\",\"github_id\",\"name\"\n\"doej\",\"octocat\",\"1\","
       "\"\"\n",
       "doej", "doej", ""},
      {"Brightspace's",
       "OrgDefinedId\tUsername\tLast Name\tFirst Name\tEmail\tEnd-of-Line Indicator\n"
       "#A17\tdoej\tDoe\tJane\tdoej@example.org\t#\n",
       "Jane Doe", "A17", "doej@example.org"},
      {"Blackboard's, in UTF-16",
       utf16("Last Name\tFirst Name\tUsername\tChild Course ID\tLab 3 [Total Pts: 10 Score] |7\n"
             "Doe\tJane\tdoej\t\t8\n"),
       "Jane Doe", "doej", ""},
      {"Moodle's in Spanish, from a spreadsheet of Windows",
       "Nombre;Apellido(s);N\xFAmero de ID;Direcci\xF3n de correo\nZo\xEB;Doe;A17;z@x.org\n",
       "Zo\xC3\xAB Doe", "A17", "z@x.org"},
      {"a list", "name\n\"Doe, \"\"Jane\"\"\"\n", "Doe, \"Jane\"", "", ""},
  };
  for (const auto& [platform, text, name, id, email] : cases) {
    SCOPED_TRACE(platform);
    const Roster all = roster(text);
    ASSERT_EQ(all.students().size(), 1U);
    EXPECT_EQ(all[0].name, name);
    EXPECT_EQ(all[0].id, id);
    EXPECT_EQ(all[0].email, email);
    if (all[0].at.time) {
      EXPECT_EQ(all[0].at.time, parse_time("2026-11-20 23:30", {}));
    }
  }
}

TEST_F(RosterTest, IsRefusedWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"name,shoe size,e-male\nJane,38,x\n", "nobody knows what shoe size and e-male are"},
      {"name,id\nJane,1\nJohn,1\n", "roster.csv:3: 1 stands in line 2 already"},
      {"name,email\nJane,J@x.org\nJane B,j@X.org\n", "roster.csv:3: j@x.org stands in line 2"},
      {"name\nJane Doe\n\"Doe, Jane\"\n", "roster.csv:3: name doe jane stands in line 2"},
      {"name,id\nJane,1\nDoe, John,2\n",
       "roster.csv:3: the row has 3 cells, and there are 2 headings"},
      {"id,section\n1,a\n,b\n", "roster.csv:3: the row has neither a name nor an id"},
      {"name,name\nJane,Jane\n", "two columns are called name"},
      {"name,submitted\nJane,soon\n", "soon is no time: write it as 2026-11-20 23:59"},
      {"name,extension\nJane,2026-02-30\n", "roster.csv:2: 2026-02-30 is no time: write it as"},
      {"name,late_days\nJane,-1\n", "roster.csv:2: -1 is no number of late days from 0 to 366"},
      {"name,late days\nJane,2 of 3\n", "2 of 3 is no number of late days"},
      {"name,extensions\nJane,3\n", "nobody knows what extensions is in a roster"},
      {"name,id\n", "names no students"},
      {"", "is empty"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.first);
    EXPECT_THAT([&] { roster(one.first); }, ThrowsMessage<CannotGrade>(HasSubstr(one.second)));
  }
  EXPECT_THAT([&] { Roster(scratch_.path() / "none.csv"); },
              ThrowsMessage<CannotGrade>(HasSubstr("none.csv cannot be read")));
}

TEST_F(RosterTest, FindsStudentsByWhatPlatformsCallThem) {
  const Roster all = roster(
      "Identifier,Full name,ID number,Email address,Username\n"
      "Participant 1234,Jane Doe,A17,doej@example.org,octocat\n"
      "Participant 1235,Max Roe,A18,roem@example.org,max\n"
      "Participant 1236,Max Roe,A19,roem2@example.org,max2\n"
      "Participant 1237,Anna van der Berg,A20,berg@example.org,berg\n"
      "Participant 1238,Özlem MÜLLER,A21,muel@example.org,muel\n"
      "Participant 1239,Пётр Иванов,A22,petr@example.org,petr\n");
  const struct {
    Person person;
    std::vector<std::size_t> students;
  } cases[] = {
      {{"doejane"}, {0}},
      {{"Doe, Jane"}, {0}},
      {{"jane doe"}, {0}},
      {{"A17"}, {0}},
      {{"DOEJ@EXAMPLE.ORG"}, {0}},
      {{"stage-3-octocat"}, {0}},
      {{"Doe, Jane(octocat)"}, {0}},
      {{"Group A-Doe Jane"}, {0}},
      {{"Somebody Else", {"1234"}}, {0}},
      {{"vanderberganna"}, {3}},
      {{"Berg Anna van der"}, {3}},
      {{"Max Roe"}, {1, 2}},
      {{"Max Roe (A19)"}, {2}},
      {{"Max Roe", {"1236"}}, {2}},
      {{"Jane"}, {}},
      {{"1"}, {}},
      {{"Doe, Jane <doej@example.org>"}, {0}},
      {{"Doe_Jane_octocat_345", {"octocat"}}, {0}},
      {{"m\xC3\xBCller\xC3\xB6zlem"}, {4}},     // as Canvas writes it
      {{"Mu\xCC\x88ller O\xCC\x88zlem"}, {4}},  // as macOS does
      {{"Muller Ozlem"}, {4}},                  // as a keyboard elsewhere does
      {{"ИВАНОВ ПЁТР"}, {5}},
  };
  for (const auto& [person, students] : cases) {
    EXPECT_EQ(all.find(person), students) << person.name;
  }
  EXPECT_EQ(all[2].name, "Max Roe (A19)") << "no two are called the same";
  EXPECT_THAT([&] { all.demand("Max Roe", "points.csv:2"); },
              ThrowsMessage<CannotGrade>("points.csv:2: 2 students are called Max Roe: write an id "
                                         "or an address"));
  EXPECT_THAT([&] { all.demand("Nemo", "points.csv:3"); },
              ThrowsMessage<CannotGrade>("points.csv:3: there is no student Nemo"));
}

TEST_F(RosterTest, SettlesWhoseEachSubmissionIs) {
  const fs::path all =
      file("name,id,submitted\nJane Doe,1,2026-11-20 10:00\nMax Roe,2,\nLi Poe,3,\n");
  const auto entry = [](const std::string& name, std::vector<Person> people) {
    CohortEntry entry{.name = name, .sources = {{name}}};
    entry.people = std::move(people);
    return entry;
  };
  std::vector<CohortEntry> entries = {
      entry("Li Poe and Max Roe", {{"Li Poe"}, {"Max Roe"}}), entry("doejane", {{"doejane"}}),
      entry("jane doe", {{"jane doe"}}), entry("stranger", {{"stranger"}})};
  const Roster roster = settle_students(entries, all);
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_THAT(entries[0].students, ElementsAre(2, 1));
  EXPECT_THAT(entries[1].students, ElementsAre(0));
  EXPECT_EQ(entries[1].sources.size(), 2U) << "one student's, under two names";
  EXPECT_EQ(entries[1].at.time, parse_time("2026-11-20 10:00", {}));
  EXPECT_THAT(entries[2].students, IsEmpty());
  EXPECT_THAT(entries[2].notes, ElementsAre("stranger is not on the roster"));

  entries = {entry("a", {{"Li Poe"}, {"Max Roe"}}), entry("b", {{"Max Roe"}})};
  EXPECT_THAT([&] { settle_students(entries, all); },
              ThrowsMessage<CannotGrade>(HasSubstr("a and b are both of one student")));
}

class DeadlinesTest : public RosterTest {
 protected:
  Deadlines deadlines(const std::string& json,
                      const std::string& table = "name,id\nJane Doe,1\nMax Roe,2\n") const {
    const fs::path path = scratch_.path() / "deadlines.json";
    std::ofstream(path) << json;
    return {path, roster(table), {"03_shared_memory", "04_prefetch"}};
  }
};

TEST_F(DeadlinesTest, SayHowLateAndWhatItCosts) {
  const Deadlines all = deadlines(R"({
    "due": "2026-11-20", "stages": {"4": "2026-11-27 12:00"}, "grace_minutes": 10,
    "free_late_days": 1, "percent_per_late_day": 10, "most_late_days": 5,
    "students": {"1": {"due": "2026-11-22", "stages": {"prefetch": "2026-11-30"}},
                 "Max Roe": {"free_late_days": 3}}})");
  const struct {
    const char* what;
    std::vector<std::size_t> students;
    const char* stage;
    const char* time;
    int days, free_days;
    double percent;
  } cases[] = {
      {"in time", {}, "03_shared_memory", "2026-11-20 23:59", 0, 0, 0},
      {"within the grace", {}, "03_shared_memory", "2026-11-21 00:09", 0, 0, 0},
      {"a free day", {}, "03_shared_memory", "2026-11-21 00:11", 1, 1, 0},
      {"two days", {}, "03_shared_memory", "2026-11-22 10:00", 2, 1, 10},
      {"the last day", {}, "03_shared_memory", "2026-11-25 10:00", 5, 1, 40},
      {"too late", {}, "03_shared_memory", "2026-11-26 10:00", 6, 1, 100},
      {"a stage's own", {}, "04_prefetch", "2026-11-26 10:00", 0, 0, 0},
      {"an extension", {0}, "03_shared_memory", "2026-11-22 10:00", 0, 0, 0},
      {"an extension of a stage", {0}, "04_prefetch", "2026-11-30 10:00", 0, 0, 0},
      {"more free days", {1}, "03_shared_memory", "2026-11-23 10:00", 3, 3, 0},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.what);
    const Lateness late =
        all.lateness(one.students, one.stage, {.time = parse_time(one.time, {}), .said_by = "x"});
    EXPECT_EQ(late.days, one.days);
    EXPECT_EQ(late.free_days, one.free_days);
    EXPECT_EQ(late.percent, one.percent);
  }
  EXPECT_EQ(all.lateness({}, "03_shared_memory", {.marked_late = true}).days, 0)
      << "how late nobody says";
  EXPECT_EQ(Deadlines().lateness({}, "03_shared_memory", {.time = 1}).days, 0);
}

// These columns are an instructor's own; a platform's table has none of them.
TEST_F(DeadlinesTest, StandInTheRosterToo) {
  const char* const table =
      "name,extension,late_days\nJane Doe,2026-11-22,\nMax Roe,-,3\nGus Poe,,\n";
  const std::string stage = "03_shared_memory";
  const HandedInAt at = {.time = parse_time("2026-11-23 10:00", {}), .said_by = "x"};
  const Deadlines all = deadlines(R"({"due": "2026-11-20", "percent_per_late_day": 10})", table);
  const struct {
    std::size_t student;
    int days, free_days;
  } cases[] = {{0, 1, 0}, {1, 3, 3}, {2, 3, 0}};
  for (const auto& one : cases) {
    SCOPED_TRACE(one.student);
    const Lateness late = all.lateness({one.student}, stage, at);
    EXPECT_EQ(late.days, one.days);
    EXPECT_EQ(late.free_days, one.free_days);
  }
  const Roster known = roster(table);
  const Deadlines alone("", known, {stage});
  EXPECT_EQ(alone.lateness({0}, stage, at).days, 1);
  EXPECT_EQ(alone.lateness({2}, stage, at).days, 0) << "nothing is due";
  const Deadlines of_pseudonyms("", known.renamed({"s1", "s2", "s3"}), {stage});
  EXPECT_EQ(of_pseudonyms.lateness({0}, stage, at).days, 1);
  EXPECT_THAT(
      [&] { deadlines(R"({"students": {"Jane Doe": {"due": "2026-11-25"}}})", table); },
      ThrowsMessage<CannotGrade>(HasSubstr("Jane Doe has an extension or late days here and in")));
}

TEST_F(DeadlinesTest, AreRefusedWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"deu": "2026-11-20"})", "'deu' is none of due, free_late_days"},
      {R"({"due": "soon"})", "\"soon\" is no time"},
      {R"({"due": 7})", "7 is no time"},
      {R"({"stages": {"5": "2026-11-20"}})", "05_work_2x2 is not graded here"},
      {R"({"stages": {"43": "2026-11-20"}})", "there is no stage '43'"},
      {R"({"percent_per_late_day": 101})", "a number from 0 to 100, not 101"},
      {R"({"free_late_days": -1})", "free_late_days is a number from 0"},
      {R"({"students": {"Nemo": {"due": "2026-11-20"}}})", "there is no student Nemo"},
      {R"({"students": {"1": {"percent_per_late_day": 1}}})", "'percent_per_late_day' is none of"},
      {R"([])", "is no object"},
      {R"({)", "parse error"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.first);
    EXPECT_THAT([&] { deadlines(one.first); }, ThrowsMessage<CannotGrade>(HasSubstr(one.second)));
  }
}

TEST_F(RosterTest, HasPseudonymsThatLast) {
  const fs::path key = scratch_.path() / "key.csv";
  std::vector<std::string> first;
  for (const bool again : {false, true}) {
    Pseudonyms pseudonyms(key);
    std::vector<std::string> all;
    for (const char* name : {"Jane Doe", "=1+1", "a, \"b\"", "Max Roe"}) {
      all.push_back(pseudonyms.of(name));
      EXPECT_THAT(all.back(), testing::MatchesRegex("s[0-9a-f]{7}"));
    }
    if (again) {
      EXPECT_EQ(all, first);
    }
    first = all;
    pseudonyms.write();
  }
  EXPECT_EQ(fs::status(key).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  std::ofstream(key) << "pseudonym,name\ns1,Jane\ns1,Max\n";
  EXPECT_THAT([&] { Pseudonyms{key}; }, ThrowsMessage<CannotGrade>(HasSubstr("key.csv:3: ")));
}

}  // namespace
}  // namespace tilewise::grading
