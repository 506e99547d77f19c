#include "common/simt/checked/own_memory.hpp"

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "common/simt/include/tilewise/builtin_variables.hpp"

namespace tilewise::simt {

namespace {

/// A fiber's stack, in either direction from where it is now.
constexpr std::ptrdiff_t stack_bytes = 256 * 1024;

bool is_builtin_variable(std::uintptr_t address) {
  for (const uint3* variable : {&threadIdx, &blockIdx, &blockDim, &gridDim}) {
    if (address - reinterpret_cast<std::uintptr_t>(variable) < sizeof *variable) return true;
  }
  return false;
}

/// Looks for the address among a module's segments and this thread's copies of its thread-local
/// variables.
int search_module(dl_phdr_info* module, std::size_t, void* wanted) {
  const auto address = *static_cast<const std::uintptr_t*>(wanted);
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD &&
        address - (module->dlpi_addr + segment.p_vaddr) < segment.p_memsz) {
      return 1;
    }
    if (segment.p_type == PT_TLS && module->dlpi_tls_data != nullptr &&
        address - reinterpret_cast<std::uintptr_t>(module->dlpi_tls_data) < segment.p_memsz) {
      return 1;
    }
  }
  return 0;
}

}  // namespace

bool is_own_memory(const void* address, const void* frame) {
  const std::ptrdiff_t from_frame =
      static_cast<const std::byte*>(address) - static_cast<const std::byte*>(frame);
  if (from_frame > -stack_bytes && from_frame < stack_bytes) return true;
  auto number = reinterpret_cast<std::uintptr_t>(address);
  return is_builtin_variable(number) || dl_iterate_phdr(search_module, &number) != 0;
}

}  // namespace tilewise::simt
