#include "common/simt/runtime/shared_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tilewise::simt {

namespace {

std::size_t product(const std::vector<std::size_t>& extents, std::size_t from) {
  std::size_t elements = 1;
  for (std::size_t i = from; i < extents.size(); ++i) elements *= extents[i];
  return elements;
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// "float [16][4]" has the extents 16 and 4.
std::string brackets(const std::vector<std::size_t>& extents, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < extents.size(); ++i) text += fmt::format("[{}]", extents[i]);
  return text;
}

}  // namespace

void SharedNames::add(Place start, const char* name, std::string element, std::size_t element_bytes,
                      std::vector<std::size_t> extents) {
  const auto at =
      std::lower_bound(arrays_.begin(), arrays_.end(), start,
                       [](const Array& array, Place place) { return array.start < place; });
  Array array{start, name, std::move(element), element_bytes, std::move(extents)};
  if (at != arrays_.end() && at->start == start) {
    *at = std::move(array);
  } else {
    arrays_.insert(at, std::move(array));
  }
}

std::vector<std::size_t> SharedNames::extents_of(const Array& array) const {
  if (!array.extents.empty() || array.start != shared_place) return array.extents;
  return {dynamic_bytes_ / array.element_bytes};
}

TracedArray SharedNames::array_at(Place start) const {
  const auto found = std::ranges::find(arrays_, start, &Array::start);
  if (found == arrays_.end()) return {};
  return {found->name, start - shared_place, static_cast<std::uint32_t>(found->element_bytes),
          extents_of(*found)};
}

std::string SharedNames::declaration(const Array& array) const {
  return fmt::format("{} {}{}", array.element, array.name, brackets(extents_of(array), 0));
}

std::string SharedNames::element(const Array& array, std::int64_t index) const {
  const std::vector<std::size_t> extents = extents_of(array);
  std::string text = array.name;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto stride = static_cast<std::int64_t>(product(extents, i + 1));
    const std::int64_t here = floor_divide(index, stride);
    text += fmt::format("[{}]", here);
    index -= here * stride;
  }
  return text;
}

std::string SharedNames::element(Place place) const {
  auto after =
      std::upper_bound(arrays_.begin(), arrays_.end(), place,
                       [](Place wanted, const Array& array) { return wanted < array.start; });
  if (after != arrays_.begin()) {
    const Array& array = *std::prev(after);
    const std::size_t offset = place - array.start;
    const std::size_t bytes = product(extents_of(array), 0) * array.element_bytes;
    if (offset < bytes) {
      return element(array, static_cast<std::int64_t>(offset / array.element_bytes));
    }
  }
  return fmt::format("byte {} of the block's shared memory", place - shared_place);
}

std::optional<SharedNames::OutOfBounds> SharedNames::name(const IndexFault& fault,
                                                          Place place) const {
  for (const Array& array : arrays_) {
    const std::vector<std::size_t> extents = extents_of(array);
    for (std::size_t dimension = 0; dimension < extents.size(); ++dimension) {
      if (fault.type != array.element + " " + brackets(extents, dimension)) continue;
      const auto stride = static_cast<std::int64_t>(product(extents, dimension + 1));
      const auto offset = static_cast<std::int64_t>(place) - static_cast<std::int64_t>(array.start);
      // What the other indices alone would have given must lie in the array.
      std::int64_t rest = floor_divide(offset, static_cast<std::int64_t>(array.element_bytes)) -
                          fault.index * stride;
      if (rest < 0 || rest >= static_cast<std::int64_t>(product(extents, 0))) continue;
      OutOfBounds found{array.name, declaration(array)};
      for (std::size_t i = 0; i < extents.size(); ++i) {
        const auto step = static_cast<std::int64_t>(product(extents, i + 1));
        const std::int64_t here = i == dimension ? fault.index : rest / step;
        if (i != dimension) rest %= step;
        found.element += fmt::format("[{}]", here);
      }
      return found;
    }
  }
  return std::nullopt;
}

std::optional<SharedNames::OutOfBounds> SharedNames::name_outside(Place place) const {
  const auto after =
      std::upper_bound(arrays_.begin(), arrays_.end(), place,
                       [](Place wanted, const Array& array) { return wanted < array.start; });
  if (after == arrays_.begin()) return std::nullopt;
  const Array& array = *std::prev(after);
  const std::size_t offset = place - array.start;
  // Nearer to the next array's start it is an index below zero of that.
  if (after != arrays_.end() && after->start - place < offset / 2) {
    const auto back = static_cast<std::int64_t>(after->start - place);
    const auto size = static_cast<std::int64_t>(after->element_bytes);
    return OutOfBounds{element(*after, -((back + size - 1) / size)), declaration(*after)};
  }
  return OutOfBounds{element(array, static_cast<std::int64_t>(offset / array.element_bytes)),
                     declaration(array)};
}

}  // namespace tilewise::simt
