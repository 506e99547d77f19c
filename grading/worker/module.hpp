#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "grading/worker/binding_abi.hpp"

namespace tilewise::grading {

/// Calls the contract functions of a module whose host code runs in another process.
class HostProcess {
 public:
  virtual ~HostProcess() = default;

  /// Makes the following calls run this variant, as Module::choose_variant() does.
  virtual void choose_variant(std::int32_t variant) = 0;

  /// Makes the next call forget errors of the device, which has been reset.
  virtual void go_on_after_reset() = 0;

  /// Calls the module's function with the number `function`, as BoundFunction::invoke does.
  /// @throws std::bad_alloc, or std::runtime_error with what the function has thrown
  /// @throws Tampering
  virtual BindResult call(std::size_t function, const DecodedArgument* arguments, std::size_t count,
                          std::int32_t* status) = 0;
};

/// Thrown when the host code of a submission has done something to its connection with the worker
/// that only an attempt to deceive would do. It is no std::exception, because it ends more than a
/// call.
struct Tampering {
  std::string what;
};

/// A student's compiled submission. It stays loaded until the process ends.
class Module {
 public:
  /// Loads the module. This runs its static constructors, unless they are hidden from the loader
  /// (ModuleImage::without_initialisers()).
  /// @throws std::runtime_error with the loader's reason.
  explicit Module(const std::string& path);

  /// From here on the module's host code runs in `process`.
  void run_host_code_in(std::unique_ptr<HostProcess> process) { host_ = std::move(process); }

  /// Makes the following calls run this variant of a module that was built with variants
  /// (tilewise/variants.hpp). Variant 0 is the code as handed in.
  void choose_variant(std::int32_t variant) const;

  /// Makes the next call forget errors of the device, which has been reset.
  void go_on_after_reset() const {
    if (host_) host_->go_on_after_reset();
  }

  /// Calls a contract function of this module.
  BindResult call(const BoundFunction& function, const DecodedArgument* arguments,
                  std::size_t count, std::int32_t* status) const;

  /// The path that the module was loaded from.
  const std::string& path() const { return path_; }

  const BindingTable& bindings() const { return *bindings_; }

  /// Writes how often each line has run since the last time, in a module that was built for
  /// coverage.
  using WriteCoverage = void (*)();
  WriteCoverage write_coverage() const { return write_coverage_; }

  /// The address at which the module is mapped.
  const void* base() const { return base_; }

  /// @return null where the module has no such contract function.
  const BoundFunction* find(const std::string& name) const;

  /// The names of all contract functions, for messages.
  std::string function_names() const;

 private:
  std::string path_;
  std::unique_ptr<HostProcess> host_;
  const BindingTable* bindings_ = nullptr;
  const void* base_ = nullptr;
  WriteCoverage write_coverage_ = [] {};
  std::int32_t* variant_ = nullptr;  ///< null if the module was not built with variants
  mutable std::int32_t chosen_ = 0;
};

}  // namespace tilewise::grading
