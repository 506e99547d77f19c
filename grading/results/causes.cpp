#include "grading/results/causes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <tuple>

#include "common/base/language.hpp"

namespace tilewise::grading {
namespace {

constexpr std::string_view wrong_result = "wrong-result";

/// Kinds of findings, with those nearest the cause first. Kinds that are not listed are as far away
/// as wrong results. A barrier that some threads never reach comes before the races that it leads
/// to; a missing barrier is found as a race.
constexpr std::array order = {
    "compile",       "barrier",        "deadlock",      "race",       "warp-race", "warp",
    "uninitialised", "above-diagonal", "out-of-bounds", "misaligned", "read-only", "host-pointer",
    "launch",        "no-launch",      "crash",         "exit",       "output",    "time-out",
    "host-call",     "reset",          "free"};

std::size_t distance(std::string_view kind) {
  return static_cast<std::size_t>(std::ranges::find(order, kind) - order.begin());
}

bool is_passed_over(const TestResult& test) {
  return test.status == Status::passed ||
         (test.status == Status::skipped && test.finding.message.empty());
}

/// Ranks a test's finding by its distance from the cause; the nearest has the smallest rank.
auto rank(const TestResult& test) {
  const bool at_a_place = test.finding.line > 0;
  // A test that could not judge says less about the code than one that found something.
  const int certainty = test.status == Status::skipped                              ? 3
                        : test.status == Status::inconclusive                       ? 2
                        : test.status == Status::error && test.finding.kind.empty() ? 1
                                                                                    : 0;
  // A right kernel that wastes memory or time comes after all wrong ones.
  const bool is_cost = test.finding.kind.empty() && (test.category == Category::memory ||
                                                     test.category == Category::performance);
  return std::tuple(test.hidden, certainty, distance(test.finding.kind), is_cost,
                    is_cost ? test.category : Category::correctness, !at_a_place);
}

/// Returns the contract function that a finding is about, as in "matmul_shared(n=50, tile=16):
/// ...".
std::string_view function_of(const TestResult& test) {
  const std::string_view message = test.finding.message;
  const std::size_t end = message.find('(');
  const auto is_of_a_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const std::string_view name = message.substr(0, end == message.npos ? 0 : end);
  return std::ranges::all_of(name, is_of_a_name) ? name : std::string_view();
}

/// Whether each test reports the same fault differently: another line of an endless loop, or other
/// wrong elements.
bool is_seen_anew_each_time(const TestResult& test) {
  return test.finding.kind == wrong_result || test.finding.kind == "time-out";
}

/// Returns a finding's message without the call that it begins with.
std::string_view what_of(const TestResult& test) {
  std::string_view message = test.finding.message;
  if (message.starts_with(test.finding.call)) message.remove_prefix(test.finding.call.size());
  return message;
}

bool is_same(const TestResult& a, const TestResult& b) {
  if (a.hidden || b.hidden || a.status != b.status || a.finding.kind != b.finding.kind) {
    return false;
  }
  if (is_seen_anew_each_time(a)) return function_of(a) == function_of(b);
  if (a.finding.message == b.finding.message) return true;
  if (!what_of(a).empty() && what_of(a) == what_of(b) && function_of(a) == function_of(b)) {
    return true;
  }
  return a.finding.line > 0 &&
         std::tie(a.finding.file, a.finding.line, a.finding.hint) ==
             std::tie(b.finding.file, b.finding.line, b.finding.hint) &&
         (function_of(a) == function_of(b) || distance(a.finding.kind) < order.size());
}

/// Whether `effect` may be wrong because of what `cause` found.
bool may_come_of(const TestResult& effect, const TestResult& cause) {
  return effect.finding.kind == wrong_result && distance(cause.finding.kind) < order.size() &&
         function_of(effect) == function_of(cause);
}

std::string_view short_name(const TestResult& test) {
  const std::string_view name = test.name;
  const std::size_t dot = name.find('.');
  return dot == name.npos ? name : name.substr(dot + 1);
}

std::string names(const std::vector<const TestResult*>& tests) {
  std::vector<std::string_view> all;
  for (const TestResult* test : tests) all.push_back(short_name(*test));
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

void sort_by_cause(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, {},
                           [](const Finding& finding) { return distance(finding.kind); });
}

std::vector<Cause> causes_of(const StageResult& stage) {
  std::vector<const TestResult*> tests;
  for (const TestResult& test : stage.tests) {
    if (!is_passed_over(test)) tests.push_back(&test);
  }
  std::ranges::stable_sort(tests, {}, [](const TestResult* test) { return rank(*test); });
  std::vector<Cause> causes;
  for (const TestResult* test : tests) {
    const auto same = std::ranges::find_if(
        causes, [&](const Cause& cause) { return is_same(*cause.told, *test); });
    const auto source = std::ranges::find_if(causes, [&](const Cause& cause) {
      return may_come_of(*test, *cause.told) ||
             std::ranges::any_of(
                 cause.same, [&](const TestResult* other) { return may_come_of(*test, *other); });
    });
    if (same != causes.end()) {
      same->same.push_back(test);
    } else if (source != causes.end()) {
      source->effects.push_back(test);
    } else {
      causes.push_back({test});
    }
  }
  return causes;
}

const TestResult* nearest_cause(const StageResult& stage) {
  const std::vector<Cause> causes = causes_of(stage);
  if (causes.empty() || causes.front().told->status == Status::skipped) return nullptr;
  return causes.front().told;
}

std::string follow_ups(const Cause& cause) {
  std::string text;
  if (!cause.same.empty()) {
    text = cause.told->status == Status::skipped
               ? tr("So are, too: {}.", names(cause.same))
               : tr("For the same reason, too: {}.", names(cause.same));
  }
  if (!cause.effects.empty()) {
    if (!text.empty()) text += '\n';
    text += tr("It may be why results are wrong: {}.", names(cause.effects));
  }
  return text;
}

std::string kind_of(const TestResult& test) {
  return test.finding.kind.empty() ? std::string(to_string(test.category)) : test.finding.kind;
}

std::optional<Headline> headline_of(const GradeResult& grade) {
  for (const StageResult& stage : grade.stages) {
    const TestResult* test = nearest_cause(stage);
    if (test == nullptr) continue;
    if (test->hidden) {
      return Headline{stage.id,
                      std::string(to_string(test->category)),
                      tr("A hidden test did not pass."),
                      "",
                      0,
                      ""};
    }
    const Finding& found = test->finding;
    return Headline{stage.id, kind_of(*test), found.message, found.file, found.line, found.hint};
  }
  return std::nullopt;
}

std::string in_lines(const Headline& headline) {
  std::string place;
  if (!headline.file.empty()) {
    place = fmt::format(", {}{}", headline.file,
                        headline.line > 0 ? fmt::format(":{}", headline.line) : "");
  }
  return fmt::format("{}{}\n{}\n{}", headline.stage, place, headline.message,
                     headline.next.empty() ? "" : fmt::format("Next: {}\n", headline.next));
}

}  // namespace tilewise::grading
