#include "common/simt/recorder/module_file.hpp"

#include "common/simt/host_apart.hpp"

namespace tilewise::simt {

namespace {

ModuleFile given;

}  // namespace

const ModuleFile& module_file() { return given; }

void use_module_file(int file, const void* base) {
  given = {file, reinterpret_cast<std::uintptr_t>(base)};
}

}  // namespace tilewise::simt
