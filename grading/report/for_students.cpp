#include "grading/report/for_students.hpp"

#include <utility>

#include "grading/report/printable.hpp"
#include "grading/report/without_places.hpp"

namespace tilewise::grading {

std::string for_students(std::string_view text, std::size_t most_bytes) {
  // Cut before it is searched, and after each character may have become nine.
  std::string shown = printable(without_places(text.substr(0, most_bytes)));
  const bool was_cut = text.size() > most_bytes || shown.size() > most_bytes;
  if (shown.size() > most_bytes) {
    shown.resize(most_bytes);
    // Not within a character of several bytes.
    while (!shown.empty() && (shown.back() & 0xC0) == 0x80) shown.pop_back();
    if (!shown.empty() && (shown.back() & 0xC0) == 0xC0) shown.pop_back();
  }
  return was_cut ? shown + "\n[more was cut here]" : shown;
}

TestResult for_students(TestResult test) {
  constexpr std::size_t longest_name_bytes = 300;
  test.message = for_students(test.message, longest_message_bytes);
  test.hint = for_students(test.hint, longest_message_bytes);
  test.file = for_students(test.file, longest_name_bytes);
  return test;
}

}  // namespace tilewise::grading
