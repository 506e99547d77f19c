#include "grading/bench/memory_needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <variant>
#include <vector>

#include "grading/profile/numbers.hpp"

namespace tilewise::grading {

std::string gigabytes(std::size_t bytes) {
  constexpr double giga = 1e9, mega = 1e6;
  const auto amount = static_cast<double>(bytes);
  return amount < giga ? fmt::format("{:.0f} MB", amount / mega)
                       : fmt::format("{:.1f} GB", amount / giga);
}

std::string memory_of(const NamedCall& call) {
  std::vector<std::size_t> sizes;
  std::size_t total = 0;
  for (const Argument& argument : call.arguments) {
    if (const auto* matrix = std::get_if<BufferArgument>(&argument)) {
      sizes.push_back(matrix->image_bytes);
      total += matrix->image_bytes;
    }
  }
  const bool alike = std::ranges::adjacent_find(sizes, std::not_equal_to<>()) == sizes.end();
  if (!alike || sizes.size() < 2) return gigabytes(total);
  return fmt::format("{} ({} matrices of {})", gigabytes(total), sizes.size(),
                     gigabytes(sizes.front()));
}

std::optional<std::size_t> available_in(std::string_view meminfo) {
  constexpr std::string_view name = "MemAvailable:";
  const std::size_t at = meminfo.find(name);
  if (at == meminfo.npos) return std::nullopt;
  meminfo.remove_prefix(at + name.size());
  meminfo.remove_prefix(std::min(meminfo.find_first_not_of(' '), meminfo.size()));
  const auto kibibytes = number_in<std::size_t>(meminfo.substr(0, meminfo.find(' ')));
  if (!kibibytes) return std::nullopt;
  return *kibibytes * 1024;
}

std::optional<std::size_t> available_memory() {
  std::ifstream file("/proc/meminfo");
  return available_in(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace tilewise::grading
