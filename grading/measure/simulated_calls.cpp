#include "grading/measure/simulated_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "common/base/catalogue.hpp"
#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/kernel_registers.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/submission.hpp"
#include "grading/labreport/lab_report.hpp"
#include "grading/measure/commands.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/profile/profile_report.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/result.hpp"
#include "grading/results/terminal.hpp"
#include "grading/stages/stage_contracts.hpp"
#include "grading/trace/capture.hpp"
#include "grading/trace/trace_page.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

fs::path build_checked(const StageInfo& stage, const fs::path& folder, const fs::path& scratch) {
  const BuildResult built =
      build_module({stage.id, folder, Backend::simt, scratch, Flavour::checked});
  if (!built.ok)
    throw NothingToShow{{.message = built.finding.message, .hint = built.finding.hint}};
  return built.module;
}

WorkerOptions counting_worker_options(const std::filesystem::path& module,
                                      const core::GpuProfile& gpu, double time_limit_s) {
  // The limit allows matrices as large as those timed on a GPU. What the simulator keeps for each
  // of their elements takes many addresses, but little memory, since only a few blocks touch them.
  constexpr std::size_t times_the_usual = 4;
  return {.executable = tool("tilewise-worker-simt"),
          .module = module,
          .profile = gpu,
          .time_limit_s = time_limit_s,
          .address_space_bytes = times_the_usual * simulator_address_space_bytes()};
}

std::optional<Finding> why_nothing_counted(const CallReply& reply, const std::string& call) {
  using Ending = CallReply::Ending;
  if (reply.ending == Ending::refused) throw CannotGrade(call + ": " + reply.finding.message);
  if (!reply.findings.empty()) {
    Finding first = reply.findings.front();
    first.message = call + ": " + first.message;
    first.hint = tr("./lab grade looks for such faults, and has hints on them.");
    return first;
  }
  if (reply.ending != Ending::returned) {
    Finding why = reply.finding;
    why.message = call + ": " + why.message;
    return why;
  }
  if (reply.cuda_status != 0) {
    return Finding{
        .message = tr("{} returned {}.", call, reply.cuda_error_name),
        .hint = tr("Choose arguments that the contract allows, or find out why it fails: "
                   "./lab grade.")};
  }
  if (reply.launches == 0) return Finding{.message = call + tr(" launched no kernel.")};
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

namespace {

namespace fs = std::filesystem;

CallReply make_call(const NamedCall& call, const fs::path& module, const core::GpuProfile& gpu,
                    bool exhaustive) {
  // A few blocks take seconds, but all blocks of a large grid take many minutes.
  Worker worker(counting_worker_options(module, gpu, exhaustive ? 3600 : 60));
  CallReply reply = worker.call(call.function, call.arguments, std::nullopt,
                                simt::Watch{.counters = true, .sample = !exhaustive});
  if (const auto why = why_nothing_counted(reply, call.text)) throw NothingToShow{*why};
  return reply;
}

/// Strips the folders from file names, since students know a file only by its name.
void drop_folders(std::vector<KernelProfile>& kernels) {
  for (KernelProfile& kernel : kernels) {
    for (simt::LineCounters& line : kernel.lines) line.file = fs::path(line.file).filename();
  }
}

}  // namespace

std::vector<ProfileReport> count_calls(const StageInfo& stage, const fs::path& folder,
                                       const core::GpuProfile& gpu,
                                       const std::vector<NamedCall>& calls, bool exhaustive,
                                       TerminalReport& terminal) {
  const ScratchDirectory scratch;
  terminal.show_progress(tr("compiling"));
  RegisterCompilation registers(stage.id, folder, gpu, scratch.path());
  const fs::path module = build_checked(stage, folder, scratch.path());
  std::vector<ProfileReport> reports;
  for (const NamedCall& call : calls) {
    terminal.show_progress(call.text);
    CallReply reply = make_call(call, module, gpu, exhaustive);
    drop_folders(reply.profiles);
    reports.push_back({stage.id, call.text, gpu, std::move(reply.profiles), reply.launches,
                       call.operations, call.double_precision});
  }
  terminal.show_progress(tr("nvcc counts registers"));
  const std::vector<CompiledKernel> compiled = registers.wait();
  for (ProfileReport& report : reports) report.compiled = compiled;
  terminal.clear_progress();
  return reports;
}

bool profile(const ProfileOptions& options) {
  if (!options.json.empty()) core::speak_english();
  const StageInfo stage = stage_of(options);
  const core::GpuProfile gpu = simulated_gpu(stage, core::gpu_profile(options.gpu));
  std::vector<NamedCall> calls;
  for (const std::string& call : options.calls) {
    calls.push_back(read_call(call, contracts_of(stage.id)));
  }
  if (calls.size() > 1 && !options.json.empty()) {
    throw CannotGrade(tr("--json holds one call; leave out the others, or run once for each"));
  }
  const Submission submission = choose_submission(options, {stage});
  const fs::path folder = submission.folder_of(stage);
  demand_writable(options.json);
  demand_writable(options.plot);

  TerminalReport terminal(std::cout, style_of_standard_output());
  try {
    const std::vector<ProfileReport> reports =
        count_calls(stage, folder, gpu, calls, options.exhaustive, terminal);
    const SourceTexts sources = read_sources(stage, folder);
    for (const ProfileReport& report : reports) {
      if (&report != &reports.front()) std::cout << '\n';
      std::cout << profile_table(report, sources) << std::flush;
    }
    write_output(options.json, to_file(profile_document(reports.front())));
    write_output(options.plot, options.plot.empty() ? "" : roofline_of(reports));
    return true;
  } catch (const NothingToShow& none) {
    terminal.explain_stage(none.why);
    return false;
  }
}

namespace {

// All blocks run and are checked, which takes longer than a sample.
constexpr double trace_limit_s = 120;

/// Reads two numbers with a character between them, such as "0-1" or "1,0".
template <class Number>
std::optional<std::array<Number, 2>> pair_in(std::string_view text, char between) {
  const std::size_t at = text.find(between);
  if (at == text.npos) return std::nullopt;
  const auto first = number_in<Number>(text.substr(0, at));
  const auto second = number_in<Number>(text.substr(at + 1));
  if (!first || !second) return std::nullopt;
  return std::array{*first, *second};
}

std::array<unsigned, 2> read_intervals(const std::string& text) {
  if (const auto one = number_in<unsigned>(text)) return {*one, *one};
  const auto both = pair_in<unsigned>(text, '-');
  if (!both || (*both)[0] > (*both)[1]) {
    throw CannotGrade(tr("'{}' is no interval between barriers; write it as 0 or 0-1", text));
  }
  return *both;
}

FigureChoice read_choice(const TraceOptions& options) {
  FigureChoice choice;
  choice.view = options.view;
  if (!options.intervals.empty()) choice.intervals = read_intervals(options.intervals);
  for (const std::string& text : options.threads) {
    const auto thread = pair_in<unsigned>(text, ',');
    if (!thread) throw CannotGrade(tr("'{}' is no thread; write it as 1,0", text));
    choice.threads.push_back(*thread);
  }
  return choice;
}

Trace make_trace(const TraceOptions& options, const StageInfo& stage, const NamedCall& call,
                 const std::filesystem::path& folder, TerminalReport& terminal) {
  const core::GpuProfile gpu = simulated_gpu(stage, core::gpu_profile(options.gpu));
  const ScratchDirectory scratch;
  terminal.show_progress(tr("compiling"));
  const std::filesystem::path module = build_checked(stage, folder, scratch.path());
  terminal.show_progress(call.text);
  WorkerOptions worker = counting_worker_options(module, gpu, trace_limit_s);
  Capture captured = capture_trace(call, std::move(worker));
  // A faulty call is worth a picture, as long as there is anything to see.
  if (captured.trace.kernels.empty() || captured.trace.findings.empty()) {
    if (const auto why = why_nothing_counted(captured.reply, call.text)) throw NothingToShow{*why};
  }
  captured.trace.stage = stage.id;
  captured.trace.sources = read_sources(stage, folder);
  return std::move(captured.trace);
}

/// Describes what the page shows and what it leaves out.
std::string summary(const Trace& trace) {
  std::string text = trace.call + ":";
  const char* separator = " ";
  for (const TraceKernel& kernel : trace.kernels) {
    std::size_t requests = 0;
    const bool cut = std::ranges::any_of(kernel.blocks, &TraceBlock::cut);
    for (const TraceBlock& block : kernel.blocks) requests += block.requests.size();
    const std::uint64_t blocks =
        std::uint64_t{kernel.launch.grid[0]} * kernel.launch.grid[1] * kernel.launch.grid[2];
    const std::string of_blocks = kernel.blocks.size() < blocks
                                      ? tr("{} of {} blocks", kernel.blocks.size(), blocks)
                                  : blocks == 1 ? tr("1 block")
                                                : tr("{} blocks", blocks);
    text +=
        tr("{}{} with {} requests of {}{}", separator, kernel.launch.kernel, requests, of_blocks,
           cut ? tr(", their beginning only (choose a smaller call to see all)") : "");
    separator = "; ";
  }
  if (static_cast<std::size_t>(trace.launches) > trace.kernels.size()) {
    text += tr("; the first {} of {} launches", trace.kernels.size(), trace.launches);
  }
  return text;
}

void print_findings(const Trace& trace) {
  for (const Finding& finding : trace.findings) {
    fmt::print("{}", tr("  marked: {}:{}: {}\n", printable(finding.file), finding.line,
                        printable(finding.message)));
  }
}

}  // namespace

bool trace(const TraceOptions& options) {
  const StageInfo stage = stage_of(options);
  const std::filesystem::path root = core::project_root();
  const NamedCall call = read_call(
      options.call.empty() ? telling_call(root, stage.id) : options.call, contracts_of(stage.id));
  const FigureChoice choice = read_choice(options);
  const Submission submission = choose_submission(options, {stage});
  const bool page_too = options.figure.empty() || !options.output.empty();
  const std::filesystem::path page = options.output.empty() ? "trace.html" : options.output;
  if (page_too) demand_writable(page);
  demand_writable(options.figure);

  TerminalReport terminal(std::cout, style_of_standard_output());
  try {
    const Trace trace = make_trace(options, stage, call, submission.folder_of(stage), terminal);
    write_output(options.figure, options.figure.empty() ? "" : draw_figure(trace, choice));
    if (page_too) write_output(page, trace_page(trace, root));
    terminal.clear_progress();
    if (!options.figure.empty()) fmt::print("{}: {}\n", options.figure.string(), trace.call);
    if (page_too) fmt::print("{}: {}\n", page.string(), printable(summary(trace)));
    print_findings(trace);
    return true;
  } catch (const NothingToShow& none) {
    terminal.explain_stage(none.why);
    return false;
  }
}

}  // namespace tilewise::grading
