#include "grading/charts/gnuplot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "common/process/sandbox.hpp"
#include "grading/builder/programs.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Chart chart_of(std::vector<Point> points) {
  return {"time of a kernel", {"order n", true}, {"time (ms)", true}, {{"tile 8", points}}};
}

class Gnuplot : public testing::Test {
 protected:
  void SetUp() override {
    if (find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
  }
};

TEST_F(Gnuplot, DrawsLinesAndKeepsTextAsText) {
  const std::string svg = svg_of(chart_of({{256, 1}, {512, 8}, {1000, 60}, {1024, 64}}));
  EXPECT_THAT(
      svg, AllOf(HasSubstr("<svg"), HasSubstr(">time of a kernel</text>"),
                 HasSubstr(">order n</text>"), HasSubstr(">time (ms)</text>"),
                 HasSubstr(">tile 8</text>"), HasSubstr(">256</text>"), HasSubstr(">1024</text>")));
  EXPECT_THAT(svg, Not(HasSubstr(">1000</text>"))) << "no room beside 1024";
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST_F(Gnuplot, DrawsOnePoint) { EXPECT_THAT(svg_of(chart_of({{256, 1}})), HasSubstr(">256<")); }

TEST_F(Gnuplot, ShowsNamesAsTheyAreAndRunsNothing) {
  const ScratchDirectory scratch;
  const std::string trap = (scratch.path() / "sprung").string();
  const struct {
    std::string name, shown;
  } cases[] = {
      {"`touch " + trap + "`", "`touch"},
      {"'; system('touch " + trap + "'); '", ">'; system("},
      {"'\nsystem 'touch " + trap + "'\n#", " system "},
      {"\"; !touch " + trap, "!touch"},
      {"@system", ">@system<"},
      {"back\\slash\\", ">back\\slash\\<"},
      {"{/Bold x}_1^2", "{/Bold x}_1^2"},
      {"<script>alert(1)</script>", "&lt;script"},
      {"a & b", "a &amp; b"},
      {"\033[31m\x01\xff", "\\x1b[31m\\x01\\xff"},
      {"\xc3\xa9t\xc3\xa9", ">\xc3\xa9t\xc3\xa9<"},
      {"END", ">END<"},
      {"'", ">'<"},
      {"$line0", ">$line0<"},
  };
  for (const auto& [name, shown] : cases) {
    Chart chart = chart_of({{256, 1}, {512, 8}});
    chart.title = chart.x.label = chart.y.label = chart.series[0].name = name;
    const std::string svg = svg_of(chart);
    EXPECT_THAT(svg, HasSubstr(shown)) << name;
    EXPECT_THAT(svg, Not(HasSubstr("<script"))) << name;
    EXPECT_FALSE(fs::exists(trap)) << name;
  }
}

TEST_F(Gnuplot, CutsNamesThatHaveNoRoom) {
  Chart chart = chart_of({{256, 1}, {512, 8}});
  std::string name;
  for (int i = 0; i < 5000; ++i) name += "\xc3\xa9";
  chart.series[0].name = name;
  EXPECT_THAT(svg_of(chart), HasSubstr("\xc3\xa9...</text>"));
}

TEST_F(Gnuplot, LeavesOutWhatCannotBeDrawn) {
  const std::string svg =
      svg_of(chart_of({{0, 1}, {128, -1}, {256, NAN}, {512, 2}, {768, INFINITY}}));
  EXPECT_THAT(svg, AllOf(HasSubstr(">512<"), Not(HasSubstr(">128<")), Not(HasSubstr(">768<"))));
  EXPECT_THROW(svg_of(chart_of({{0, 1}, {256, NAN}})), std::invalid_argument);
  EXPECT_THROW(svg_of({}), std::invalid_argument);
}

TEST_F(Gnuplot, WritesFilesIntoAFolderThatItMakes) {
  const ScratchDirectory scratch;
  const fs::path folder = scratch.path() / "a" / "plots";
  write_charts(folder, {{"one", chart_of({{1, 1}})}, {"two", chart_of({{2, 1}})}});
  for (const char* file : {"one.svg", "two.svg"}) {
    std::ostringstream text;
    text << std::ifstream(folder / file).rdbuf();
    EXPECT_THAT(text.str(), HasSubstr("</svg>"));
  }
  std::ofstream(scratch.path() / "file") << "x";
  EXPECT_THROW(write_charts(scratch.path() / "file", {{"one", chart_of({{1, 1}})}}),
               std::runtime_error);
  EXPECT_THROW(write_charts(folder, {{"../one", chart_of({{1, 1}})}}), std::invalid_argument);
}

TEST(GnuplotMissing, SaysHowToInstallIt) {
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  for (const auto& use : {std::function([] {
                            svg_of(chart_of({{1, 1}}));
                          }),
                          std::function([] { demand_gnuplot(); })}) {
    try {
      use();
      ADD_FAILURE() << "nothing thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("apt-get install gnuplot-nox"));
    }
  }
  ::setenv("PATH", path.c_str(), 1);
}

TEST(GnuplotMarks, HaveRoomForTheirNumbers) {
  EXPECT_THAT(marks_at({256}, true), ElementsAre(256));
  EXPECT_THAT(marks_at({256, 512, 1000, 1024, 2048}, true), ElementsAre(256, 512, 1024, 2048));
  EXPECT_THAT(marks_at({128, 176, 256, 352, 640}, false), ElementsAre(176, 256, 352, 640));
}

}  // namespace
}  // namespace tilewise::grading
