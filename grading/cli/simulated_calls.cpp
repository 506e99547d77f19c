#include "grading/cli/simulated_calls.hpp"

#include <fmt/format.h>

#include <fstream>

#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/stage_choice.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

fs::path build_checked(const StageInfo& stage, const fs::path& folder, const fs::path& scratch) {
  const BuildOutcome built =
      build_module({stage.id, folder, Backend::simt, scratch, Flavour::checked});
  if (!built.ok) throw NothingToShow{{built.message, built.hint, "", 0}};
  return built.module;
}

WorkerOptions counting_worker_options(const std::filesystem::path& module,
                                      const core::GpuProfile& gpu, double time_limit_s) {
  // For matrices as large as one times on a GPU: what the simulator keeps of each of their elements
  // takes many addresses, but little memory, since only a few blocks touch them.
  constexpr std::size_t times_the_usual = 4;
  return {.executable = tool("tilewise-worker-simt"),
          .module = module,
          .profile = gpu,
          .time_limit_s = time_limit_s,
          .address_space_bytes = times_the_usual * simulator_address_space_bytes()};
}

std::optional<Explanation> why_nothing_counted(const CallReply& reply, const std::string& call) {
  using Outcome = CallReply::Outcome;
  if (reply.outcome == Outcome::refused) throw CannotGrade(call + ": " + reply.message);
  if (!reply.diagnostics.empty()) {
    const Diagnostic& first = reply.diagnostics.front();
    return Explanation{call + ": " + first.message,
                       "./lab grade looks for such faults, and has hints on them.", first.file,
                       first.line};
  }
  if (reply.outcome != Outcome::returned) {
    return Explanation{call + ": " + reply.message, "", reply.file, reply.line};
  }
  if (reply.cuda_status != 0) {
    return Explanation{fmt::format("{} returned {}.", call, reply.cuda_error_name),
                       "Choose arguments that the contract allows, or find out why it fails: ./lab "
                       "grade.",
                       "", 0};
  }
  if (reply.launches == 0) return Explanation{call + " launched no kernel.", "", "", 0};
  return std::nullopt;
}

SourceTexts read_sources(const StageInfo& stage, const std::filesystem::path& folder) {
  SourceTexts texts;
  for (const std::string& source : stage.sources) {
    std::ifstream file(folder / source, std::ios::binary);
    std::vector<std::string>& lines = texts[source];
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  return texts;
}

}  // namespace tilewise::grading
