/// Copies that a group makes and waits for together.
#pragma once

#include "../cooperative_groups.h"
#include "../tilewise/async_copies.hpp"

namespace cooperative_groups {

template <class Group, class To, class From>
[[gnu::always_inline]] inline void memcpy_async(const Group& group, To* to, const From* from,
                                                size_t bytes) {
  tilewise::simt::copy_share(to, from, bytes, static_cast<unsigned>(group.thread_rank()),
                             static_cast<unsigned>(group.num_threads()));
  tilewise::simt::commit_copies();
}
template <class Group, class To, class From>
[[gnu::always_inline]] inline void memcpy_async(const Group& group, To* to, size_t room,
                                                const From* from, size_t elements) {
  memcpy_async(group, to, from, (room < elements ? room : elements) * sizeof(To));
}
template <class Group>
[[gnu::always_inline]] inline void wait(const Group& group, TILEWISE_SITE) {
  tilewise::simt::wait_for_copies(0);
  group.sync(file, line);
}
template <unsigned stages, class Group>
[[gnu::always_inline]] inline void wait_prior(const Group& group, TILEWISE_SITE) {
  tilewise::simt::wait_for_copies(stages);
  group.sync(file, line);
}

}  // namespace cooperative_groups
