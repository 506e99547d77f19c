/// Operations on small matrices that a warp's lanes carry out together: products, for mma.h and
/// ptx.hpp, and ldmatrix.
#pragma once

#include <stdint.h>

#include "warp.hpp"

namespace tilewise::simt {

/// One lane's part of D = A B + C, with its elements as the numbers that are calculated with.
struct ProductPart {
  enum class Numbers { half, bfloat16, tf32, double_real, whole } numbers;
  int m, n, k;
  /// Which lane has which element. 0: element e of a matrix, row by row, is number e / 32 of lane e
  /// % 32. Otherwise the layout is PTX's, with this many neighbours along k in one register.
  int packed;
  const void *a, *b, *c;  ///< of float, double or int
  void* d;
};

/// Calculates D for the whole warp once all of its lanes have arrived.
[[gnu::always_inline]] inline void multiply_by_warp(const char* what, const ProductPart& part,
                                                    Site site) {
  follow(arrive_at_warp_operation(what, site, 0xffffffffu, reinterpret_cast<uint64_t>(&part),
                                  static_cast<int>(WarpFold::product)));
}

/// One lane's part of ldmatrix.
struct RowsPart {
  uint32_t row[4];  ///< 16 bytes that the lane has read for the whole warp
  uint32_t* to;     ///< where a word of each matrix goes
  int matrices;     ///< the number of matrices of 8 x 8 elements of 16 bits
  bool transposed;
};

[[gnu::always_inline]] inline void hand_rows_round(const char* what, const RowsPart& part,
                                                   Site site) {
  follow(arrive_at_warp_operation(what, site, 0xffffffffu, reinterpret_cast<uint64_t>(&part),
                                  static_cast<int>(WarpFold::rows)));
}

}  // namespace tilewise::simt
