#pragma once

#include <cstddef>

#include "common/simt/include/tilewise/driver_types.hpp"

/// An array in device memory, with rows without gaps, layer after layer.
struct cudaArray {
  cudaChannelFormatDesc format;
  cudaExtent extent;  ///< as requested: 0 for a dimension that it does not have
  unsigned flags;
  std::byte* data;

  std::size_t element_bytes() const {
    return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
  }
  std::size_t row_bytes() const { return extent.width * element_bytes(); }
  std::size_t rows() const { return extent.height > 0 ? extent.height : 1; }
  std::size_t layers() const { return extent.depth > 0 ? extent.depth : 1; }
};
