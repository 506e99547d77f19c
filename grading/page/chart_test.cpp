#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "common/base/test/matches.hpp"
#include "grading/page/render.hpp"

// These tests cover charts and the engine that draws them.
namespace tilewise::grading {
namespace {

using Json = nlohmann::ordered_json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Json axis(const std::string& label, bool logarithmic) {
  return {{"label", label}, {"logarithmic", logarithmic}};
}

Json chart_of(const std::vector<std::pair<double, double>>& points, bool logarithmic = true) {
  Json series = {{"name", "tile 8"}, {"points", Json::array()}};
  for (const auto& [x, y] : points) series["points"].push_back({{"x", x}, {"y", y}});
  return {{"title", "time of a kernel"},
          {"x", axis("order n", logarithmic)},
          {"y", axis("time (ms)", logarithmic)},
          {"series", Json::array({series})},
          {"size", "half"}};
}

std::string drawn(const Json& chart) { return render("chart", chart); }

/// The texts of the elements of a class, in their order.
std::vector<std::string> texts(const std::string& svg, const std::string& classes) {
  std::vector<std::string> found;
  for (const auto& element :
       core::matches_of(svg, "<text class=\"" + classes + "\"[^>]*>([^<]*)</text>")) {
    found.push_back(element[1]);
  }
  return found;
}

const std::string along_x = "soft small mid", along_y = "soft small end";

TEST(Chart, DrawsLinesAndKeepsTextAsText) {
  const std::string svg = drawn(chart_of({{256, 1}, {512, 8}, {1000, 60}, {1024, 64}}));
  EXPECT_THAT(svg, AllOf(HasSubstr("<svg xmlns=\"http://www.w3.org/2000/svg\""),
                         HasSubstr(">time of a kernel</text>"), HasSubstr(">order n</text>"),
                         HasSubstr(">time (ms)</text>"), HasSubstr(">tile 8</text>"),
                         HasSubstr("<title>tile 8: 60.00 at 1000</title>")));
  EXPECT_THAT(texts(svg, along_x), ElementsAre("256", "512", "1024")) << "1000 has no room";
  EXPECT_THAT(texts(svg, along_y), ElementsAre("1", "2", "5", "10", "20", "50", "100"));
  EXPECT_EQ(svg, drawn(chart_of({{256, 1}, {512, 8}, {1000, 60}, {1024, 64}})));
}

TEST(Chart, FollowsTheReadersTheme) {
  EXPECT_THAT(drawn(chart_of({{256, 1}})), HasSubstr("(prefers-color-scheme:dark)"));
}

TEST(Chart, HasMarksThatPeopleCountIn) {
  const auto heights = [](double most) {
    return texts(drawn(chart_of({{1, 0}, {2, most}}, false)), along_y);
  };
  EXPECT_THAT(heights(442.8), ElementsAre("0", "100", "200", "300", "400", "500"));
  EXPECT_THAT(heights(0.3), ElementsAre("0", "0.1", "0.2", "0.3"));
  EXPECT_THAT(heights(8000), ElementsAre("0", "2000", "4000", "6000", "8000"));
  EXPECT_THAT(heights(0), ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1"));
  EXPECT_THAT(texts(drawn(chart_of({{1, 1e-3}, {2, 9e3}})), along_y),
              ElementsAre("0.001", "0.01", "0.1", "1", "10", "100", "1000", "10000"));
}

TEST(Chart, HasMarksAtThePointsWhereTheirNumbersHaveRoom) {
  const auto marks = [](std::vector<double> places, bool logarithmic) {
    std::vector<std::pair<double, double>> points;
    for (const double place : places) points.emplace_back(place, 1);
    return texts(drawn(chart_of(points, logarithmic)), along_x);
  };
  EXPECT_THAT(marks({256}, true), ElementsAre("256"));
  EXPECT_THAT(marks({256, 512, 1000, 1024, 2048}, true), ElementsAre("256", "512", "1024", "2048"));
  EXPECT_THAT(marks({128, 176, 256, 352, 640}, false), ElementsAre("176", "256", "352", "640"));
}

TEST(Chart, ShowsNamesAsTheyAre) {
  const std::pair<std::string, std::string> cases[] = {
      {"<script>alert(1)</script>", "&lt;script"},
      {"</style><b>", "&lt;/style"},
      {"a & b", "a &amp; b"},
      {"STYLES", ">STYLES<"},
      {"$& $1", ">$&amp; $1<"},
      {"\033[31m\x01\xff", "\\x1b[31m\\x01\\xff"},
      {"\xc3\xa9t\xc3\xa9 \xf0\x9f\x98\x80", ">\xc3\xa9t\xc3\xa9 \xf0\x9f\x98\x80<"},
      {"back\\slash\"", ">back\\slash&quot;<"},
  };
  for (const auto& [name, shown] : cases) {
    Json chart = chart_of({{256, 1}, {512, 8}});
    chart["title"] = chart["x"]["label"] = chart["y"]["label"] = name;
    chart["series"][0]["name"] = name;
    const std::string svg = drawn(chart);
    EXPECT_THAT(svg, HasSubstr(shown)) << name;
    EXPECT_THAT(svg, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<b>")))) << name;
    EXPECT_EQ(std::count(svg.begin(), svg.end(), '{'), std::count(svg.begin(), svg.end(), '}'));
  }
}

TEST(Chart, CutsNamesThatHaveNoRoom) {
  Json chart = chart_of({{256, 1}, {512, 8}});
  std::string name;
  for (int i = 0; i < 5000; ++i) name += "\xc3\xa9";
  chart["series"][0]["name"] = name;
  EXPECT_THAT(drawn(chart), HasSubstr("\xc3\xa9...</text>"));
}

TEST(Chart, LeavesOutWhatCannotBeDrawn) {
  constexpr double infinite = std::numeric_limits<double>::infinity();  // null as JSON
  const std::string svg =
      drawn(chart_of({{0, 1}, {128, -1}, {256, infinite}, {512, 2}, {infinite, 3}}));
  EXPECT_THAT(texts(svg, along_x), ElementsAre("512"));
  EXPECT_THROW(drawn(chart_of({{0, 1}, {256, infinite}})), CannotDraw);
}

TEST(Chart, TellsLinesApartWithoutColours) {
  Json chart = chart_of({{256, 1}, {512, 8}});
  for (int i = 1; i < 12; ++i) {
    chart["series"].push_back(chart_of({{256, 1 + i}, {512, 8 + i}})["series"][0]);
  }
  const std::string svg = drawn(chart);
  for (const char* way : {"stroke-dasharray=\"8 4\"", "class=\"mark hollow\""}) {
    EXPECT_THAT(svg, HasSubstr(way));
  }
}

TEST(Chart, DrawsLinesThatLieOnOneAnotherOnce) {
  Json chart = chart_of({{256, 1}, {512, 8}});
  Json near = chart_of({{256, 1.004}, {512, 8}})["series"][0];
  near["name"] = "tile 16";
  Json apart = chart_of({{256, 1.02}, {512, 8}})["series"][0];
  apart["name"] = "tile 32";
  chart["series"].insert(chart["series"].end(), {near, apart});
  EXPECT_THAT(texts(drawn(chart), "name"), ElementsAre("tile 8, tile 16", "tile 32"));
}

TEST(Chart, LeavesOutLinesThatWaitToBeChosen) {
  Json chart = chart_of({{256, 1}, {512, 8}});
  Json waiting = chart_of({{256, 2}, {512, 9000}})["series"][0];
  waiting["name"] = "tile 16";
  waiting["waits"] = true;
  chart["series"].push_back(waiting);
  EXPECT_THAT(texts(drawn(chart), "name"), ElementsAre("tile 8"));
  EXPECT_THAT(texts(drawn(chart), along_y), ElementsAre("1", "2", "5", "10"));
}

Json roofline_of(const std::vector<Json>& points) {
  return {{"title", "kernels"},
          {"roofs",
           {{"gpu", "a card"}, {"peak_gflops", 1000}, {"dram_gb_s", 100}, {"shared_gb_s", 500}}},
          {"points", points}};
}

TEST(Roofline, SaysWhichRoofIsTheLowest) {
  const Json by_dram = {{"name", "a"}, {"gflops", 90}, {"dram", 2}, {"shared", 1}};
  const Json by_shared = {{"name", "b"}, {"gflops", 90}, {"dram", 8}, {"shared", 0.5}};
  const Json by_peak = {{"name", "c"}, {"gflops", 90}, {"dram", 50}, {"shared", nullptr}};
  const std::string svg = render("roofline", roofline_of({by_dram, by_shared, by_peak}));
  EXPECT_THAT(texts(svg, "small soft"),
              testing::IsSupersetOf({"90.00 of 200.0 by DRAM", "90.00 of 250.0 by shared memory",
                                     "90.00 of 1,000 by arithmetic"}));
  EXPECT_THAT(texts(svg, "name"), ElementsAre("a", "b", "c"));
  EXPECT_EQ(core::matches_of(svg, "class=\"mark hollow\"").size(), 2u);
}

TEST(Roofline, IsRefusedWhereNothingMoves) {
  const Json still = {{"name", "a"}, {"gflops", 90}, {"dram", nullptr}, {"shared", nullptr}};
  EXPECT_THROW(render("roofline", roofline_of({still})), CannotDraw);
}

TEST(Render, TellsWhereTheScriptFails) {
  try {
    render("chart", {{"title", "nothing else"}});
    ADD_FAILURE() << "nothing thrown";
  } catch (const std::logic_error& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("tools/page/render.js: TypeError"), HasSubstr("at ")));
  }
  EXPECT_THROW(render("poem", {}), std::logic_error);
}

}  // namespace
}  // namespace tilewise::grading
