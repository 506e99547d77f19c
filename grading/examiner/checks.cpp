#include "grading/examiner/checks.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "grading/examiner/calling.hpp"
#include "grading/examiner/messages.hpp"
#include "grading/examiner/process/sanitizer.hpp"

namespace tilewise::grading {
namespace {

WorkerOptions options_for(const ExaminerOptions& options, const CheckPass& pass,
                          const std::filesystem::path& log) {
  if (pass.tool.empty()) return checked_worker_options(options);
  WorkerOptions supervised = worker_options(options);
  supervised.supervisor = {find_compute_sanitizer().value(),
                           "--tool",
                           pass.tool,
                           "--log-file",
                           log,
                           "--show-backtrace",
                           "no"};
  return supervised;
}

}  // namespace

std::vector<CheckPass> check_passes(const ExaminerOptions& options, Random& random) {
  if (!options.on_gpu()) {
    const auto in_order = [&](simt::ThreadOrder order) {
      return simt::Watch{.checks = true, .order = order, .seed = random()};
    };
    return {{"", in_order(simt::ThreadOrder::forward), ""},
            {", threads in reverse order", in_order(simt::ThreadOrder::reverse), ""},
            {", threads in random order", in_order(simt::ThreadOrder::shuffled), ""}};
  }
  if (!find_compute_sanitizer()) return {};
  std::vector<CheckPass> passes;
  for (const char* tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
    passes.push_back({std::string(" under compute-sanitizer --tool ") + tool, {}, tool});
  }
  return passes;
}

CheckedCalls::CheckedCalls(const ExaminerOptions& options, const CheckPass& pass)
    : pass_(pass), worker_(options_for(options, pass, log())) {}

std::string CheckedCalls::obstacle() {
  const bool refused = worker_.ready().outcome == CallReply::Outcome::refused;
  return refused && !pass_.tool.empty() ? worker_.ready().finding.message : "";
}

std::optional<Verdict> CheckedCalls::make(const Call& call, CallReply& reply) {
  last_call_ = call.text;
  CallManner manner;
  if (pass_.tool.empty()) {
    manner.watch = pass_.watch;
  } else {
    manner.with_guard_bands = false;  // else what strays into them goes unnoticed
    manner.is_supervised = true;
  }
  reply = call_worker(worker_, call, manner);
  auto failure = failure_of(call.text + pass_.circumstances, reply);
  if (!failure) return std::nullopt;
  failure->call = call.text;
  // The log says more than that a kernel has failed.
  const auto logged = finish();
  return logged ? logged : failure;
}

std::optional<Verdict> CheckedCalls::finish() {
  if (pass_.tool.empty()) return std::nullopt;
  worker_.finish();
  std::ifstream stream(log(), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto error = first_sanitizer_error(text);
  if (!error) return std::nullopt;
  return Verdict{sanitizer_fault(last_call_, pass_.tool, *error)};
}

}  // namespace tilewise::grading
