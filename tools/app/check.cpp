/// \file
/// tilewise-check: the command for any CUDA program.
#include "grading/check/check.hpp"

#include <algorithm>
#include <memory>

#include "common/base/language.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

void add_check(CLI::App* command, ExitStatus& status) {
  const auto options = std::make_shared<CheckOptions>();
  const auto words = std::make_shared<std::vector<std::string>>();
  command->add_option(
      "FILE", *words,
      tr("The program's sources, options of nvcc before them, its arguments behind"));
  command
      ->add_option("--tool", options->tool,
                   tr("Only what this tool of compute-sanitizer looks for: memcheck, racecheck, "
                      "initcheck or synccheck (default: all)"))
      ->option_text("NAME")
      ->check(CLI::IsMember({"memcheck", "racecheck", "initcheck", "synccheck"}));
  command
      ->add_option("--error-exitcode", options->error_exitcode,
                   tr("Exit with N where something is found (default: 1)"))
      ->option_text("N")
      ->check(whole_number(0, 255));
  command
      ->add_option("--report-api-errors", options->report_api_errors,
                   tr("Calls of CUDA functions that return an error are findings: explicit (the "
                      "default) or no"))
      ->option_text("WHICH")
      ->check(CLI::IsMember({"explicit", "no"}));
  command
      ->add_option(
          "--destroy-on-device-error", options->destroy_on_device_error,
          tr("What a kernel's fault ends: context (the default), so that all calls behind it "
             "fail as on a GPU, or kernel, and the program goes on"))
      ->option_text("WHAT")
      ->check(CLI::IsMember({"context", "kernel"}));
  command
      ->add_option(
          "--leak-check", options->leak_check,
          tr("Device memory that is not given back is a finding: full, or no (the default)"))
      ->option_text("WHICH")
      ->check(CLI::IsMember({"full", "no"}));
  command
      ->add_option("--output", options->output,
                   tr("Write findings there rather than to standard error"))
      ->option_text("FILE");
  command->add_option("--json", options->json, tr("Write findings and launches as JSON"))
      ->option_text("FILE");
  command
      ->add_option("--gpu", options->gpu,
                   tr("Of which the simulator takes on limits (default: h200)"))
      ->option_text("PROFILE");
  command->add_flag("--fast", options->fast,
                    tr("Only run it, ten times as fast, and look at nothing"));
  command->add_flag("--profile", options->profile,
                    tr("Show what each kernel does in memory, as lab profile"));
  command->add_option("--time-limit", options->time_limit_s, tr("End the program after N seconds"))
      ->option_text("N")
      ->check(seconds());
  command->callback([options, words, &status] {
    options->words = read_compiler_words(*words);
    status = static_cast<ExitStatus>(check(*options));
  });
}

/// Arranges the words so that CLI11 parses the command's own options only: the words for the
/// compiler and for the program follow in one list after a --.
std::vector<std::string> with_program_apart(const CLI::App* command,
                                            std::vector<std::string> words) {
  std::vector<std::string> own = {"check"}, rest;
  std::size_t i = 1;
  for (; i < words.size() && words[i].starts_with('-') && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    const CLI::Option* option = command->get_option_no_throw(word.substr(0, word.find('=')));
    std::vector<std::string>& taker = option != nullptr ? own : rest;
    taker.push_back(word);
    const bool takes_next = option != nullptr
                                ? option->get_expected_max() > 0 && word.find('=') == word.npos
                                : takes_next_word(word);
    if (takes_next && i + 1 < words.size()) taker.push_back(words[++i]);
  }
  rest.insert(rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  if (rest.empty()) return own;
  own.emplace_back("--");
  own.insert(own.end(), rest.begin(), rest.end());
  return own;
}

constexpr OwnCommand commands[] = {{"check", add_check, with_program_apart}};

}  // namespace

std::span<const OwnCommand> own_commands() { return commands; }

}  // namespace tilewise::grading
