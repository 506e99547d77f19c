#include "grading/completion/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "common/core/paths.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "grading/course/stages.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

using Kind = Completions::Kind;

/// What the script `lab` does itself, so that no parser here knows it.
const std::vector<CompletedCommand>& commands_of_script() {
  static const std::vector<CompletedCommand> commands = {
      {.names = {"update"}, .description = "Bring a newer course; your kernels are kept"},
      {.names = {"test"}, .description = "Test Tilewise itself"},
      {.names = {"help"}, .description = "Say what there is"},
  };
  return commands;
}

/// The words of "TEXT:{auto,simt,cuda}", CLI11's name of what is checked against a list.
std::vector<std::string> members_in(const std::string& type_name) {
  std::vector<std::string> members;
  const std::size_t open = type_name.find('{'), close = type_name.find('}');
  if (open == type_name.npos || close == type_name.npos) return members;
  std::istringstream words(type_name.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(words, word, ',');) members.push_back(word);
  return members;
}

Completions completions_of(const CLI::Option& option, std::string_view value_name,
                           const Vocabulary& names) {
  Completions values{Kind::words, members_in(option.get_type_name()), option.get_delimiter()};
  if (!values.words.empty()) return values;
  if (value_name == "STAGE") {
    values.words = names.stages;
  } else if (value_name == "PROFILE") {
    values.words = names.gpus;
  } else if (value_name == "CALL") {
    values.kind = Kind::calls;
  } else if (value_name == "FILE" || value_name == "SUBMISSIONS") {
    values.kind = Kind::files;
  } else if (value_name == "DIR") {
    values.kind = Kind::folders;
  } else {
    values.kind = Kind::nothing;
  }
  return values;
}

CompletedOption completed(const CLI::Option& option, const Vocabulary& names) {
  CompletedOption result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  result.description = option.get_description();
  result.takes_value = option.get_items_expected_max() > 0;
  result.value_name = option.get_option_text();
  if (result.takes_value) result.values = completions_of(option, result.value_name, names);
  return result;
}

std::vector<CompletedCommand> subcommands_of(const CLI::App& app,
                                             const std::vector<std::string>& above,
                                             const Vocabulary& names) {
  std::vector<CompletedCommand> commands;
  const auto shown = [](const CLI::App* command) { return !command->get_group().empty(); };
  for (const CLI::App* command : app.get_subcommands(shown)) {
    CompletedCommand& result = commands.emplace_back();
    result.names = above;
    result.names.push_back(command->get_name());
    result.description = command->get_description();
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_group().empty()) continue;
      if (option->get_positional()) {
        result.argument_name = option->get_name(true);
        result.arguments = completions_of(*option, result.argument_name, names);
      } else {
        result.options.push_back(completed(*option, names));
      }
    }
    result.subcommands = subcommands_of(*command, result.names, names);
  }
  return commands;
}

}  // namespace

Vocabulary course_vocabulary() {
  Vocabulary names;
  const auto profiles = core::project_root() / "common" / "gpu" / "gpus.json";
  for (const core::GpuProfile& gpu : core::load_gpu_profiles(profiles))
    names.gpus.push_back(gpu.id);
  for (const StageInfo& stage : stages()) {
    names.stages.push_back(stage.id);
    for (const ContractInfo& function : contracts_of(stage.id)) {
      const auto first = std::ranges::find_if(function.parameters, [](const ParameterInfo& one) {
        return one.kind != ParameterKind::matrix;
      });
      std::string call = function.function + "(";
      if (first != function.parameters.end()) call += first->name + "=";
      names.calls[stage.id].push_back(std::move(call));
    }
  }
  return names;
}

std::vector<CompletedCommand> completed_commands(const CLI::App& app, const Vocabulary& names) {
  std::vector<CompletedCommand> commands = subcommands_of(app, {}, names);
  std::ranges::copy(commands_of_script(), std::back_inserter(commands));
  return commands;
}

}  // namespace tilewise::grading
