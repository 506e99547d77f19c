#pragma once

/// How far above a place on the stack of a kernel's thread it is kept what stood there when a
/// function began: the size of such a stack and of the gap above it (stack_pool.cpp). As text, for
/// code that is assembled.
#define TILEWISE_KEPT_RETURNS "327680"

#include <cstdint>

namespace tilewise::simt {

/// For the lifetime of a block's run: functions of the module keep where they return to, and look
/// at it when they do (runtime/indirect_calls.cpp).
class KeepingReturns {
 public:
  KeepingReturns();
  ~KeepingReturns();
  KeepingReturns(const KeepingReturns&) = delete;
  KeepingReturns& operator=(const KeepingReturns&) = delete;
};

}  // namespace tilewise::simt
