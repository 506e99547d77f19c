#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "grading/doctor/checkup.hpp"

namespace tilewise::grading {
namespace {

const char* mark(Health health) {
  switch (health) {
    case Health::fine:
      return " ";
    case Health::lacking:
      return "-";
    case Health::ill:
      return "!";
  }
  return "";
}

/// Columns as wide as what is in them.
std::string table(const std::vector<CheckupSection>& sections) {
  std::size_t name = 0, found = 0;
  for (const CheckupSection& section : sections) {
    for (const CheckupLine& line : section.lines) {
      name = std::max(name, line.name.size());
      found = std::max(found, line.found.size());
    }
  }
  std::string text;
  for (const CheckupSection& section : sections) {
    text += section.title + "\n";
    for (const CheckupLine& line : section.lines) {
      std::string row = fmt::format("{} {:<{}}  {:<{}}  {}", mark(line.health), line.name, name,
                                    line.found, found, line.remark);
      row.erase(row.find_last_not_of(' ') + 1);
      text += row + "\n";
    }
    text += "\n";
  }
  return text;
}

std::string installation(const char* why, const std::vector<std::string>& packages) {
  if (packages.empty()) return "";
  return fmt::format("{}\n  sudo apt-get install {}\n", why, fmt::join(packages, " "));
}

}  // namespace

std::string to_text(const Checkup& checkup) {
  std::string text = table(checkup.sections);
  text += "Backend that will run: " + checkup.backend + "\n";
  text += installation("Needed, and missing or too old here (marked !):", checkup.needed);
  text += installation("Missing, and not needed to run the course (marked -):", checkup.useful);
  for (const std::string& advice : checkup.advice) text += advice + "\n";
  text += checkup.can_run ? "The course runs here.\n"
                          : "The course does not run here yet: see what is marked !.\n";
  return text;
}

}  // namespace tilewise::grading
