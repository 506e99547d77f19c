#pragma once

#include <cstddef>
#include <functional>

namespace tilewise::core {

/// Calls work(first, end) for stretches of [0, size), on all processors at once where there are
/// several. Stretches have `stretch` elements, the last one may have fewer, so that they do not
/// depend on the number of processors. What is no longer than one stretch is done by the caller.
/// `work` must not throw.
void by_all_processors(std::size_t size, std::size_t stretch,
                       const std::function<void(std::size_t first, std::size_t end)>& work);

}  // namespace tilewise::core
