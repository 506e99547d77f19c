#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/recorder/record.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/trace.hpp"

/// How messages name threads, blocks and lane masks, and what a site does.
namespace tilewise::simt {

std::string describe(uint3 thread);         ///< "thread (3, 1, 0)"
std::string describe_block(uint3 block);    ///< "block (0, 2, 0)"
std::string describe_mask(unsigned lanes);  ///< "0x0000ffff"
std::string verb(std::uint32_t site);       ///< "reads", "writes" or "updates"

}  // namespace tilewise::simt

/// How messages name elements of buffers in device memory.
namespace tilewise::simt {

inline const std::byte* address_of(Place place) { return DeviceMemory::instance().base() + place; }

/// Returns "A"; empty if the range has no name.
std::string name_of(const DeviceMemory::Range& range);

/// Returns "A[37][0]", or "byte 148 of A" if the elements are not known.
std::string element_of(const DeviceMemory::Range& range, const std::byte* address);

/// Whether the address lies in the part of a triangular matrix that must not be read.
bool above_diagonal(const DeviceMemory::Range& range, const std::byte* address);

/// "A[37][0], past the end of A (37 x 37)".
std::string outside_of(const DeviceMemory::Range& range, const std::byte* address);

/// The same for an access of several bytes, which may begin inside: "16 bytes at once from
/// C[36][50] on, of which the last 8 are past the end of C (37 x 52)".
std::string outside_of(const DeviceMemory::Range& range, const std::byte* address,
                       std::size_t bytes);

/// An index that the compiler found outside the extent it was used with.
struct IndexFault {
  std::string type;  ///< the type of what was indexed, e.g. "float [16]"
  std::int64_t index;
  std::string file;
  int line;
};

/// The `__shared__` arrays that kernels have declared, by name.
class SharedNames {
 public:
  /// Whether the array last noted at this start had these very strings.
  bool knows(Place start, const char* name, const char* type, std::size_t alignment) const {
    const auto known = noted_.find(start);
    return known != noted_.end() && known->second == std::tuple(name, type, alignment);
  }
  void note(Place start, const char* name, const char* type, std::size_t alignment) {
    noted_[start] = {name, type, alignment};
  }

  /// Replaces the array that started there before: dynamic shared memory has another name in every
  /// kernel.
  /// @param element the element type, as the compiler spells it
  /// @param alignment the one that the compiler knows
  /// @param extents none for dynamic shared memory, whose size the launch sets
  void add(Place start, const char* name, std::string element, std::size_t element_bytes,
           std::size_t alignment, std::vector<std::size_t> extents);

  void set_dynamic_bytes(std::size_t bytes) { dynamic_bytes_ = bytes; }

  /// "As[3][5]", or "byte 12 of the block's shared memory" if no array was declared there.
  std::string element(Place place) const;

  /// Returns the alignment in bytes that the compiler knows an address there to have, at most that
  /// of the widest access: the full width where the compiler places the array itself, and in
  /// dynamic shared memory what the array's declaration says.
  std::size_t known_alignment(Place place) const;

  /// Returns the array that starts there.
  TracedArray array_at(Place start) const;

  /// How a kernel declares the array that a place lies in.
  struct Declared {
    std::string name;         ///< "As"
    std::string declaration;  ///< "float As[16][16]"
    Place start;              ///< start of the array
    std::size_t element_bytes;
    std::vector<std::size_t> extents;

    bool has_rows() const { return extents.size() > 1; }
    std::size_t bytes() const {
      std::size_t bytes = element_bytes;
      for (const std::size_t extent : extents) bytes *= extent;
      return bytes;
    }
    std::size_t row_bytes() const { return extents.back() * element_bytes; }
  };
  std::optional<Declared> declared_at(Place place) const;

  struct OutOfBounds {
    std::string element;            ///< "As[3][17]"
    std::string array;              ///< "float As[16][16]"
    std::string name;               ///< "As"
    int bracket = 0;                ///< number of the bracket that holds the faulty index, from 1
    std::size_t element_bytes = 0;  ///< size of the array's own elements
    bool is_dynamic = false;        ///< the launch determines its size
  };
  /// Names an element by the index that was out of bounds.
  /// @param place where the access went
  std::optional<OutOfBounds> name(const IndexFault& fault, Place place) const;
  /// Names a place that lies in no array after the nearest array before it.
  std::optional<OutOfBounds> name_outside(Place place) const;

 private:
  struct Array {
    Place start;
    std::string name, element;
    std::size_t element_bytes, alignment;
    std::vector<std::size_t> extents;
  };
  std::vector<std::size_t> extents_of(const Array& array) const;
  std::string declaration(const Array& array) const;
  std::string element(const Array& array, std::int64_t index) const;
  const Array* holding(Place place) const;

  std::vector<Array> arrays_;  ///< sorted by start
  std::unordered_map<Place, std::tuple<const char*, const char*, std::size_t>> noted_;
  std::size_t dynamic_bytes_ = 0;
};

}  // namespace tilewise::simt
