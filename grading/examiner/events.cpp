#include "grading/examiner/events.hpp"

#include <algorithm>
#include <stdexcept>

#include "grading/report/json.hpp"

namespace tilewise::grading {
namespace {

std::string first_part(const std::string& output) {
  constexpr std::size_t limit = 4096;
  if (output.size() <= limit) return output;
  return output.substr(0, limit) + "\n[more output was cut here]\n";
}

}  // namespace

std::string start_event(const std::string& test) {
  return to_line(nlohmann::ordered_json{{"event", "start"}, {"name", test}});
}

std::string end_event(const TestResult& test, const std::string& output) {
  return to_line(nlohmann::ordered_json{{"event", "end"},
                                        {"test", test},
                                        {"finding", nlohmann::json(test.finding)},
                                        {"output", first_part(output)}});
}

std::string full_name(const testing::TestInfo& test) {
  return std::string(test.test_suite_name()) + "." + test.name();
}

void EventListener::OnTestStart(const testing::TestInfo& test) {
  write(start_event(full_name(test)));
}

void EventListener::OnTestEnd(const testing::TestInfo& test) {
  const auto entry = std::ranges::find(entries_, full_name(test), &RubricEntry::test);
  if (entry == entries_.end()) throw std::logic_error(full_name(test) + " is not in the rubric");
  const TestEnd end = end_of(*test.result());
  write(end_event(result_of(*entry, end), end.output));
}

// Flushed line by line: whoever reads shows each test as it ends, and keeps those that ended if
// this process is killed.
void EventListener::write(const std::string& line) {
  std::fputs((line + "\n").c_str(), stream_);
  std::fflush(stream_);
}

}  // namespace tilewise::grading
