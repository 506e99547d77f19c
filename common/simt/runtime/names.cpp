#include "common/simt/runtime/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "common/base/language.hpp"
#include "common/simt/include/tilewise/shared_memory.hpp"
#include "common/simt/recorder/record.hpp"

namespace tilewise::simt {

std::string describe(uint3 thread) {
  return tr("thread ({}, {}, {})", thread.x, thread.y, thread.z);
}

std::string describe_block(uint3 block) {
  return tr("block ({}, {}, {})", block.x, block.y, block.z);
}

std::string verb(std::uint32_t site) {
  switch (Site32(site).action()) {
    case Action::read:
      return tr("reads");
    case Action::write:
      return tr("writes");
    default:
      return tr("updates");
  }
}

std::string describe_mask(unsigned lanes) { return fmt::format("0x{:08x}", lanes); }

namespace {

/// "A (37 x 37)" or "an allocation of 148 bytes".
std::string extent_of(const DeviceMemory::Range& range) {
  if (range.description == nullptr) return tr("an allocation of {} bytes", range.bytes);
  const BufferDescription& buffer = *range.description;
  if (buffer.scalar) return buffer.name;
  if (buffer.element_bytes == 0) return tr("{} ({} bytes)", buffer.name, range.bytes);
  const std::size_t elements = range.bytes / buffer.element_bytes;
  if (buffer.row_elements == 0) return tr("{} ({} elements)", buffer.name, elements);
  return fmt::format("{} ({} x {})", buffer.name,
                     (elements + buffer.row_elements - 1) / buffer.row_elements,
                     buffer.row_elements);
}

}  // namespace

std::string name_of(const DeviceMemory::Range& range) {
  return range.description == nullptr ? "" : range.description->name;
}

std::string element_of(const DeviceMemory::Range& range, const std::byte* address) {
  if (range.description == nullptr) {
    return tr("byte {} of an allocation", address - range.start);
  }
  const BufferDescription& buffer = *range.description;
  const std::ptrdiff_t offset = address - range.start;
  if (buffer.element_bytes == 0) return tr("byte {} of {}", offset, buffer.name);
  if (buffer.scalar && address >= range.start && address < range.start + range.bytes) {
    return buffer.name;
  }
  const auto size = static_cast<std::ptrdiff_t>(buffer.element_bytes);
  const std::ptrdiff_t element = offset / size - (offset % size < 0 ? 1 : 0);
  if (buffer.row_elements == 0 || element < 0) {
    return fmt::format("{}[{}]", buffer.name, element);
  }
  const auto row = static_cast<std::ptrdiff_t>(buffer.row_elements);
  return fmt::format("{}[{}][{}]", buffer.name, element / row, element % row);
}

bool above_diagonal(const DeviceMemory::Range& range, const std::byte* address) {
  if (range.description == nullptr || !range.description->lower_triangular) return false;
  const BufferDescription& buffer = *range.description;
  const std::size_t element =
      static_cast<std::size_t>(address - range.start) / buffer.element_bytes;
  return element % buffer.row_elements > element / buffer.row_elements;
}

std::string outside_of(const DeviceMemory::Range& range, const std::byte* address) {
  return fmt::format("{}, {} {}", element_of(range, address),
                     address < range.start ? tr("before the start of") : tr("past the end of"),
                     extent_of(range));
}

std::string outside_of(const DeviceMemory::Range& range, const std::byte* address,
                       std::size_t bytes) {
  const std::byte* end = range.start + range.bytes;
  if (address < range.start || address >= end) return outside_of(range, address);
  const auto inside = static_cast<std::size_t>(end - address);
  return tr("{} bytes at once from {} on, of which the last {} are past the end of {}", bytes,
            element_of(range, address), bytes - inside, extent_of(range));
}

namespace {

std::size_t product(const std::vector<std::size_t>& extents, std::size_t from) {
  std::size_t elements = 1;
  for (std::size_t i = from; i < extents.size(); ++i) elements *= extents[i];
  return elements;
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// For "float [16][4]", the extents 16 and 4 give "[16][4]".
std::string brackets(const std::vector<std::size_t>& extents, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < extents.size(); ++i) text += fmt::format("[{}]", extents[i]);
  return text;
}

}  // namespace

void SharedNames::add(Place start, const char* name, std::string element, std::size_t element_bytes,
                      std::size_t alignment, std::vector<std::size_t> extents) {
  const auto at =
      std::lower_bound(arrays_.begin(), arrays_.end(), start,
                       [](const Array& array, Place place) { return array.start < place; });
  Array array{start, name, std::move(element), element_bytes, alignment, std::move(extents)};
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

std::size_t SharedNames::known_alignment(Place place) const {
  const bool is_dynamic = place - shared_place < dynamic_bytes_;
  if (!is_dynamic || arrays_.empty() || arrays_.front().start != shared_place) return widest_access;
  return std::min(arrays_.front().alignment, widest_access);
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

const SharedNames::Array* SharedNames::holding(Place place) const {
  const auto after =
      std::upper_bound(arrays_.begin(), arrays_.end(), place,
                       [](Place wanted, const Array& array) { return wanted < array.start; });
  if (after == arrays_.begin()) return nullptr;
  const Array& array = *std::prev(after);
  const std::size_t bytes = product(extents_of(array), 0) * array.element_bytes;
  return place - array.start < bytes ? &array : nullptr;
}

std::string SharedNames::element(Place place) const {
  const Array* array = holding(place);
  if (array == nullptr) return tr("byte {} of the block's shared memory", place - shared_place);
  return element(*array, static_cast<std::int64_t>((place - array->start) / array->element_bytes));
}

std::optional<SharedNames::Declared> SharedNames::declared_at(Place place) const {
  const Array* array = holding(place);
  if (array == nullptr) return std::nullopt;
  return Declared{array->name, declaration(*array), array->start, array->element_bytes,
                  extents_of(*array)};
}

std::optional<SharedNames::OutOfBounds> SharedNames::name(const IndexFault& fault,
                                                          Place place) const {
  for (const Array& array : arrays_) {
    const std::vector<std::size_t> extents = extents_of(array);
    for (std::size_t dimension = 0; dimension < extents.size(); ++dimension) {
      if (fault.type != array.element + " " + brackets(extents, dimension)) continue;
      const auto stride = static_cast<std::int64_t>(product(extents, dimension + 1));
      const auto offset = static_cast<std::int64_t>(place) - static_cast<std::int64_t>(array.start);
      // The element that the other indices alone would have given must lie in the array.
      std::int64_t rest = floor_divide(offset, static_cast<std::int64_t>(array.element_bytes)) -
                          fault.index * stride;
      if (rest < 0 || rest >= static_cast<std::int64_t>(product(extents, 0))) continue;
      OutOfBounds found{array.name,          declaration(array),
                        array.name,          static_cast<int>(dimension) + 1,
                        array.element_bytes, array.extents.empty()};
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
  // If the place is nearer to the start of the next array, it is named by a negative index of that
  // array.
  if (after != arrays_.end() && after->start - place < offset / 2) {
    const auto back = static_cast<std::int64_t>(after->start - place);
    const auto size = static_cast<std::int64_t>(after->element_bytes);
    return OutOfBounds{element(*after, -((back + size - 1) / size)),
                       declaration(*after),
                       after->name,
                       1,
                       after->element_bytes,
                       after->extents.empty()};
  }
  return OutOfBounds{element(array, static_cast<std::int64_t>(offset / array.element_bytes)),
                     declaration(array),
                     array.name,
                     1,
                     array.element_bytes,
                     array.extents.empty()};
}

}  // namespace tilewise::simt
