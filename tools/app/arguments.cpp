#include "tools/app/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "grading/cli/submission.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[least, most](const std::string& text) -> std::string {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [rest, error] = std::from_chars(text.data(), end, value);
            const bool fits = least <= value && value <= most;
            if (error == std::errc() && rest == end && fits) return "";
            return tr("'{}' is no whole number from {} to {}", text, least, most);
          },
          ""};
}

CLI::Validator seconds() {
  return {[](const std::string& text) -> std::string {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && value > 0 && std::isfinite(value)) {
              return "";
            }
            return tr("'{}' is no number of seconds greater than 0", text);
          },
          ""};
}

namespace {

/// CLI11 has no catalogue of its messages, so they are listed here.
constexpr const char* refusals[] = {
    marked("{} is required"),
    marked("The following argument was not expected: {}"),
    marked("The following arguments were not expected: {}"),
    marked("{}: {} not in {}"),
    marked("{}: 1 required {} missing"),
    marked("{}: At Most {} required but received {}"),
    marked("{} excludes {}"),
    marked("{} requires {}"),
};
constexpr const char* refusal_end = marked("\nRun with --help for more information.\n");

}  // namespace

std::string refusal_in_words(const CLI::App* app, const CLI::Error& error) {
  const std::string text = error.what();
  const std::string end = CLI::FailureMessage::simple(app, error).substr(text.size());
  const std::string told = end == refusal_end ? core::in_language(end) : end;
  return core::retold(text, refusals) + told;
}

namespace {

/// Translates the name of the group "Options", in which CLI11 lists the options of a command.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    const std::string name = group == "Options" ? tr("Options") : group;
    return CLI::Formatter::make_group(name, is_positional, std::move(options));
  }
};

}  // namespace

void speak_in_help(CLI::App& app) {
  constexpr const char* labels[] = {
      marked("Usage"),       marked("OPTIONS"),  marked("SUBCOMMAND"),
      marked("SUBCOMMANDS"), marked("REQUIRED"), marked("Positionals"),
      marked("Env"),         marked("Needs"),    marked("Excludes")};
  const auto formatter = std::make_shared<HelpFormatter>();
  for (const char* label : labels) formatter->label(label, core::in_language(label));
  app.formatter(formatter);
  app.group(tr("Subcommands"));
  app.set_help_flag("-h,--help", tr("Show this help and exit"));
}

std::string example(std::string_view command) { return tr("Example: {}", command); }

CLI::Option* add_stage(CLI::App* command, Run& run, const std::string& description) {
  return command->add_option("STAGE", run.stages, description)->expected(1);
}

void add_submission(CLI::App* command, Run& run) {
  CLI::Option* solutions =
      command->add_flag("--solutions", run.solutions, tr("Take the solutions instead of labs/"));
  command
      ->add_option("--submission", run.submission,
                   tr("Take DIR/labs/NN_topic/*.cu, or files of DIR that are called so"))
      ->option_text("DIR")
      ->excludes(solutions);
}

void add_gpu(CLI::App* command, Run& run) {
  // Other processes may read the file later or from another folder, so its path must be absolute.
  const CLI::Validator absolute_file(
      [](std::string& gpu) -> std::string {
        if (core::is_card_file(gpu)) gpu = std::filesystem::absolute(gpu).string();
        return "";
      },
      "");
  command
      ->add_option(
          "--gpu", run.gpu,
          tr("GPU that the simulator models (default: gtx1080), or card.json for another one"))
      ->option_text("PROFILE")
      ->transform(absolute_file);
}

void add_backend(CLI::App* command, Run& run) {
  command->add_option("--backend", run.backend, tr("auto (the default), simt or cuda"))
      ->option_text("NAME")
      ->check(CLI::IsMember({"auto", "simt", "cuda"}));
}

void add_device(CLI::App* command, Run& run) {
  command
      ->add_option(
          "--device", run.device,
          tr("With --backend cuda: a GPU's number, or auto (the default) for the least busy"))
      ->option_text("N");
}

void add_seed(CLI::App* command, Run& run, const std::string& description) {
  command->add_option("--seed", run.seed, description)->option_text("N")->check(whole_number());
}

StageInfo stage_meant(const std::string& word, const Progress& progress) {
  if (word.empty()) return current_stage(progress, stages());
  return choose_stages({word}, stages()).front();
}

std::uint64_t random_seed() {
  std::random_device device;
  return std::uniform_int_distribution<std::uint64_t>()(device);
}

}  // namespace tilewise::grading
