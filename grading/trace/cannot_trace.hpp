#pragma once

#include <stdexcept>

namespace tilewise::grading {

/// A call that cannot be drawn; says which can.
class CannotTrace : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tilewise::grading
