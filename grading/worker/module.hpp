#pragma once

#include <string>

#include "grading/worker/binding_abi.hpp"

namespace tilewise::grading {

/// A student's compiled submission. Stays loaded until the process ends.
class Module {
 public:
  /// Loads it, which runs its static constructors.
  /// @throws std::runtime_error with the loader's reason.
  explicit Module(const std::string& path);

  const BindingTable& bindings() const { return *bindings_; }

  /// Writes how often lines were run since the last time; of a module that was built to be covered.
  using WriteCoverage = void (*)();
  WriteCoverage write_coverage() const { return write_coverage_; }

  /// Where the module is mapped.
  const void* base() const { return base_; }

  /// @return null where the module has no such contract function.
  const BoundFunction* find(const std::string& name) const;

  /// The names of all contract functions, for messages.
  std::string function_names() const;

 private:
  const BindingTable* bindings_ = nullptr;
  const void* base_ = nullptr;
  WriteCoverage write_coverage_ = [] {};
};

}  // namespace tilewise::grading
