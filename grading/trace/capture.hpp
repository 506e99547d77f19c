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

/// The trace of a call and its reply. If nothing was launched, the trace has no kernels, and the
/// reply says why.
struct Capture {
  Trace trace;  ///< without stage and sources
  CallReply reply;
};

/// @name Coded inputs
/// The elements of coded inputs encode their own numbers, so that each word of shared memory shows
/// which element it came from.
/// @{

/// Returns the bits of an element's code, as a number between 1 and 2. Usually no sum or product of
/// a few codes is a code.
std::uint32_t code_of(ElementNumber element);
std::uint64_t code_of_double(ElementNumber element);

/// @return no_element if the bits are not an element's code
ElementNumber element_with(std::uint32_t code);
ElementNumber element_with(std::uint64_t code);

/// The number of elements that can be distinguished.
inline constexpr ElementNumber most_coded_elements = (1 << 23) - 1;

/// Returns the matrices of a call.
/// @throws CannotTrace for a matrix that is too large to be drawn
std::vector<TraceMatrix> matrices_of(const NamedCall& call);

/// The images of the matrices in memory shared with a worker, and the call's arguments that refer
/// to them. Each image is surrounded by bands that belong to no matrix, so that stray accesses of a
/// kernel are detected.
struct CodedCall {
  std::vector<Argument> arguments;
  std::size_t bytes = 0;  ///< bytes of all images
};
CodedCall place_matrices(const NamedCall& call);
void write_matrices(const CodedCall& call, const std::vector<TraceMatrix>& matrices,
                    std::span<std::byte> memory);

/// @}

/// Makes a call on the checked simulator with coded inputs.
/// @param worker_options  of a worker whose module comes from the checked build
/// @throws CannotTrace for matrices that are too large, std::runtime_error if the worker leaves an
/// invalid trace
Capture capture_trace(const NamedCall& call, WorkerOptions worker_options);

/// Returns the call that shows a stage best, from its stage.json.
/// @throws CannotTrace if there is none
std::string telling_call(const std::filesystem::path& root, const std::string& stage_id);

}  // namespace tilewise::grading
