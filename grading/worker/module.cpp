#include "grading/worker/module.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace tilewise::grading {
namespace {

std::string loader_error() {
  const char* reason = dlerror();
  return reason == nullptr ? "unknown reason" : reason;
}

}  // namespace

Module::Module(const std::string& path) : path_(path) {
  // With RTLD_LOCAL no symbol of the student's can take the place of one of the worker's.
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error("cannot load the module: " + loader_error());
  const void* const symbol = dlsym(handle, "tilewise_bindings");
  if (symbol == nullptr) {
    throw std::runtime_error("the module has no bindings: " + loader_error() +
                             ". Link it with its stage's binding object.");
  }
  bindings_ = static_cast<const BindingTable*>(symbol);
  if (bindings_->version != BindingTable::current_version) {
    throw std::runtime_error(
        "the module was linked with the bindings of another version of "
        "Tilewise. Build it again.");
  }
  if (void* const writer = dlsym(handle, "tilewise_write_coverage")) {
    write_coverage_ = reinterpret_cast<WriteCoverage>(writer);
  }
  variant_ = static_cast<std::int32_t*>(dlsym(handle, "tilewise_variant"));
  Dl_info info;
  if (dladdr(symbol, &info) != 0) base_ = info.dli_fbase;
}

void Module::choose_variant(std::int32_t variant) const {
  // A graded submission may have a variable of that name, too. It is never written to, because
  // grading chooses variant 0 only.
  if (variant_ != nullptr && variant != chosen_) *variant_ = chosen_ = variant;
  if (host_) host_->choose_variant(variant);
}

BindResult Module::call(const BoundFunction& function, const DecodedArgument* arguments,
                        std::size_t count, std::int32_t* status) const {
  if (!host_) return function.invoke(arguments, count, status);
  return host_->call(static_cast<std::size_t>(&function - bindings_->functions), arguments, count,
                     status);
}

const BoundFunction* Module::find(const std::string& name) const {
  for (std::size_t i = 0; i < bindings_->count; ++i) {
    if (name == bindings_->functions[i].name) return &bindings_->functions[i];
  }
  return nullptr;
}

std::string Module::function_names() const {
  std::string names;
  for (std::size_t i = 0; i < bindings_->count; ++i) {
    if (i > 0) names += ", ";
    names += bindings_->functions[i].name;
  }
  return names;
}

}  // namespace tilewise::grading
