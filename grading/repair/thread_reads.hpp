#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "grading/trace/trace.hpp"

/// What single threads read and store, in a traced call with coded inputs.
namespace tilewise::grading {

/// One lane's part of a request.
struct ThreadAccess {
  const TraceBlock* block;
  std::size_t request;  ///< number within the block
  std::size_t nth;      ///< counts the lanes that take part
  unsigned thread;      ///< number within the block

  const TraceRequest& made() const { return block->requests[request]; }
};

/// An element of an input that a thread has read.
struct ThreadRead {
  ElementNumber element;
  ThreadAccess access;
  std::size_t word = 0;  ///< of the access, in shared memory
};

/// Calls use(access) for each lane of a block's requests, in their order.
template <class Use>
void for_each_access(const TraceBlock& block, Use&& use) {
  for (std::size_t i = 0; i < block.requests.size(); ++i) {
    const simt::TracedRequest& made = block.requests[i].made;
    std::size_t nth = 0;
    for (std::uint32_t lanes = made.lanes; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      use(ThreadAccess{&block, i, nth++, made.warp * 32 + lane});
    }
  }
}

/// The elements that an access to device memory touches; empty outside of all matrices.
std::vector<ElementNumber> elements_of(const ThreadAccess& access,
                                       const std::vector<TraceMatrix>& matrices);

/// The place of one of an access's words in shared memory, in bytes.
std::uint32_t place_of_word(const ThreadAccess& access, std::size_t word);

/// What a thread has read before an access. Nothing if it may have read more than elements of
/// inputs and zeros: memory outside of the matrices, or shared memory that holds computed numbers
/// or is filled by asynchronous copies.
std::optional<std::vector<ThreadRead>> reads_before(const ThreadAccess& last,
                                                    const std::vector<TraceMatrix>& matrices);

/// The load by which the thread that filled a place in shared memory got the element there.
std::optional<ThreadAccess> load_behind(const ThreadRead& read,
                                        const std::vector<TraceMatrix>& matrices);

}  // namespace tilewise::grading
