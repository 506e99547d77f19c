#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/simt/host_apart.hpp"
#include "grading/worker/module.hpp"

namespace tilewise::grading {

/// From here on this process, and every thread of it, can do what host code of a submission needs:
/// use memory, threads and clocks, and read and write what is open. All else the system refuses
/// with EPERM. For good. On processors other than x86-64 and arm64, and where sanitizers are on,
/// nothing is refused.
void confine_host_part();

/// From here on this process can do what running kernels and answering the examiner needs: use the
/// threads that it has, memory that is not executable, and what is open; and send a signal to the
/// host part or wait for its end.
void confine_device_part(pid_t host);

}  // namespace tilewise::grading

struct Elf;

namespace tilewise::grading {

/// The file of a module, read before any of it is loaded: so that it can be loaded without running
/// any of its code, and to know what of it a launch may name.
class ModuleImage {
 public:
  /// @throws std::runtime_error where the file cannot be read, or has code that loaders run before
  /// anybody asks.
  explicit ModuleImage(const std::string& path);

  /// The same module, in memory, without its initialisers and finalisers.
  /// @return a descriptor, for good
  /// @throws std::system_error
  int without_initialisers() const;

  /// What loaders run otherwise, of the module at `base`. Finalisers are run when the process
  /// exits.
  void run_initialisers(const void* base) const;

  /// Variables that shared declarations have made (tilewise/shared_memory.hpp).
  std::vector<void*> shared_rooms(const void* base) const;

  simt::ModuleMap map(const void* base) const;

 private:
  using Range = std::pair<std::uint64_t, std::uint64_t>;  ///< [first, second), from the base
  struct Functions {
    std::uint64_t single = 0;  ///< 0: none
    std::uint64_t table = 0;
    std::size_t table_bytes = 0;
  };
  struct Symbol {
    std::string name;
    std::uint64_t begin, end;
  };

  void read_segments(Elf* elf);
  void read_sections(Elf* elf);
  void take_initialisers_out(std::uint64_t file_offset, std::uint64_t bytes);

  std::vector<char> bytes_;
  Functions initialisers_, finalisers_;
  std::vector<Range> read_only_, writable_, sealed_;
  std::vector<Symbol> functions_, variables_;
  std::vector<Range> kernel_lists_;
};

/// Parts this process: a child runs the module's static constructors, and from then on its contract
/// functions; kernels run here. The module must have been loaded without its initialisers. Both
/// processes are confined. Should the child end, so does this process, and in the same way.
/// @throws std::system_error, Tampering
std::unique_ptr<HostProcess> start_host_process(const ModuleImage& image, const Module& module);

}  // namespace tilewise::grading
