#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grading/completion/calls.hpp"
#include "grading/completion/quoting.hpp"
#include "grading/completion/shells.hpp"

namespace tilewise::grading {
namespace {

using Kind = Completions::Kind;

/// A text within a specification of _arguments or _describe.
std::string escaped(std::string text) {
  text = replaced(std::move(text), "\\", "\\\\");
  for (const char* special : {":", "[", "]"}) {
    text = replaced(std::move(text), special, std::string("\\") + special);
  }
  return text;
}

/// The end of a specification of _arguments: ":PROFILE:(gt240 gtx1080)".
std::string action(const std::string& name, const Completions& values) {
  const std::string message = ":" + escaped(name.empty() ? "value" : name) + ":";
  switch (values.kind) {
    case Kind::nothing:
      return message + " ";
    case Kind::words: {
      const std::string words = fmt::format("{}", fmt::join(values.words, " "));
      if (values.separator == '\0') return fmt::format("{}({})", message, words);
      return fmt::format("{}_values -s {} {} {}", message, values.separator, name, words);
    }
    case Kind::files:
      return message + "_files";
    case Kind::folders:
      return message + "_files -/";
    case Kind::calls:
      return message + "_lab_offer_calls";
  }
  return message;
}

std::string function_of(const CompletedCommand& command) {
  return fmt::format("_lab_{}", fmt::join(command.names, "_"));
}

void add_function(std::string& script, const CompletedCommand& command);

/// A function that completes the name of one of the commands, or what follows that.
void add_choice(std::string& script, const std::string& function,
                const std::vector<CompletedCommand>& commands) {
  std::string names, cases;
  for (const CompletedCommand& command : commands) {
    const std::string& name = command.names.back();
    names +=
        fmt::format("    {}\n", shell_word(escaped(name) + ":" + escaped(command.description)));
    cases += fmt::format("    {}) {} ;;\n", name, function_of(command));
    add_function(script, command);
  }
  script += fmt::format(
      "{0}() {{\n"
      "  local -a commands\n"
      "  if ((CURRENT == 2)); then\n"
      "    commands=(\n{1}    )\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $words[1] in\n{2}  esac\n"
      "}}\n\n",
      function, names, cases);
}

void add_function(std::string& script, const CompletedCommand& command) {
  if (!command.subcommands.empty()) {
    return add_choice(script, function_of(command), command.subcommands);
  }
  std::string specifications;
  for (const CompletedOption& option : command.options) {
    const std::string rest = fmt::format("[{}]", escaped(option.description)) +
                             (option.takes_value ? action(option.value_name, option.values) : "");
    for (const std::string& name : option.names) {
      // "=" lets the value follow in the same word, too.
      const bool may_join = option.takes_value && name.starts_with("--");
      specifications += fmt::format(" \\\n    {}", shell_word(name + (may_join ? "=" : "") + rest));
    }
  }
  if (!command.argument_name.empty()) {
    const std::string rest = action(command.argument_name, command.arguments);
    specifications += fmt::format(" \\\n    {}", shell_word("*" + rest));
  }
  if (specifications.empty()) specifications = " \\\n    ''";
  script += fmt::format("{}() {{\n  _arguments -S{}\n}}\n\n", function_of(command), specifications);
}

constexpr const char* offer_calls = R"zsh(
_lab_offer_calls() {
  local -a calls
  calls=(${=$(_lab_calls ${words[2]-})})
  compadd -S '' -- $calls
}

)zsh";

// Autoloaded from a folder of $fpath the file is the function's body; sourced, it registers it.
constexpr const char* ending = R"zsh(if [[ $funcstack[1] == _lab ]]; then
  _lab "$@"
else
  compdef _lab lab
fi
)zsh";

}  // namespace

std::string zsh_completion(const std::vector<CompletedCommand>& commands, const Vocabulary& names) {
  std::string script =
      "#compdef lab\n# Completion of lab for zsh, as `lab completion zsh` writes it.\n\n" +
      calls_by_stage(names) + offer_calls;
  add_choice(script, "_lab", commands);
  return script + ending;
}

}  // namespace tilewise::grading
