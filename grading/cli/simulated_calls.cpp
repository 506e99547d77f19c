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
  if (!built.ok) throw NothingToShow{{.message = built.message, .hint = built.hint}};
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

std::optional<Finding> why_nothing_counted(const CallReply& reply, const std::string& call) {
  using Outcome = CallReply::Outcome;
  if (reply.outcome == Outcome::refused) throw CannotGrade(call + ": " + reply.finding.message);
  if (!reply.findings.empty()) {
    Finding first = reply.findings.front();
    first.message = call + ": " + first.message;
    first.hint = "./lab grade looks for such faults, and has hints on them.";
    return first;
  }
  if (reply.outcome != Outcome::returned) {
    Finding why = reply.finding;
    why.message = call + ": " + why.message;
    return why;
  }
  if (reply.cuda_status != 0) {
    return Finding{.message = fmt::format("{} returned {}.", call, reply.cuda_error_name),
                   .hint =
                       "Choose arguments that the contract allows, or find out why it fails: "
                       "./lab grade."};
  }
  if (reply.launches == 0) return Finding{.message = call + " launched no kernel."};
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
