#include "grading/cohort/gradebook.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "common/process/sandbox.hpp"
#include "grading/cohort/cohort.hpp"
#include "grading/cohort/deadlines.hpp"
#include "grading/cohort/marks.hpp"
#include "grading/results/files.hpp"
#include "grading/results/test/example_grade.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

const std::string stage = "03_shared_memory";
const std::vector<std::string> stages = {stage};
const std::string mark_of_utf8 = "\xEF\xBB\xBF";

Rubric rubric() {
  Rubric rubric;
  const GradeResult example = example_grade();
  for (const TestResult& test : example.stages[0].tests) {
    rubric[stage].push_back(
        {.test = test.name, .category = test.category, .points = std::max(1, test.max_score)});
  }
  return rubric;
}

Mark graded(const std::string& name, const GradeResult& result, std::vector<Remark> remarks = {}) {
  Mark mark{.name = name};
  mark.submission = name;
  mark.graded.result = result;
  mark.remarks = std::move(remarks);
  add_up(mark, stages, rubric(), {}, {});
  return mark;
}

std::vector<Mark> marks() {
  GradeResult better = example_grade();
  better.stages[0].tests[1].status = Status::passed;
  better.stages[0].tests[1].score = 2;
  add_up(better.stages[0]);
  add_up(better);
  Mark ungraded{.name = "carla <x>"};
  ungraded.submission = ungraded.name;
  ungraded.graded.problem = "it holds no labs/NN_topic/*.cu\nand a second line";
  Mark missing{.name = "dora", .id = "A4", .email = "dora@example.org"};
  return {graded("anna", better), graded("=berta", example_grade()), ungraded, missing};
}

TEST(Gradebook, IsCsv) {
  EXPECT_EQ(gradebook_csv(marks(), stages),
            mark_of_utf8 +
                "name,status,score,max_score,03_shared_memory,problem,handed_in,late_days,comments,"
                "id,email\r\n"
                "anna,graded,5,8,5,,,,,,\r\n"
                "'=berta,graded,3,8,3,,,,,,\r\n"
                "carla <x>,not graded,,,,it holds no labs/NN_topic/*.cu,,,,,\r\n"
                "dora,missing,,,,,,,,A4,dora@example.org\r\n");
}

TEST(Gradebook, CountsHowTestsWent) {
  const std::string expected =
      mark_of_utf8 +
      "stage,test,category,passed,failed,others,passed_pct\r\n"
      "03_shared_memory,MatmulShared.Passes,correctness,2,0,0,100.0\r\n"
      "03_shared_memory,MatmulShared.Fails,safety,1,1,0,50.0\r\n"
      "03_shared_memory,MatmulShared.IsSkipped,performance,0,0,2,0.0\r\n"
      "03_shared_memory,MatmulShared.IsInconclusive,performance,0,0,2,0.0\r\n"
      "03_shared_memory,MatmulShared.CannotBeJudged,memory,0,0,2,0.0\r\n";
  std::vector<Mark> all = marks();
  EXPECT_EQ(statistics_csv(all), expected);
  all.push_back(all.front());  // anna handed in together with this student
  all.back().name = "anna's friend";
  EXPECT_EQ(statistics_csv(all), expected);
}

TEST(Gradebook, HasPointsByTest) {
  EXPECT_EQ(tests_csv(marks()),
            mark_of_utf8 +
                "name,03_shared_memory: MatmulShared.Passes,03_shared_memory: MatmulShared.Fails,"
                "03_shared_memory: MatmulShared.IsSkipped,"
                "03_shared_memory: MatmulShared.IsInconclusive,"
                "03_shared_memory: MatmulShared.CannotBeJudged\r\n"
                "anna,3,2,0,0,0\r\n'=berta,3,0,0,0,0\r\n");
}

TEST(Gradebook, IsAPage) {
  const std::string page = gradebook_html(marks(), stages, "Lab 3 & 4", "seed <17>");
  EXPECT_THAT(page, HasSubstr("<title>Lab 3 &amp; 4</title>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"feedback/anna.txt\">anna</a>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"feedback/carla%20%3Cx%3E.txt\">carla &lt;x&gt;</a>"));
  EXPECT_THAT(page, HasSubstr("<td>not graded: it holds no labs/NN_topic/*.cu</td>"));
  EXPECT_THAT(page, HasSubstr("<p>seed &lt;17&gt;</p>"));
  EXPECT_THAT(page, HasSubstr("4 students: 2 graded, 1 not graded, 1 missing. Mean of the graded: "
                              "4.0 of 8 points, median 4.0."));
  EXPECT_THAT(page, HasSubstr("60 to under 70%</th><td><span class=\"bar\" style=\"--part: "
                              "0.50\"></span> 1</td>"));
  EXPECT_THAT(page, HasSubstr("<tr class=\"ungraded\">"));
  EXPECT_THAT(page, HasSubstr("<tr class=\"missing\"><th scope=\"row\">dora</th><td>missing</td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"failed\">0/2 failed</td>"));
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, Not(HasSubstr("<button"))) << "without scripts there is nothing to press";
}

TEST(Gradebook, IsWhatPlatformsImport) {
  std::vector<Mark> all = marks();
  all[0].id = "A1";
  all[0].email = "anna@example.org";
  all[0].remarks = {{.stage = stage, .comment = "neat, really"}};
  EXPECT_EQ(moodle_csv(all, "Stage 3"),
            "Full name,ID number,Email address,Stage 3,Stage 3 feedback\r\n"
            "anna,A1,anna@example.org,5,\"03_shared_memory: neat, really\"\r\n"
            "'=berta,,,3,\r\n");
  const std::vector<Student> students = {
      {.name = "anna",
       .cells = {{"id", "1001"}, {"sis user id", "A1"}, {"sis login id", "an"}, {"section", "1"}}},
      {.name = "=berta", .cells = {{"id", "1001"}}},
      {.name = "dora"}};
  EXPECT_EQ(canvas_csv(all, students, "Stage 3 (77)"),
            "Student,ID,SIS User ID,SIS Login ID,Section,Stage 3 (77)\r\n"
            "    Points Possible,,,,,8\r\n"
            "anna,1001,A1,an,1,5\r\n"
            "'=berta,,,,,3\r\n")
      << "an id of another platform is none of Canvas'";
}

class MarksTest : public testing::Test {
 protected:
  std::vector<Remark> remarks(const std::string& table) const {
    const fs::path file = scratch_.path() / "points.csv";
    std::ofstream(file) << table;
    return read_remarks(file, Roster({{.name = "Jane", .ids = {"1"}}, {.name = "Max"}}), stages,
                        rubric());
  }

  ScratchDirectory scratch_;
};

TEST_F(MarksTest, TakePointsByHand) {
  const struct {
    const char* what;
    const char* rows;
    double points;
  } cases[] = {
      {"a part of a test", "1,3,Fails,1.5,almost\n", 4.5},
      {"less than it earned", "Jane,03_shared_memory,MatmulShared.Passes,0,copied\n", 0},
      {"more at a stage", "Jane,3,,2,\n", 5},
      {"less at the whole", "Jane,,,-1,no report\n", 2},
      {"as half of the world writes it", "Jane,3,,\"0,5\",\n", 3.5},
      {"a comment alone", "Jane,3,,,well done\n", 3},
      {"another's", "Max,3,,2,\n", 3},
  };
  for (const auto& [what, rows, points] : cases) {
    std::vector<Remark> all = remarks(std::string("student,stage,test,points,comment\n") + rows);
    std::erase_if(all, [](const Remark& remark) { return remark.student != 0; });
    EXPECT_EQ(graded("Jane", example_grade(), all).points, points) << what;
  }
  Mark by_hand{.name = "Max"};
  by_hand.remarks = remarks("student,stage,test,points\nMax,3,,4\nMax,3,Fails,1\n");
  add_up(by_hand, stages, rubric(), {}, {});
  EXPECT_EQ(to_string(by_hand.state()), "by hand");
  EXPECT_EQ(by_hand.points, 5);
  EXPECT_EQ(by_hand.max_points, 9);
}

TEST_F(MarksTest, RefuseWhatNobodyKnows) {
  const std::pair<const char*, const char*> cases[] = {
      {"student,stage,points\nNemo,3,1\n", "points.csv:2: there is no student Nemo"},
      {"student,stage,points\nJane,43,1\n", "points.csv:2: there is no stage '43'"},
      {"student,stage,points\nJane,4,1\n", "04_prefetch is not graded here"},
      {"student,stage,test,points\nJane,3,Fial,1\n", "there is no test Fial; the stage has Matmul"},
      {"student,stage,test,points\nJane,3,Fails,3\n", "MatmulShared.Fails has from 0 to 2 points"},
      {"student,test,points\nJane,Fails,1\n", "names a test, and no stage"},
      {"student,stage,points\nJane,3,many\n", "many are no points"},
      {"student,stage,points\nJane,3,\n", "neither points nor a comment"},
      {"student,stage,test,points\nJane,3,Fails,1\n1,3,Fails,2\n", "of Jane has points twice"},
      {"student,stages\nJane,3\n", "the column 'stages' is none of comment, points, stage"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.first);
    EXPECT_THAT([&] { remarks(one.first); }, ThrowsMessage<CannotGrade>(HasSubstr(one.second)));
  }
}

TEST_F(MarksTest, CostWhatBeingLateCosts) {
  const fs::path file = scratch_.path() / "deadlines.json";
  std::ofstream(file) << R"({"due": "2026-11-20", "percent_per_late_day": 10})";
  Mark mark = graded("Jane", example_grade(), remarks("student,stage,points\nJane,3,1\n"));
  mark.at = {.time = parse_time("2026-11-22 10:00", {}), .said_by = "Gradescope"};
  add_up(mark, stages, rubric(), Deadlines(file, {}, stages), {});
  EXPECT_DOUBLE_EQ(mark.points, 3 * 0.8 + 1) << "what is given by hand is not less for it";
  EXPECT_THAT(time_in_words(mark), AllOf(HasSubstr("handed in 2026-11-22 10:00"),
                                         HasSubstr("(Gradescope), 2 days late: 20% less")));
  EXPECT_THAT(gradebook_csv({mark}, stages), HasSubstr("Jane,graded,3.4,8,3.4,,2026-11-22 10:00"));
  EXPECT_THAT(gradebook_html({mark}, stages, "x", "y"), HasSubstr("by hand 03_shared_memory 1"));
}

TEST_F(MarksTest, AreToldToStudents) {
  GradeResult result = example_grade();
  result.stages[0].tests[0].hidden = true;
  Mark mark =
      graded("Jane", result,
             remarks("student,stage,test,points,comment\nJane,3,Passes,1,look\nJane,3,,1,\n"));
  const fs::path sources = scratch_.path() / "jane";
  put_in_place("abc", sources, "03_shared_memory/matmul_shared.cu", "hw/matmul_shared (1).cu");
  const std::string text = feedback_text(mark, sources, stages);
  EXPECT_THAT(text,
              HasSubstr("hw/matmul_shared (1).cu, as 03_shared_memory/matmul_shared.cu\n"
                        "    SHA-256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff6"));
  EXPECT_THAT(text, ContainsRegex("15ad, taken in 20..-..-.. ..:.. "));
  EXPECT_THAT(text, HasSubstr("03_shared_memory Hidden test 1: 1 point: look"));
  EXPECT_THAT(text, HasSubstr("03_shared_memory: +1 point\n"));
  EXPECT_THAT(text, HasSubstr("2 of 8 points in all.")) << "1 for a test, 1 more at the stage";
  EXPECT_THAT(text, Not(HasSubstr("MatmulShared.Passes")));
  EXPECT_LT(text.find("no worker"), text.find("Hidden test 1")) << "the cause comes first";
  EXPECT_EQ(text.find("no worker"), text.rfind("no worker")) << "and once";
  const auto document = nlohmann::json::parse(gradescope_file(mark));
  EXPECT_EQ(document["score"], 2);
  EXPECT_EQ(document["tests"][0]["score"], 1);
  EXPECT_THAT(document["output"].get<std::string>(), HasSubstr("Hidden test 1: 1 point: look"));
}

TEST_F(MarksTest, TellWhichAttemptCounts) {
  const HandedInAt marked{.marked_late = true};
  const HandedInAt timed{.time = parse_time("2026-11-22 10:00", {}), .said_by = "Blackboard"};
  const struct {
    const char* what;
    HandedInAt at;
    std::vector<std::string> notes;
    const char* lines;
  } cases[] = {
      {"nothing is known", {}, {}, ""},
      {"late, which is told once",
       marked,
       {"late", "attempt 2 of hw.zip"},
       "  late, as the platform marks it; how late is not known, and costs nothing\n"
       "  attempt 2 of hw.zip\n"},
      {"the last of several",
       timed,
       {"the last of several attempts, of today"},
       " (Blackboard)\n  the last of several attempts, of today\n"},
  };
  for (const auto& [what, at, notes, lines] : cases) {
    SCOPED_TRACE(what);
    Mark ungraded{.name = "Jane"};
    ungraded.submission = "Jane";
    ungraded.graded.problem = "report.pdf: it is neither a folder nor an archive";
    Mark passed = graded("Jane", example_grade());
    for (Mark* mark : {&ungraded, &passed}) {
      mark->at = at;
      mark->notes = notes;
      EXPECT_THAT(feedback_text(*mark, {}, stages), HasSubstr(lines));
    }
    EXPECT_THAT(feedback_text(ungraded, {}, stages), HasSubstr(std::string(lines) + "\nHand in"));
  }
}

TEST_F(MarksTest, KeepToGradescopesDates) {
  const struct {
    const char* what;
    const char* metadata;
    double score;
    const char* text;
  } cases[] = {
      {"in time", R"({"created_at": "2026-11-20T14:22:32.365935-07:00",
        "assignment": {"due_date": "2026-11-20T23:00:00.000000-07:00"}, "users": []})",
       8, "Handed in 2026-11-"},
      {"late", R"({"created_at": "2026-11-22T14:22:32.365935-07:00",
        "assignment": {"due_date": "2026-11-20T23:00:00.000000-07:00"}})",
       6, "2 days late, of them 1 free: 25% less, which leaves 6 points"},
      {"with an extension", R"({"created_at": "2026-11-22T14:22:32.365935-07:00",
        "assignment": {"due_date": "2026-11-20T23:00:00.000000-07:00"},
        "users": [{"assignment": {"due_date": "2026-11-20T23:00:00.000000-07:00"}},
                  {"assignment": {"due_date": "2026-11-23T23:00:00.000000-07:00"}}]})",
       8, "; due 2026-11-2"},
      {"without a date", R"({"created_at": "2026-11-22T14:22:32-07:00",
        "assignment": {"due_date": null}})",
       8, "Handed in 2026-11-"},
  };
  const GradescopeDates files{scratch_.path() / "results.json", scratch_.path() / "metadata.json",
                              scratch_.path() / "costs.json"};
  std::ofstream(files.costs) << R"({"free_late_days": 1, "percent_per_late_day": 25})";
  EXPECT_NO_THROW(demand_costs(files.costs));
  for (const auto& [what, metadata, score, text] : cases) {
    std::ofstream(files.results) << R"({"score": 8, "output": "first"})";
    std::ofstream(files.metadata) << metadata;
    tell_dates(files);
    const auto results = nlohmann::json::parse(text_of(files.results));
    EXPECT_EQ(results["score"], score) << what;
    EXPECT_THAT(results["output"].get<std::string>(), AllOf(HasSubstr("first\n"), HasSubstr(text)));
  }
  std::ofstream(files.metadata) << "{}";
  EXPECT_THAT([&] { tell_dates(files); }, ThrowsMessage<CannotGrade>(HasSubstr("no created_at")));
  std::ofstream(files.costs) << R"({"due": "2026-11-20"})";
  EXPECT_THAT([&] { demand_costs(files.costs); },
              ThrowsMessage<CannotGrade>(HasSubstr("its own dates and extensions count")));
}

class TermTest : public testing::Test {
 protected:
  fs::path folder(const std::string& name, const std::string& table) const {
    const fs::path folder = scratch_.path() / name;
    fs::create_directories(folder);
    std::ofstream(folder / "gradebook.csv") << table;
    return folder;
  }

  ScratchDirectory scratch_;
};

TEST_F(TermTest, IsOfSeveralAssignments) {
  const std::string headings = "name,status,score,max_score,problem,late_days,id,email\r\n";
  const fs::path first = folder("stage3", headings +
                                              "Jane Doe,graded,7.5,10,,1,A1,j@x.org\r\n"
                                              "Max Roe,missing,,,,,A2,m@x.org\r\n"
                                              "Max Roe,graded,3,10,,0,A3,\r\n");
  const fs::path second = folder("stage4", headings +
                                               "\"Doe, Jane\",graded,9,10,,2,a1,\r\n"
                                               "Max Roe,not graded,,,no file,,A2,\r\n"
                                               "Li Poe,graded,4,10,,0,,\r\n");
  const fs::path out = scratch_.path() / "term";
  merge_gradebooks(out, {first, second / ""});
  EXPECT_EQ(text_of(out / "term.csv"),
            mark_of_utf8 +
                "name,id,email,stage3,stage4,score,max_score,late_days\r\n"
                "Jane Doe,A1,j@x.org,7.5,9,16.5,20,3\r\n"
                "Max Roe,A2,m@x.org,missing,not graded,,20,0\r\n"
                "Max Roe,A3,,3,missing,3,20,0\r\n"
                "Li Poe,,,missing,4,4,20,0\r\n");
  EXPECT_THAT(text_of(out / "term.html"),
              AllOf(HasSubstr("4 students, 3 of them without points somewhere, 1 everywhere. Mean"),
                    HasSubstr("<th scope=\"col\">Sum (of 20)</th>")));

  EXPECT_THAT(
      [&] {
        merge_gradebooks(out, {first, first});
      },
      ThrowsMessage<CannotGrade>(HasSubstr("two of the folders are called stage3")));
  EXPECT_THAT([&] { merge_gradebooks(out, {folder("other", "name,points\nx,1\n")}); },
              ThrowsMessage<CannotGrade>(HasSubstr("has no column status")));
  EXPECT_THAT(
      [&] { merge_gradebooks(out, {folder("twice", headings + "A,graded,1,2\nA,graded,1,2\n")}); },
      ThrowsMessage<CannotGrade>(HasSubstr("A is there twice")));
}

}  // namespace
}  // namespace tilewise::grading
