#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/finding.hpp"
#include "common/simt/rewrite/accesses.hpp"
#include "grading/builder/access_words.hpp"
#include "grading/builder/source_account.hpp"

/// The parts that the account of a finding (source_account.hpp) is made of, by what they explain.
namespace tilewise::grading {

/// Explains a wrong result: where an element is stored that was never written or stands elsewhere,
/// where an input is read that is read at a wrong position, which condition lets only whole steps
/// through, and which floats stand among doubles.
/// @param accesses all accesses of the source
SourceAccount account_of_wrong_result(const Finding& finding, const Accesses& accesses,
                                      std::string_view source);

/// For matrices that are read at a wrong position: says where the tiles are read that they fill,
/// directly or by way of registers, and which index has another position where a tile is read than
/// where it is filled.
/// @param reads the reads of the matrix
/// @param accesses all accesses of the source
SourceAccount tiles_filled_by(const Accesses& reads, const Accesses& accesses);

/// Returns the advice on elements of a shared array that its stores leave empty.
std::string advice_on_filling(const Accesses& stores, const core::Finding& finding);

/// Explains `As[ty * n + tx]`, which indexes a tile of the finding with the row length of a matrix,
/// on the finding's lines and where the tile is filled.
/// @param accesses all accesses of the source
SourceAccount pitch_of_tile(const Finding& finding, const Accesses& accesses);

/// Explains tiles that tensor cores are given with another row length than they have, and matrices
/// in which tensor cores store with another row distance.
SourceAccount distance_of_rows(const Finding& finding, const Accesses& accesses,
                               std::string_view source);

/// Says why an index leaves its array, where the source shows it: the index is compared with
/// something else than the array's side, counts whole sides, or begins with a counter that starts
/// at the side.
/// @param finding a stray access that says which bracket is to blame
/// @param is_it whether no other access of the line may be the one
SourceAccount doubt_about_side(const simt::SourceAccess& access, const core::Finding& finding,
                               bool is_it);

/// For a matrix that is not square: says whether its row and its column are compared with the same
/// bound.
/// @param finding a finding whose message ends in "(50 x 70)"
SourceAccount doubt_about_bounds(const simt::SourceAccess& access, const core::Finding& finding);

/// For a barrier that some threads miss: says which of two barriers stands in a branch, and which
/// condition decides on it.
SourceAccount barrier_in_a_branch(const core::Finding& finding, std::string_view source);

/// For wrong results at edges: names a barrier that threads there pass by. They wait at no other
/// barrier, and so have ended while the rest waits, which no check objects to.
SourceAccount barrier_that_threads_pass(const std::vector<std::string>& kernels,
                                        std::string_view source);

/// For a race in shared memory: names a barrier beside both lines that is not reached in each
/// iteration.
/// @param kernel the kernel that holds both lines
SourceAccount barrier_of_some_turns(const std::string& kernel, std::string_view source);

/// For a race between a store and a read of shared memory in one loop: says where a __syncthreads()
/// stands in an iteration, and so where one is missing.
/// @param earlier, later the two accesses, in the order of their lines
SourceAccount missing_barrier(const simt::SourceAccess& earlier, const simt::SourceAccess& later,
                              const core::Finding& finding, std::string_view source);

/// For a read of data that an asynchronous copy has not brought yet: says which copies are in no
/// group.
SourceAccount missing_commit(const core::Finding& finding, std::string_view source);

/// For a pointer that moves: says where and, if it does so in a nested loop, that the outer loop
/// does not reset it.
SourceAccount moving_pointer(const simt::SourceAccess& access, std::string_view source);

/// For a kernel that declares more shared memory than a block has: lists its arrays, and the
/// constants that their extents are made of.
SourceAccount declared_shared_memory(const core::Finding& finding, std::string_view source);

/// For a copy that the runtime refused for its direction: quotes the calls that copy that way.
SourceAccount refused_copy(const core::Finding& finding, std::string_view source);

/// For a stack that overflowed: names the conditions that end the function which calls itself on
/// the finding's line.
SourceAccount endless_recursion(const core::Finding& finding, std::string_view source);

/// For code that ended with an arithmetic error (SIGFPE): names what the line divides by, and
/// where that gets its value. Empty for any other finding, and where the line divides by nothing
/// that could be 0.
SourceAccount division_by_zero(const core::Finding& finding, std::string_view source);

}  // namespace tilewise::grading
