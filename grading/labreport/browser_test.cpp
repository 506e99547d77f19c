#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "common/base/files.hpp"
#include "common/base/test/matches.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/bench/test/example_bench.hpp"
#include "grading/builder/layout.hpp"
#include "grading/labreport/lab_report.hpp"

// These tests check the lab report as a browser shows and prints it.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    if (!find_program(name).empty()) return name;
  }
  return "";
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// A report that is hard to lay out: it has long words and many lines and columns.
BenchReport crowded_bench() {
  BenchReport report = example_bench();
  report.device = "gtx1080 (modelled) " + std::string(200, 'W');
  report.command = "lab bench --submission /home/" + std::string(300, 'x');
  for (int tile = 1; tile <= 12; ++tile) {
    for (const int n : {256, 512, 1000, 1024, 2048, 4096}) {
      BenchRow row = example_row("06_work_rx_ry", "matmul_rx_ry", tile, n, 300 * tile);
      row.block += ", results 16x16";
      report.rows.push_back(row);
    }
  }
  for (const char* function : {"matmul_two_rows", "matmul_two_rows_transposed", "matmul_rank1"}) {
    BenchRow row = example_row("09_rank1_update", function, 32, 4096, 5000);
    row.block.clear();
    row.occupancy->limited_by = "registers, shared memory and the grid's size";
    report.rows.push_back(row);
  }
  report.rows.front().problem = "It cannot be compiled:\n" + std::string(400, 'y');
  return report;
}

/// Tells the page around it how wide everything is.
constexpr const char* probe = R"(<script>
addEventListener("load", () => parent.postMessage(JSON.stringify({
  width: innerWidth,
  content: document.documentElement.scrollWidth,
  charts: [...document.querySelectorAll("figure .plot")].map(chart => {
    const box = chart.getBoundingClientRect();
    return [chart.getBBox().width, box.left, box.top, box.right, box.bottom];
  })
}), "*"));
</script>)";

/// The report in a frame, because a browser's window cannot be as narrow as a telephone's.
std::string frame_page(const std::string& report, int width) {
  return "<!DOCTYPE html><link rel=icon href=data:,><script>addEventListener('message', event => "
         "document.body.append('probe' + event.data));</script><body><iframe src=\"" +
         report + "\" style=\"border:0;height:900px;width:" + std::to_string(width) +
         "px\"></iframe></body>";
}

class LabReportInABrowser : public testing::Test {
 protected:
  void SetUp() override {
    if (browser().empty()) GTEST_SKIP() << "no Chromium is installed";
    const fs::path root = core::project_root();
    std::vector<StageInfo> wanted = {stages()[2], stages()[3], stages()[5], stages()[8]};
    page_ = lab_report_page(crowded_bench(), read_stage_notes(root, wanted));
  }

  /// The browser's output, including its log.
  std::string run(const fs::path& page, std::vector<std::string> options) {
    Command command;
    command.arguments = {browser(),
                         "--headless",
                         "--no-sandbox",
                         "--disable-gpu",
                         "--disable-dev-shm-usage",
                         "--hide-scrollbars",
                         "--enable-logging=stderr",
                         "--user-data-dir=" + (scratch_.path() / "profile").string()};
    for (std::string& option : options) command.arguments.push_back(std::move(option));
    command.arguments.push_back("file://" + page.string());
    command.time_limit_s = 100;
    const CommandResult result = run_command(command);
    EXPECT_TRUE(result.succeeded()) << describe_ending(result) << '\n' << result.output;
    EXPECT_THAT(result.output, Not(HasSubstr("CONSOLE")))
        << "the page has something to complain of";
    return result.output;
  }

  /// The measurements that the probe takes in a page that is `width` pixels wide.
  nlohmann::json laid_out(std::string page, int width) {
    // The page's own policy forbids scripts.
    const std::string policy = "default-src 'none'";
    page.replace(page.find(policy), policy.size(), "script-src 'unsafe-inline'");
    page.insert(page.find("</body>"), probe);
    write("report.html", page);
    const std::string output = run(write("frame.html", frame_page("report.html", width)),
                                   {"--dump-dom", "--virtual-time-budget=5000"});
    const auto told = core::matches_of(output, "probe(\\{.*\\})");
    if (told.empty()) throw std::runtime_error("the probe tells nothing:\n" + output);
    const auto found = nlohmann::json::parse(told[0][1]);
    EXPECT_EQ(found["width"], width);
    return found;
  }

  fs::path write(const char* name, const std::string& text) const {
    std::ofstream(scratch_.path() / name) << text;
    return scratch_.path() / name;
  }

  std::string page_;
  ScratchDirectory scratch_;
};

struct Box {
  double drawn_width, left, top, right, bottom;
};

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

std::vector<Box> boxes_in(const nlohmann::json& charts) {
  std::vector<Box> boxes;
  for (const auto& chart : charts) {
    boxes.push_back({chart[0], chart[1], chart[2], chart[3], chart[4]});
  }
  return boxes;
}

TEST_F(LabReportInABrowser, ShowsEveryFigureAtAnyWidth) {
  for (const int width : {1280, 400}) {
    const auto found = laid_out(page_, width);
    EXPECT_LE(found["content"], width) << "the page scrolls sideways";
    const std::vector<Box> boxes = boxes_in(found["charts"]);
    // Each of five functions has charts of time, rate, intensity and instructions; one more chart
    // shows which is faster.
    EXPECT_EQ(boxes.size(), 4u * 5 + 1);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const Box& box = boxes[i];
      EXPECT_GT(box.drawn_width, 0) << "chart " << i << " cannot be shown";
      EXPECT_GT(box.right - box.left, width / 3.0) << "chart " << i << " is too small to read";
      EXPECT_GT(box.bottom - box.top, 100) << "chart " << i;
      EXPECT_GE(box.left, 0) << "chart " << i;
      EXPECT_LE(box.right, width) << "chart " << i;
      for (std::size_t k = 0; k < i; ++k) {
        EXPECT_FALSE(overlap(box, boxes[k])) << "charts " << k << " and " << i;
      }
    }
  }
}

TEST_F(LabReportInABrowser, IsNoWiderThanPaper) {
  // Otherwise the browser would shrink all pages until the widest table fits. A4 is 178 mm wide
  // between the margins, which is 672 CSS pixels.
  constexpr int width = 672;
  std::string printed = page_;
  const std::string rule = "@media print";
  ASSERT_NE(printed.find(rule), printed.npos);
  printed.replace(printed.find(rule), rule.size(), "@media all");
  EXPECT_LE(laid_out(printed, width)["content"], width);
}

TEST_F(LabReportInABrowser, FetchesNothing) {
  EXPECT_THAT(core::matches_of(page_, "(src|href)=\"(?!data:|#)"), IsEmpty());
  EXPECT_THAT(page_, Not(HasSubstr("://")));
  EXPECT_THAT(page_, Not(HasSubstr("url(")));
  EXPECT_THAT(page_, Not(HasSubstr("@import")));
}

TEST_F(LabReportInABrowser, PrintsOnAFewPages) {
  const fs::path pdf = scratch_.path() / "report.pdf";
  run(write("report.html", page_), {"--no-pdf-header-footer", "--print-to-pdf=" + pdf.string()});
  const std::size_t pages = core::matches_of(text_of(pdf), "/Type /Page\\b").size();
  EXPECT_GE(pages, 8u);
  EXPECT_LE(pages, 20u);
}

}  // namespace
}  // namespace tilewise::grading
