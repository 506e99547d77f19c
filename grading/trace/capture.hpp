#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

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

/// @name Coded inputs
/// Inputs whose elements tell which elements they are, so that a word of shared memory tells where
/// it came from.
/// @{

/// The bits of an element, between 1 and 2: a number that no sum or product of a few is, as a rule.
std::uint32_t code_of(ElementNumber element);
std::uint64_t code_of_double(ElementNumber element);

/// @return no_element where the bits are no element's
ElementNumber element_with(std::uint32_t code);
ElementNumber element_with(std::uint64_t code);

/// Elements that can be told apart.
inline constexpr ElementNumber most_coded_elements = (1 << 23) - 1;

/// The matrices of a call.
/// @throws CannotTrace for a matrix that is too large to be drawn
std::vector<TraceMatrix> matrices_of(const NamedCall& call);

/// Images of the matrices in memory shared with a worker, and the call's arguments that name them:
/// each between bands that belong to no matrix, so that a kernel which strays is told so.
struct CodedCall {
  std::vector<Argument> arguments;
  std::size_t bytes = 0;  ///< of all images
};
CodedCall place_matrices(const NamedCall& call);
void write_matrices(const CodedCall& call, const std::vector<TraceMatrix>& matrices,
                    std::span<std::byte> memory);

/// @}

/// Makes a call on the checked simulator, with inputs that tell where each word comes from.
/// @param worker_options  of a worker whose module is of the checked build
/// @throws CannotTrace for matrices that are too large, std::runtime_error where a trace is none
Capture capture_trace(const NamedCall& call, WorkerOptions worker_options);

/// The call that shows a stage best, from its stage.json.
/// @throws CannotTrace where there is none
std::string telling_call(const std::filesystem::path& root, const std::string& stage_id);

}  // namespace tilewise::grading
