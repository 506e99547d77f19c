#pragma once

#include <filesystem>
#include <string>

#include "grading/examiner/process/worker.hpp"
#include "grading/profile/named_call.hpp"
#include "grading/trace/trace.hpp"

namespace tilewise::grading {

/// A call as it was made, and what came of it. Where nothing was launched the trace has no kernels,
/// and the reply tells why.
struct Capture {
  Trace trace;  ///< without stage and sources
  CallReply reply;
};

/// Makes a call on the checked simulator, with inputs that tell where each word comes from.
/// @param worker_options  of a worker whose module is of the checked build
/// @throws CannotTrace for matrices that are too large, std::runtime_error where a trace is none
Capture capture_trace(const NamedCall& call, WorkerOptions worker_options);

/// The call that shows a stage best, from its stage.json.
/// @throws CannotTrace where there is none
std::string telling_call(const std::filesystem::path& root, const std::string& stage_id);

}  // namespace tilewise::grading
