#include "common/base/processors.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tilewise::core {

void by_all_processors(std::size_t size, std::size_t stretch,
                       const std::function<void(std::size_t first, std::size_t end)>& work) {
  const std::size_t stretches = (size + stretch - 1) / stretch;
  std::atomic<std::size_t> next = 0;
  const auto take_stretches = [&] {
    for (std::size_t i = next++; i < stretches; i = next++) {
      work(i * stretch, std::min(size, (i + 1) * stretch));
    }
  };
  std::vector<std::jthread> others;
  const std::size_t processors = std::thread::hardware_concurrency();
  for (std::size_t i = 1; i < std::min(processors, stretches); ++i) {
    others.emplace_back(take_stretches);
  }
  take_stretches();
}

}  // namespace tilewise::core
