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

/// From here on this process, with all its threads, can do only what a submission's host code
/// needs: use memory, threads and clocks, and read and write open files. The system refuses
/// everything else with EPERM. This cannot be undone. On processors other than x86-64 and arm64,
/// and with sanitizers, nothing is refused.
void confine_host_part();

/// From here on this process can do only what it needs to run kernels and to answer the examiner:
/// use the threads that it has, memory that is not executable, and open files; and send a signal to
/// the host part or wait for its end.
void confine_device_part(pid_t host);

}  // namespace tilewise::grading

struct Elf;

namespace tilewise::grading {

/// The file of a module, read before any of it is loaded. With it the module can be loaded without
/// running any of its code, and it is known which of its functions and variables a launch may name.
class ModuleImage {
 public:
  /// @throws std::runtime_error if the file cannot be read, or has code that loaders run without
  /// being asked.
  explicit ModuleImage(const std::string& path);

  /// Copies the module to memory, without its initialisers and finalisers.
  /// @return a descriptor of the copy, which stays open
  /// @throws std::system_error
  int without_initialisers() const;

  /// Runs the initialisers of the module at `base`, which loaders run otherwise. The finalisers run
  /// when the process exits.
  void run_initialisers(const void* base) const;

  /// Returns the variables that shared-memory declarations have made (tilewise/shared_memory.hpp).
  std::vector<void*> shared_rooms(const void* base) const;

  simt::ModuleMap map(const void* base) const;

 private:
  using Range = std::pair<std::uint64_t, std::uint64_t>;  ///< [first, second), from the base
  struct Functions {
    std::uint64_t single = 0;  ///< 0 if there is none
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

/// Splits this process in two: a child runs the module's static constructors, and from then on its
/// contract functions; kernels run here. The module must have been loaded without its initialisers.
/// Both processes are confined. If the child ends, so does this process, and in the same way.
/// @throws std::system_error, Tampering
std::unique_ptr<HostProcess> start_host_process(const ModuleImage& image, const Module& module);

}  // namespace tilewise::grading
