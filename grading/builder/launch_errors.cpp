#include "grading/builder/launch_errors.hpp"

#include <fmt/format.h>

#include "grading/builder/source_file.hpp"

namespace tilewise::grading {

bool says(std::string_view output, std::string_view words) {
  return output.find(words) != output.npos;
}

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin);
  if (at == text.npos) return "";
  text.remove_prefix(at + begin.size());
  return text.substr(0, text.find(end));
}

std::string unfit_launch(std::string_view line) {
  const std::size_t error = line.find(": error: no match for call to");
  const std::size_t kernel = line.rfind("void(");
  if (error == line.npos || kernel == line.npos || !says(line, "ConfiguredLaunch<")) return "";
  const std::size_t column = line.substr(0, error).rfind(':');  // the column in the rewritten line
  const std::string_view types = line.substr(kernel);
  return fmt::format("{}: error: the kernel takes ({}), and this launch gives it ({})",
                     line.substr(0, column), between(types, "void(", ")>"),
                     between(types, ")>) (", ")'"));
}

std::optional<TemplateLaunch> unfit_template(std::string_view output) {
  const std::size_t error = output.find(": error: no match for call to '(");
  const std::size_t end = output.find('\n', error == output.npos ? 0 : error);
  const bool is_launch = error != output.npos && end != output.npos &&
                         says(output.substr(0, end), "launch.hpp") &&
                         says(output.substr(error, end - error), "::<lambda(auto:");
  constexpr std::string_view call = "error: no matching function for call to '";
  const std::size_t at = is_launch ? output.find(call, end) : output.npos;
  if (at == output.npos) return std::nullopt;
  std::string_view rest = output.substr(at);
  TemplateLaunch launch;
  launch.kernel = between(rest, call, "(");
  launch.candidate = between(rest, "note: candidate: '", "'\n");
  if (launch.candidate.empty()) return std::nullopt;
  rest.remove_prefix(rest.find(launch.candidate));
  launch.parameter = between(rest, "couldn't deduce template parameter '", "'");
  for (take_line(rest); !rest.empty() && launch.reason.empty();) {
    const std::string_view note = between(take_line(rest), "note:   ", "\n");
    if (!says(note, "substitution failed")) launch.reason = note;
  }
  return launch;
}

std::string_view variable_among_arguments(std::string_view output) {
  while (!output.empty()) {
    const std::string_view line = take_line(output);
    std::string_view name;
    if (says(line, "' is not captured")) name = between(line, "error: '", "'");
    if (says(line, "no capture-default")) name = between(line, "error: variable '", "'");
    if (name.empty()) continue;
    const std::string_view quoted = output.substr(0, output.find('\n'));
    const std::size_t launch = quoted.find("<<<");
    const std::string_view arguments = between(quoted.substr(0, launch), "<", "<<<");
    if (launch != quoted.npos && says_word(arguments, name)) return name;
  }
  return "";
}

}  // namespace tilewise::grading
