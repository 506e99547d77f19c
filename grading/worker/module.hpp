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

  /// Has the calls that follow run this variant, as Module::choose_variant() does.
  virtual void choose_variant(std::int32_t variant) = 0;

  /// Has the next call know nothing of errors of the device, which has been reset.
  virtual void go_on_after_reset() = 0;

  /// As BoundFunction::invoke of the module's function of that number.
  /// @throws std::bad_alloc, or std::runtime_error with what the function has thrown
  /// @throws Tampering
  virtual BindResult call(std::size_t function, const DecodedArgument* arguments, std::size_t count,
                          std::int32_t* status) = 0;
};

/// The host code of a submission has done to its connection with the worker what only an attempt to
/// deceive would. No std::exception, because it ends more than a call.
struct Tampering {
  std::string what;
};

/// A student's compiled submission. Stays loaded until the process ends.
class Module {
 public:
  /// Loads it, which runs its static constructors unless the file has none that a loader finds.
  /// @throws std::runtime_error with the loader's reason.
  explicit Module(const std::string& path);

  /// From here on its host code runs there.
  void run_host_code_in(std::unique_ptr<HostProcess> process) { host_ = std::move(process); }

  /// Has the calls that follow run a variant of a module that was built to be varied
  /// (tilewise/variants.hpp); 0: what was handed in.
  void choose_variant(std::int32_t variant) const;

  /// Has the next call know nothing of errors of the device, which has been reset.
  void go_on_after_reset() const {
    if (host_) host_->go_on_after_reset();
  }

  /// Calls a contract function of this module.
  BindResult call(const BoundFunction& function, const DecodedArgument* arguments,
                  std::size_t count, std::int32_t* status) const;

  /// That it was loaded from.
  const std::string& path() const { return path_; }

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
  std::string path_;
  std::unique_ptr<HostProcess> host_;
  const BindingTable* bindings_ = nullptr;
  const void* base_ = nullptr;
  WriteCoverage write_coverage_ = [] {};
  std::int32_t* variant_ = nullptr;  ///< null: it was not built to be varied
  mutable std::int32_t chosen_ = 0;
};

}  // namespace tilewise::grading
