#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grading/completion/calls.hpp"
#include "grading/completion/quoting.hpp"
#include "grading/completion/shells.hpp"

namespace tilewise::grading {
namespace {

using Kind = Completions::Kind;

/// What conditions ask: whether the line names a command, and whether it has nothing more yet.
constexpr const char* fish_engine = R"fish(
function __lab_is_at
    set -l words (commandline -opc)[2..-1]
    for name in $argv
        test "$words[1]" = $name; or return 1
        set -e words[1]
    end
end

function __lab_ends_at
    __lab_is_at $argv; and test (count (commandline -opc)) = (math 1 + (count $argv))
end

complete -c lab -f
)fish";

std::string fish_quoted(std::string text) {
  text = replaced(std::move(text), "\\", "\\\\");
  return "'" + replaced(std::move(text), "'", "\\'") + "'";
}

std::string candidates(const Completions& values) {
  switch (values.kind) {
    case Kind::nothing:
      return "";
    case Kind::words:
      return " -a " + fish_quoted(fmt::format("{}", fmt::join(values.words, " ")));
    case Kind::files:
      return " -F";
    case Kind::folders:
      return " -a '(__fish_complete_directories)'";
    case Kind::calls:
      return " -a '(__lab_calls)'";
  }
  return "";
}

void add(std::string& script, const std::vector<CompletedCommand>& commands,
         const std::vector<std::string>& above) {
  for (const CompletedCommand& command : commands) {
    script +=
        fmt::format("complete -c lab -n '__lab_ends_at {}' -a {} -d {}\n", fmt::join(above, " "),
                    command.names.back(), fish_quoted(command.description));
    const std::string here =
        fmt::format("complete -c lab -n '__lab_is_at {}'", fmt::join(command.names, " "));
    for (const CompletedOption& option : command.options) {
      script += here;
      for (const std::string& name : option.names) {
        const bool is_long = name.starts_with("--");
        script += fmt::format(" {} {}", is_long ? "-l" : "-s", name.substr(is_long ? 2 : 1));
      }
      if (option.takes_value) {
        script += (option.values.kind == Kind::files ? " -r" : " -x") + candidates(option.values);
      }
      script += fmt::format(" -d {}\n", fish_quoted(option.description));
    }
    const std::string arguments = candidates(command.arguments);
    if (!arguments.empty()) script += here + arguments + "\n";
    add(script, command.subcommands, command.names);
  }
}

std::string words_of(const std::vector<std::string>& calls) {
  return "'" + fmt::format("{}", fmt::join(calls, "' '")) + "'";
}

std::string calls_function(const Vocabulary& names) {
  std::string script = "function __lab_calls\n    switch (commandline -opc)[3]\n";
  std::vector<std::string> all;
  for (const auto& [stage, calls] : names.calls) {
    script += fmt::format("        case {}\n            printf '%s\\n' {}\n",
                          fmt::join(names_of_stage(stage), " "), words_of(calls));
    all.insert(all.end(), calls.begin(), calls.end());
  }
  return script + fmt::format("        case '*'\n            printf '%s\\n' {}\n    end\nend\n",
                              words_of(all));
}

}  // namespace

std::string fish_completion(const std::vector<CompletedCommand>& commands,
                            const Vocabulary& names) {
  std::string script = "# Completion of lab for fish, as `lab completion fish` writes it.\n\n" +
                       calls_function(names) + fish_engine;
  add(script, commands, {});
  return script;
}

}  // namespace tilewise::grading
