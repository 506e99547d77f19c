#include "grading/examiner/outcome.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "grading/report/json.hpp"

namespace tilewise::grading {
namespace {

constexpr const char* message_key = "finding_message";
constexpr const char* hint_key = "finding_hint";
constexpr const char* file_key = "finding_file";
constexpr const char* line_key = "finding_line";
constexpr const char* place_key = "finding_place";
constexpr const char* status_key = "finding_status";
constexpr const char* output_key = "student_output";
constexpr std::string_view measurement_prefix = "measured_";

std::string property(const TestEnd& end, const char* key) {
  const auto found = end.properties.find(key);
  return found == end.properties.end() ? "" : found->second;
}

Status status_of(const TestEnd& end) {
  if (end.skipped) return Status::skipped;
  if (!end.failed) return Status::passed;
  const std::string word = property(end, status_key);
  return word.empty() ? Status::error : status_from_string(word);
}

}  // namespace

void record_finding(const Finding& finding) {
  testing::Test::RecordProperty(message_key, finding.message);
  testing::Test::RecordProperty(hint_key, finding.hint);
  // Whoever found it may know the path it was compiled under; a student knows one file's name.
  testing::Test::RecordProperty(file_key, std::filesystem::path(finding.file).filename().string());
  testing::Test::RecordProperty(line_key, finding.line);
  testing::Test::RecordProperty(place_key, to_line(finding.place));
  testing::Test::RecordProperty(status_key, std::string(to_string(finding.status)));
}

void record_measurement(const std::string& name, double value) {
  // 17 digits give a double back bit for bit.
  testing::Test::RecordProperty(std::string(measurement_prefix) + name,
                                fmt::format("{:.17g}", value));
}

void record_output(const std::string& output) { testing::Test::RecordProperty(output_key, output); }

TestEnd end_of(const testing::TestResult& result) {
  TestEnd end;
  end.failed = result.Failed();
  end.skipped = result.Skipped();
  for (int i = 0; i < result.test_property_count(); ++i) {
    end.properties[result.GetTestProperty(i).key()] = result.GetTestProperty(i).value();
  }
  for (int i = 0; i < result.total_part_count(); ++i) {
    const testing::TestPartResult& part = result.GetTestPartResult(i);
    if (part.failed()) end.failures.emplace_back(part.message());
  }
  return end;
}

TestResult result_of(const RubricEntry& entry, const TestEnd& end) {
  TestResult result;
  result.name = entry.test;
  result.category = entry.category;
  result.hidden = entry.hidden;
  result.status = status_of(end);
  result.max_score = result.status == Status::skipped ? 0 : entry.points;
  result.score = result.status == Status::passed ? entry.points : 0;
  result.message = property(end, message_key);
  if (result.status == Status::error && result.message.empty() && !end.failures.empty()) {
    result.message = "The grader itself failed: " + end.failures.front();
  }
  result.hint = property(end, hint_key);
  result.file = property(end, file_key);
  result.line = std::atoi(property(end, line_key).c_str());
  if (const std::string place = property(end, place_key); !place.empty()) {
    result.place = nlohmann::ordered_json::parse(place).get<FailurePlace>();
  }
  for (const auto& [key, value] : end.properties) {
    if (!key.starts_with(measurement_prefix)) continue;
    result.measurements[key.substr(measurement_prefix.size())] =
        std::strtod(value.c_str(), nullptr);
  }
  return result;
}

std::string output_of(const TestEnd& end) { return property(end, output_key); }

}  // namespace tilewise::grading
