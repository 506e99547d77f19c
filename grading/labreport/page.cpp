#include "grading/labreport/page.hpp"

#include <algorithm>

#include "grading/bench/bench_views.hpp"
#include "grading/labreport/sections.hpp"

namespace tilewise::grading {
namespace {

constexpr const char* title = "Laboratory report: matrix kernels on a GPU";

Html head(const std::string& styles) {
  return element(
      "head", void_element("meta", {{"charset", "utf-8"}}) +
                  void_element("meta", {{"name", "viewport"}, {"content", "width=device-width"}}) +
                  // Without an icon of its own a browser would ask a server for one.
                  void_element("link", {{"rel", "icon"}, {"href", "data:,"}}) +
                  element("title", title) + element("style", Html::markup("\n" + styles)));
}

Html blank(const char* id, const char* name) {
  return element(
      "div", {{"class", "blank"}},
      element("span", {{"id", id}}, name) +
          element("div",
                  {{"contenteditable", "true"}, {"role", "textbox"}, {"aria-labelledby", id}}, ""));
}

Html fact(const char* name, const Html& value) {
  return element("dt", name) + element("dd", value);
}

Html how_taken(const BenchReport& report) {
  const bool of_student = subject_of(report) == Contender::student;
  Html facts = fact("Kernels", of_student ? "the student's own" : "the reference solutions");
  facts += fact("On", report.device);
  facts +=
      fact("How", report.modelled
                      ? "modelled: the simulator ran the kernels and counted what they do; the "
                        "times are worked out from the counts"
                      : "measured: median times of calls on this GPU; accesses and occupancy "
                        "come from the simulator and the GPU's limits");
  const bool beside_cpu = std::ranges::find(report.rows, Contender::openblas,
                                            &BenchRow::contender) != report.rows.end();
  if (beside_cpu) {
    facts += fact("CPU",
                  "OpenBLAS on the processor of the machine that the figures come from, "
                  "measured");
  }
  facts += fact("Command", element("code", report.command));
  facts += fact("Date", report.date);
  facts += fact("Inputs", report.inputs);
  return element("dl", {{"class", "facts"}}, facts);
}

Html link(const std::string& id, const std::string& text) {
  return element("li", element("a", {{"href", "#" + id}}, text));
}

}  // namespace

std::string lab_report_page(const BenchReport& report, const std::vector<StageNotes>& stages,
                            const std::string& styles, const Draw& draw) {
  const Html comparison = comparison_section(report, draw);
  Html contents = link("gpu", "The GPU");
  Html sections = gpu_section(report);
  for (const StageNotes& stage : stages) {
    contents += link("stage-" + stage.id, stage.title);
    sections += stage_section(stage, report, draw);
  }
  if (!comparison.empty()) contents += link("comparison", "All versions compared");
  contents += link("conclusions", "Conclusions");
  sections += comparison;
  sections += element(
      "section",
      element("h2", {{"id", "conclusions"}}, "Conclusions from all stages") +
          conclusions("all",
                      {"Which change brought most, and which brought nothing on this GPU? Why?",
                       "What limits the fastest version, and what would you change next?",
                       "Where do theory (occupancy, CGMA, peaks) and figures disagree?"}));

  const Html front =
      element("header",
              element("h1", title) +
                  element("div", {{"class", "blanks"}},
                          blank("name", "Name") + blank("group", "Group") + blank("date", "Date")) +
                  element("p", {{"class", "hint"}},
                          "Type into the lines and boxes, then print, also to PDF; or "
                          "print first and write by hand.") +
                  how_taken(report) +
                  element("nav", {{"aria-label", "Contents"}}, element("ul", contents)));
  return "<!DOCTYPE html>\n" +
         element("html", {{"lang", "en"}},
                 head(styles) + element("body", element("main", front + sections)))
             .text();
}

}  // namespace tilewise::grading
