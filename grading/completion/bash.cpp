#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grading/completion/calls.hpp"
#include "grading/completion/quoting.hpp"
#include "grading/completion/shells.hpp"

namespace tilewise::grading {
namespace {

using Kind = Completions::Kind;

/// What the functions below share. They find out where in the line the cursor is; what fits there
/// is in tables made from the commands. `lab` and its commands are told apart by their path, which
/// is empty for `lab` itself: "cohort grade".
constexpr const char* bash_engine = R"bash(
# Whether what has been typed goes on with one of the words.
_lab_offer() {
  local prefix=
  if [[ -n $_lab_separator ]]; then prefix=${_lab_current%"${_lab_current##*"$_lab_separator"}"}; fi
  COMPREPLY=($(compgen -P "$prefix" -W "$1" -- "${_lab_current#"$prefix"}"))
}

# Bash takes the quote before a word as given; without one it would stumble over the parenthesis.
_lab_offer_calls() {
  local quote=
  _lab_offer "$(_lab_calls "$1")"
  if [[ $_lab_typed != [\'\"]* ]]; then quote="'"; fi
  COMPREPLY=("${COMPREPLY[@]/#/$quote}")
  compopt -o nospace 2>/dev/null || true
}

_lab_offer_files() {
  local IFS=$'\n'
  COMPREPLY=($(compgen "$1" -- "$_lab_current"))
  compopt -o filenames 2>/dev/null || true
}

_lab() {
  local _lab_typed=${COMP_WORDS[COMP_CWORD]} _lab_current _lab_separator=
  local command= stage= option= previous=${COMP_WORDS[COMP_CWORD - 1]} word i=0
  COMPREPLY=()
  # '=' is a word of its own.
  if [[ $_lab_typed == = ]]; then
    option=$previous
    _lab_typed=
  elif [[ $previous == = ]] && ((COMP_CWORD > 2)); then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  _lab_current=${_lab_typed#[\'\"]}
  while ((++i < COMP_CWORD)); do
    word=${COMP_WORDS[i]}
    case $word in
      =) ((++i)) ;;
      -*)
        if _lab_takes_value "$command" "$word" && [[ ${COMP_WORDS[i + 1]-} != = ]]; then
          if ((i + 1 == COMP_CWORD)); then option=$word; fi
          ((++i))
        fi
        ;;
      *)
        if _lab_is_command "$command" "$word"; then
          command=${command:+$command }$word
        elif [[ -z $stage ]]; then
          stage=$word
        fi
        ;;
    esac
  done
  if [[ -n $option ]]; then
    _lab_value "$command" "$option"
  elif [[ $_lab_typed == -* ]]; then
    _lab_offer "$(_lab_options "$command")"
  else
    _lab_argument "$command"
  fi
}

complete -F _lab lab
)bash";

std::string path_of(const CompletedCommand& command) {
  return fmt::format("{}", fmt::join(command.names, " "));
}

/// What offers the values.
std::string offer(const Completions& values) {
  switch (values.kind) {
    case Kind::nothing:
      return "";
    case Kind::words: {
      const std::string words = shell_word(fmt::format("{}", fmt::join(values.words, " ")));
      if (values.separator == '\0') return "_lab_offer " + words;
      return fmt::format("_lab_separator='{}'; _lab_offer {}", values.separator, words);
    }
    case Kind::files:
      return "_lab_offer_files -f";
    case Kind::folders:
      return "_lab_offer_files -d";
    case Kind::calls:
      return "_lab_offer_calls \"$stage\"";
  }
  return "";
}

/// The cases of each table, filled command by command.
struct Tables {
  std::string commands, options, takers, values, arguments;

  void add(const std::vector<CompletedCommand>& all, const std::string& above) {
    std::vector<std::string> names;
    for (const CompletedCommand& command : all) {
      const std::string path = path_of(command);
      names.push_back(command.names.back());
      commands += fmt::format("    {}) ;;\n", shell_word(above + "/" + names.back()));
      add_options(command, path);
      if (command.subcommands.empty()) {
        const std::string what = offer(command.arguments);
        if (!what.empty()) arguments += fmt::format("    {}) {} ;;\n", shell_word(path), what);
      } else {
        add(command.subcommands, path);
      }
    }
    arguments += fmt::format("    {}) _lab_offer {} ;;\n", shell_word(above),
                             shell_word(fmt::format("{}", fmt::join(names, " "))));
  }

 private:
  void add_options(const CompletedCommand& command, const std::string& path) {
    std::vector<std::string> names;
    for (const CompletedOption& option : command.options) {
      for (const std::string& name : option.names) {
        names.push_back(name);
        if (!option.takes_value) continue;
        takers += fmt::format("    {}) ;;\n", shell_word(path + "/" + name));
        const std::string what = offer(option.values);
        if (!what.empty())
          values += fmt::format("    {}) {} ;;\n", shell_word(path + "/" + name), what);
      }
    }
    options += fmt::format("    {}) echo {} ;;\n", shell_word(path),
                           shell_word(fmt::format("{}", fmt::join(names, " "))));
  }
};

std::string table(const std::string& name, const std::string& subject, const std::string& cases,
                  const std::string& otherwise) {
  return fmt::format("{}() {{\n  case {} in\n{}{}  esac\n}}\n\n", name, subject, cases, otherwise);
}

}  // namespace

std::string bash_completion(const std::vector<CompletedCommand>& commands,
                            const Vocabulary& names) {
  Tables tables;
  tables.add(commands, "");
  const std::string no = "    *) return 1 ;;\n";
  return "# Completion of lab for bash, as `lab completion bash` writes it.\n\n" +
         table("_lab_is_command", "$1/$2", tables.commands, no) +
         table("_lab_takes_value", "$1/$2", tables.takers, no) +
         table("_lab_options", "$1", tables.options, "") +
         table("_lab_value", "$1/$2", tables.values, "") +
         table("_lab_argument", "$1", tables.arguments, "") + calls_by_stage(names) + bash_engine;
}

}  // namespace tilewise::grading
