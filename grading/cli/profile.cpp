#include <iostream>
#include <utility>

#include "common/process/scratch_directory.hpp"
#include "grading/builder/kernel_registers.hpp"
#include "grading/cli/commands.hpp"
#include "grading/cli/output_file.hpp"
#include "grading/cli/simulated_calls.hpp"
#include "grading/cli/submission.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/profile/profile_report.hpp"
#include "grading/report/json.hpp"
#include "grading/report/terminal.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

CallReply make_call(const NamedCall& call, const fs::path& module, const core::GpuProfile& gpu,
                    bool exhaustive) {
  // A few blocks take seconds, all blocks of a large grid many minutes.
  Worker worker(counting_worker_options(module, gpu, exhaustive ? 3600 : 60));
  CallReply reply = worker.call(call.function, call.arguments, std::nullopt,
                                simt::Watch{.counters = true, .sample = !exhaustive});
  if (const auto why = why_nothing_counted(reply, call.text)) throw NothingToShow{*why};
  return reply;
}

/// Students know a file by its name alone.
void drop_folders(std::vector<KernelProfile>& kernels) {
  for (KernelProfile& kernel : kernels) {
    for (simt::LineCounters& line : kernel.lines) line.file = fs::path(line.file).filename();
  }
}

}  // namespace

bool profile(const ProfileOptions& options) {
  const StageInfo stage = stage_of(options);
  const core::GpuProfile gpu = core::gpu_profile(options.gpu);
  const NamedCall call = read_call(options.call, contracts_of(stage.id));
  const Submission submission = choose_submission(options, {stage});
  const fs::path folder = submission.folder_of(stage);
  demand_writable(options.json);

  TerminalReport terminal(std::cout, style_of_standard_output());
  try {
    const ScratchDirectory scratch;
    terminal.show_progress("compiling");
    RegisterCompilation registers(stage.id, folder, gpu, scratch.path());
    const fs::path module = build_checked(stage, folder, scratch.path());
    terminal.show_progress(call.text);
    CallReply reply = make_call(call, module, gpu, options.exhaustive);
    drop_folders(reply.profiles);
    terminal.show_progress("nvcc counts registers");
    const ProfileReport report{stage.id,
                               call.text,
                               gpu,
                               std::move(reply.profiles),
                               reply.launches,
                               call.operations,
                               call.double_precision,
                               registers.wait()};
    terminal.clear_progress();
    std::cout << profile_table(report, read_sources(stage, folder)) << std::flush;
    write_output(options.json, to_file(profile_document(report)));
    return true;
  } catch (const NothingToShow& none) {
    terminal.explain_stage(none.why);
    return false;
  }
}

}  // namespace tilewise::grading
