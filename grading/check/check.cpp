#include "grading/check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "common/base/catalogue.hpp"
#include "common/base/language.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/process.hpp"
#include "common/process/sandbox.hpp"
#include "grading/check/check_report.hpp"
#include "grading/check/program_build.hpp"
#include "grading/profile/profile_report.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

std::vector<std::pair<std::string, std::string>> environment_of(const CheckOptions& options,
                                                                const fs::path& events) {
  return {{"TILEWISE_TOOL", options.tool},
          {"TILEWISE_ERROR_EXITCODE", std::to_string(options.error_exitcode)},
          {"TILEWISE_GPU", options.gpu},
          {"TILEWISE_FAST", options.fast ? "1" : ""},
          {"TILEWISE_PROFILE", options.profile ? "1" : ""},
          {"TILEWISE_API_ERRORS", options.report_api_errors == "no" ? "0" : ""},
          {"TILEWISE_DEVICE_SURVIVES", options.destroy_on_device_error == "kernel" ? "1" : ""},
          {"TILEWISE_LEAK_CHECK", options.leak_check == "full" ? "1" : ""},
          {"TILEWISE_OUTPUT", options.output.empty() ? "" : fs::absolute(options.output).string()},
          {core::catalogue_variable, core::catalogue_file().string()},
          {"TILEWISE_EVENTS", events.string()}};
}

/// Warns about options of `lab check` after the files. They go to the program, which the user may
/// not have meant.
void note_misplaced_options(const CompilerWords& words) {
  if (words.has_dashes) return;
  for (const std::string& word : words.arguments) {
    const bool is_ours = std::ranges::any_of(own_options_of_check(), [&](std::string_view own) {
      return word == own || word.starts_with(std::string(own) + "=");
    });
    if (!is_ours) continue;
    fmt::print(stderr, "{}",
               tr("tilewise: {} stands behind the files, so it goes to the program: options of lab "
                  "check stand before them\n",
                  word));
  }
}

SourceTexts sources_of(const CheckReport& report) {
  SourceTexts sources;
  for (const KernelProfile& kernel : report.profiles) {
    for (const simt::LineCounters& line : kernel.lines) {
      auto& lines = sources[line.file];
      if (!lines.empty()) continue;
      std::ifstream stream(line.file);
      for (std::string text; std::getline(stream, text);) lines.push_back(text);
    }
  }
  return sources;
}

/// Returns the report in the form of `lab profile`.
ProfileReport profile_of(const CheckReport& report, const CheckOptions& options) {
  ProfileReport profile;
  profile.call = options.words.sources.empty() ? "" : options.words.sources.front().string();
  for (const std::string& argument : options.words.arguments) profile.call += " " + argument;
  profile.gpu = core::gpu_profile(options.gpu);
  profile.kernels = report.profiles;
  profile.launches = static_cast<int>(report.launch_count());
  return profile;
}

}  // namespace

int check(const CheckOptions& options) {
  if (!options.json.empty()) core::speak_english();
  const CompilerWords& words = options.words;
  if (words.sources.empty() && words.linked.empty()) {
    throw CannotGrade(tr("no file is named; ./lab check --help shows how"));
  }
  const core::GpuProfile gpu = core::gpu_profile(options.gpu);  // reports an unknown GPU at once
  demand_writable(options.json);
  demand_writable(options.output);
  if (!options.output.empty()) write_output(options.output, "");
  const ScratchDirectory scratch;
  const ProgramBuild built =
      options.fast ? build_program(words, Flavour::fast, scratch.path(), split_tools())
                   : build_program(words, Flavour::checked, scratch.path(), std::nullopt);
  if (!built.ok) {
    fmt::print(stderr, "{}", built.messages);
    return 1;
  }
  if (!built.kernels.empty()) fmt::print(stderr, "{}", in_words(built.kernels));
  if (words.only_compiles || !words.output.empty()) return 0;
  note_misplaced_options(words);

  const fs::path events = scratch.path() / "events";
  std::vector<std::string> arguments = {built.result};
  arguments.insert(arguments.end(), words.arguments.begin(), words.arguments.end());
  const ForegroundEnding ending =
      run_in_foreground({.arguments = arguments, .environment = environment_of(options, events)},
                        options.time_limit_s);
  CheckReport report = read_check_events(events);
  report.exit_status = ending.status;
  report.timed_out = ending.timed_out;
  if (report.timed_out) {
    fmt::print(
        stderr, "{}",
        tr("tilewise: the program was ended after {} s, its time limit\n", options.time_limit_s));
  }
  write_output(options.json, check_json(report, options));
  if (options.profile) {
    fmt::print("{}", profile_table(profile_of(report, options), sources_of(report)));
  }
  const bool found = !report.findings.empty() || report.timed_out;
  return found ? options.error_exitcode : ending.status;
}

}  // namespace tilewise::grading
