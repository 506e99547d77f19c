#pragma once

#include "fibers.hpp"
#include "vector_types.hpp"

namespace tilewise::simt {

/// The place in the source where a thread waits.
struct Site {
  const char* file;
  int line;
};

/// Registers the thread's arrival at its block's barrier. `predicate` feeds the _count, _and and
/// _or forms.
Switch arrive_at_block_barrier(const char* what, Site site, bool predicate);

/// How many threads of the block came to the barrier just passed, and how many of them with a true
/// predicate.
struct BarrierVotes {
  int truths;
  int threads;
};
BarrierVotes votes_of_passed_barrier();

/// Waits until a thread of every block has arrived there.
Switch arrive_at_grid_barrier(Site site);
bool launch_is_cooperative();

/// Ends the launch, for something that cannot be simulated.
Switch refuse(const char* why, Site site);

/// Ends a launch that a GPU would not even begin, because its blocks have more than `most` threads.
Switch refuse_larger_block(unsigned most);

/// Comes first in a kernel with __launch_bounds__, in the checked build.
/// @param most  0: nvcc takes it for no bound
/// @param blocks_an_sm, blocks_a_cluster  arguments of __launch_bounds__ that only compilers use
[[gnu::always_inline]] inline void keep_launch_bounds(unsigned most, int blocks_an_sm = 0,
                                                      int blocks_a_cluster = 0) {
  static_cast<void>(blocks_an_sm), static_cast<void>(blocks_a_cluster);
  if (most != 0 && blockDim.x * blockDim.y * blockDim.z > most) follow(refuse_larger_block(most));
}

}  // namespace tilewise::simt

#define TILEWISE_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

[[gnu::always_inline]] inline void __syncthreads(TILEWISE_SITE) {
  using namespace tilewise::simt;
  follow(arrive_at_block_barrier("__syncthreads()", {file, line}, false));
}

[[gnu::always_inline]] inline int __syncthreads_count(int predicate, TILEWISE_SITE) {
  using namespace tilewise::simt;
  follow(arrive_at_block_barrier("__syncthreads_count()", {file, line}, predicate != 0));
  return votes_of_passed_barrier().truths;
}

[[gnu::always_inline]] inline int __syncthreads_and(int predicate, TILEWISE_SITE) {
  using namespace tilewise::simt;
  follow(arrive_at_block_barrier("__syncthreads_and()", {file, line}, predicate != 0));
  const BarrierVotes votes = votes_of_passed_barrier();
  return votes.truths == votes.threads;
}

[[gnu::always_inline]] inline int __syncthreads_or(int predicate, TILEWISE_SITE) {
  using namespace tilewise::simt;
  follow(arrive_at_block_barrier("__syncthreads_or()", {file, line}, predicate != 0));
  return votes_of_passed_barrier().truths != 0;
}

// Memory fences only have to keep the compiler from reordering: a block's threads share one
// processor thread, and on every supported host blocks see each other's writes in order.
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
