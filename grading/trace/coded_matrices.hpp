#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grading/profile/named_call.hpp"
#include "grading/trace/trace.hpp"

/// Inputs whose elements tell which elements they are, so that a word of shared memory tells where
/// it came from.
namespace tilewise::grading {

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

}  // namespace tilewise::grading
