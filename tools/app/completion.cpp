/// \file
/// `lab completion SHELL` writes a short script, which asks this program at each TAB for the words
/// that fit (`tilewise __complete WORD...`). The program reads them off its parser, so that shells
/// offer exactly what the parser knows.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/stages/stage_contracts.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

constexpr const char* installation = marked(
    R"(To complete lab's commands, options, stages and GPUs in every shell from now on, once:
  bash: mkdir -p ~/.local/share/bash-completion/completions
        ./lab completion bash > ~/.local/share/bash-completion/completions/lab
  zsh:  mkdir -p ~/.zfunc && ./lab completion zsh > ~/.zfunc/_lab
        and in ~/.zshrc, before compinit: fpath+=~/.zfunc
  fish: ./lab completion fish > ~/.config/fish/completions/lab.fish
In this bash alone: source <(./lab completion bash)
Shells then ask the course in this folder; where it moves, do so again.
)");

/// For bash 3.2, which macOS has, and later. Bash keeps the quote before a word as given; without a
/// quote it would stumble over the parenthesis of a call.
constexpr const char* bash_script =
    R"bash(# Completion of lab for bash, as `lab completion bash` writes it.
_lab() {
  local typed=${COMP_WORDS[COMP_CWORD]} current kind= word rest
  current=${typed#[\'\"]}
  COMPREPLY=()
  {
    read -r kind
    while IFS=$'\t' read -r word rest; do COMPREPLY+=("$word"); done
  } < <(PROGRAM __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2>/dev/null)
  case $kind in
    calls)
      [[ $typed == [\'\"]* ]] || COMPREPLY=("${COMPREPLY[@]/#/\'}")
      compopt -o nospace 2>/dev/null || true
      ;;
    files | folders)
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
        [[ $kind == files ]] && compgen -f -- "${current#=}" || compgen -d -- "${current#=}"
      )
      compopt -o filenames 2>/dev/null || true
      ;;
  esac
}
complete -F _lab lab
)bash";

// If zsh autoloads the file from a folder of $fpath, the file is the function's body; if it is
// sourced, it registers the function.
constexpr const char* zsh_script = R"zsh(#compdef lab
# Completion of lab for zsh, as `lab completion zsh` writes it.
_lab() {
  local -a answer
  answer=("${(@f)$(PROGRAM __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  local kind=$answer[1]
  shift answer
  case $kind in
    files) compset -P '--*='; _files ;;
    folders) compset -P '--*='; _files -/ ;;
    calls) compadd -S '' -- ${answer%%$'\t'*} ;;
    *)
      answer=(${answer//:/\\:})
      answer=(${answer/$'\t'/:})
      _describe lab answer
      ;;
  esac
}
if [[ $funcstack[1] == _lab ]]; then
  _lab "$@"
else
  compdef _lab lab
fi
)zsh";

constexpr const char* fish_script =
    R"fish(# Completion of lab for fish, as `lab completion fish` writes it.
function __lab_complete
    set -l typed (commandline -ct)
    set -l answer (PROGRAM __complete (commandline -opc)[2..-1] "$typed" 2>/dev/null)
    set -l option (string match -r -- '^--[^=]*=' "$typed")
    set -l path (string replace -- "$option" '' "$typed")
    switch "$answer[1]"
        case files
            printf "$option%s\n" (__fish_complete_path "$path")
        case folders
            printf "$option%s\n" (__fish_complete_directories "$path")
        case '*'
            printf '%s\n' $answer[2..-1]
    end
end
complete -c lab -f -a '(__lab_complete)'
)fish";

/// Puts this program's path into a script, quoted as one word of a shell whatever it contains.
std::string asking_this_program(std::string script) {
  std::string word;
  for (const char letter : tool("tilewise").string()) {
    word += letter == '\'' ? std::string(R"('\'')") : std::string(1, letter);
  }
  constexpr std::string_view place = "PROGRAM";
  return script.replace(script.find(place), place.size(), "'" + word + "'");
}

std::string script_for(const std::string& shell) {
  if (shell == "bash") return asking_this_program(bash_script);
  if (shell == "zsh") return asking_this_program(zsh_script);
  return asking_this_program(fish_script);
}

struct Candidate {
  std::string word, description = {};
};

/// The words that may stand in a place, or the kind of names that the shell finds better by itself.
struct Candidates {
  /// "words"; "calls", after which the user goes on typing; "files"; or "folders"
  const char* kind = "words";
  std::vector<Candidate> words = {};
};

/// The beginnings of a stage's calls that can be completed, "matmul_shared(n="; those of all stages
/// if none is named.
std::vector<Candidate> calls_of(const std::string& stage_typed) {
  std::vector<StageInfo> meant = stages();
  try {
    if (!stage_typed.empty()) meant = choose_stages({stage_typed}, stages());
  } catch (const CannotGrade&) {
    // A word that is no stage may still be meant with any of the calls.
  }
  std::vector<Candidate> calls;
  for (const StageInfo& stage : meant) {
    for (const ContractInfo& function : contracts_of(stage.id)) {
      const auto first = std::ranges::find_if(function.parameters, [](const ParameterInfo& each) {
        return each.kind != ParameterKind::matrix;
      });
      const bool has_any = first != function.parameters.end();
      calls.push_back({function.function + "(" + (has_any ? first->name + "=" : "")});
    }
  }
  return calls;
}

/// The words in "TEXT:{auto,simt,cuda}", CLI11's type name for a value that is checked against a
/// list.
std::vector<Candidate> members_in(const std::string& type_name) {
  std::vector<Candidate> members;
  const std::size_t open = type_name.find('{'), close = type_name.find('}');
  if (open == type_name.npos || close == type_name.npos) return members;
  std::istringstream words(type_name.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(words, word, ',');) members.push_back({word});
  return members;
}

/// The possible values of an option, which follow from its placeholder in the help text or from the
/// list that it is checked against.
Candidates values_of(const CLI::Option& option, const std::string& stage) {
  Candidates values{"words", members_in(option.get_type_name())};
  if (!values.words.empty()) return values;
  const std::string name =
      option.get_positional() ? option.get_name(true) : option.get_option_text();
  if (name == "STAGE") {
    for (const StageInfo& one : stages()) values.words.push_back({one.id});
  } else if (name == "PROFILE") {
    const auto profiles = core::project_root() / "common" / "gpu" / "gpus.json";
    for (const core::GpuProfile& gpu : core::load_gpu_profiles(profiles)) {
      values.words.push_back({gpu.id});
    }
  } else if (name == "CALL") {
    values = {"calls", calls_of(stage)};
  } else if (name == "FILE" || name == "SUBMISSIONS") {
    values.kind = "files";
  } else if (name == "DIR") {
    values.kind = "folders";
  }
  return values;
}

bool is_shown(const CLI::App* command) { return !command->get_group().empty(); }

/// The parser's position after the words before the one being typed.
struct Place {
  const CLI::App* command;
  const CLI::Option* awaits_value = nullptr;
  std::string stage = {};  ///< or another argument that comes first after the command
  std::size_t arguments_given = 0;

  void go_on(const std::string& word) {
    if (std::exchange(awaits_value, nullptr) != nullptr) return;
    if (word.starts_with('-')) {
      const CLI::Option* const option = command->get_option_no_throw(word);
      const bool takes_value = option != nullptr && option->get_items_expected_max() > 0;
      awaits_value = takes_value ? option : nullptr;
      return;
    }
    for (const CLI::App* one : command->get_subcommands(is_shown)) {
      if (one->check_name(word)) {
        command = one;
        return;
      }
    }
    if (stage.empty()) stage = word;
    ++arguments_given;
  }

  Candidates options() const {
    Candidates found;
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_group().empty() || option->get_positional()) continue;
      const std::string& description = option->get_description();
      for (const std::string& name : option->get_snames()) {
        found.words.push_back({"-" + name, description});
      }
      for (const std::string& name : option->get_lnames()) {
        found.words.push_back({"--" + name, description});
      }
    }
    return found;
  }

  Candidates arguments() const {
    Candidates found;
    for (const CLI::App* one : command->get_subcommands(is_shown)) {
      found.words.push_back({one->get_name(), one->get_description()});
    }
    // The arguments come in turn; the last one may be repeated.
    std::size_t to_pass_over = arguments_given;
    const CLI::Option* argument = nullptr;
    for (const CLI::Option* option : command->get_options()) {
      if (!option->get_positional()) continue;
      argument = option;
      if (to_pass_over-- == 0) break;
    }
    return argument == nullptr ? found : values_of(*argument, stage);
  }
};

/// Splits "--gpu=h200" into "--gpu" and "h200"; bash passes '=' as a word of its own, other shells
/// pass it within a word. In the second case `kept` receives the part of the last word that the
/// shell still has before the value: "--gpu=".
std::vector<std::string> without_equals(const std::vector<std::string>& typed, std::string& kept) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const std::string& word = typed[i];
    const bool is_last = i + 1 == typed.size();
    const std::size_t equals = word.find('=');
    if (word == "=") {
      if (is_last) words.emplace_back();
    } else if (word.starts_with("--") && equals != word.npos) {
      words.push_back(word.substr(0, equals));
      words.push_back(word.substr(equals + 1));
      if (is_last) kept = word.substr(0, equals + 1);
    } else {
      words.push_back(word);
    }
  }
  return words;
}

}  // namespace

std::string completions(const CLI::App& app, const std::vector<std::string>& typed) {
  std::string kept;
  const std::vector<std::string> words = without_equals(typed, kept);
  if (words.empty()) return "";
  Place place{&app};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) place.go_on(words[i]);
  std::string current = words.back();
  Candidates candidates;
  if (const CLI::Option* const option = place.awaits_value) {
    candidates = values_of(*option, place.stage);
    const std::size_t separator =
        option->get_delimiter() == '\0' ? current.npos : current.rfind(option->get_delimiter());
    if (separator != current.npos) {
      kept += current.substr(0, separator + 1);
      current.erase(0, separator + 1);
    }
  } else {
    candidates = current.starts_with('-') ? place.options() : place.arguments();
  }
  std::string text = fmt::format("{}\n", candidates.kind);
  for (const auto& [word, description] : candidates.words) {
    if (!word.starts_with(current)) continue;
    text += kept + word + (description.empty() ? "" : "\t" + description) + "\n";
  }
  return text;
}

void add_completion(CLI::App* command, ExitStatus& status) {
  command->footer(core::in_language(installation));
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, tr("bash, zsh or fish"))
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&status, shell] {
    fmt::print("{}", script_for(*shell));
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
