#pragma once

#include <cstddef>
#include <functional>

namespace tilewise::core {

/// Calls work(first, end) for stretches of [0, size), on all processors at once if there are
/// several. All stretches have `stretch` elements, except that the last may have fewer, so that
/// they do not depend on the number of processors. If there is no more than one stretch, the
/// caller's thread works on it. `work` must not throw.
void by_all_processors(std::size_t size, std::size_t stretch,
                       const std::function<void(std::size_t first, std::size_t end)>& work);

}  // namespace tilewise::core
