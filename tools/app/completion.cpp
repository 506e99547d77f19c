#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "grading/completion/shells.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

constexpr const char* installation =
    R"(To complete lab's commands, options, stages and GPUs in every shell from now on, once:
  bash: mkdir -p ~/.local/share/bash-completion/completions
        ./lab completion bash > ~/.local/share/bash-completion/completions/lab
  zsh:  mkdir -p ~/.zfunc && ./lab completion zsh > ~/.zfunc/_lab
        and in ~/.zshrc, before compinit: fpath+=~/.zfunc
  fish: ./lab completion fish > ~/.config/fish/completions/lab.fish
In this bash alone: source <(./lab completion bash)
)";

std::string script_for(const std::string& shell, const CLI::App& app) {
  const Vocabulary names = course_vocabulary();
  const auto commands = completed_commands(app, names);
  if (shell == "bash") return bash_completion(commands, names);
  if (shell == "zsh") return zsh_completion(commands, names);
  return fish_completion(commands, names);
}

}  // namespace

void add_completion(CLI::App& app, ExitStatus& status) {
  CLI::App* command = app.add_subcommand(
      "completion", "Write what lets a shell complete lab's commands, options, stages and GPUs");
  command->footer(installation);
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, &status, shell] {
    fmt::print("{}", script_for(*shell, app));
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
