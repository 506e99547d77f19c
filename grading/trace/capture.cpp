#include "grading/trace/capture.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "grading/course/stages.hpp"
#include "grading/trace/cannot_trace.hpp"
#include "grading/trace/coded_matrices.hpp"

namespace tilewise::grading {
namespace {

/// What all launches of a call may leave as text; pages that nothing is written to cost nothing.
constexpr std::size_t most_trace_bytes = std::size_t{128} << 20;

/// Bytes from and to each partition, where each block of the launch was counted for itself.
std::vector<simt::PartitionBytes> partitions_of(const std::vector<KernelProfile>& profiles,
                                                std::size_t launch) {
  if (launch >= profiles.size() || profiles[launch].blocks_a_run != 1) return {};
  return profiles[launch].partitions_by_run;
}

}  // namespace

Capture capture_trace(const NamedCall& call, WorkerOptions worker_options) {
  Capture captured;
  Trace& trace = captured.trace;
  trace.call = call.text;
  trace.gpu = worker_options.profile;
  trace.matrices = matrices_of(call);
  const CodedCall coded = place_matrices(call);
  worker_options.shared_bytes = coded.bytes + most_trace_bytes;
  Worker worker(std::move(worker_options));
  write_matrices(coded, trace.matrices, worker.memory());
  CallReply& reply = captured.reply;
  reply = worker.call(call.function, coded.arguments, std::nullopt,
                      simt::Watch{.checks = true, .counters = true, .trace = true});
  trace.launches = reply.launches;
  trace.findings = reply.findings;
  if (!reply.trace.empty()) {
    trace.kernels = interpret_trace(reply.trace, trace.matrices, trace.findings);
  }
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    trace.kernels[i].partitions = partitions_of(reply.profiles, i);
  }
  // Students know a file by its name alone.
  for (Finding& finding : trace.findings) {
    finding.file = std::filesystem::path(finding.file).filename();
    finding.other_file = std::filesystem::path(finding.other_file).filename();
  }
  return captured;
}

std::string telling_call(const std::filesystem::path& root, const std::string& stage_id) {
  const nlohmann::json file = read_stage_file(root, stage_id);
  const auto call = file.find("trace");
  if (call == file.end()) {
    throw CannotTrace(stage_id + " has no call of its own to trace; name one: --call 'NAME(...)'");
  }
  return call->get<std::string>();
}

}  // namespace tilewise::grading
