#pragma once

#include <stddef.h>

#include <tuple>
#include <type_traits>
#include <utility>

#include "errors.hpp"
#include "host_api.hpp"
#include "vector_types.hpp"
#ifdef TILEWISE_DEBUG
#include "debug_stop.hpp"
#endif

namespace tilewise::simt {

/// One `kernel<<<grid, block, shared, stream>>>(...)` as written in the source.
struct LaunchConfiguration {
  const char* kernel;  ///< as written, e.g. "matmul_shared<16>"
  const char* file;
  int line;
  dim3 grid;
  dim3 block;
  size_t dynamic_shared_bytes;
  cudaStream_t stream;
};

/// What every thread of a launch runs, and the host memory its arguments are in. Their bytes may be
/// run from a copy in another process (common/simt/host_apart.hpp), as a GPU runs from one.
struct LaunchBody {
  void (*run)(void* context);
  void* context;
  size_t context_bytes;
};

/// Runs `body.run(body.context)` once for every thread of the grid and returns when all have
/// finished. A configuration the device cannot hold runs nothing and sets CUDA's error for it.
void run_grid(const LaunchConfiguration& configuration, const LaunchBody& body);

template <class Call>
inline void run_thread(Call& call) {
#ifdef TILEWISE_DEBUG
  note_thread_start();
#endif
  std::apply([&](const auto&... values) { call.kernel(values...); }, call.arguments);
#ifdef TILEWISE_DEBUG
  note_turn_end();
#endif
}

/// A thread of a kernel that the launch names: the call holds arguments alone. Loaders know these
/// functions, and the next ones, by their names: all else in a module is not to be launched.
template <class Call>
void run_named_kernel(void* context) {
  run_thread(*static_cast<Call*>(context));
}

/// A thread of a kernel that was chosen when the program ran: the call begins with its address.
template <class Call>
void run_chosen_kernel(void* context) {
  run_thread(*static_cast<Call*>(context));
}

/// The launch with its configuration, waiting for the kernel's arguments.
template <class Kernel>
class ConfiguredLaunch {
 public:
  ConfiguredLaunch(Kernel kernel, const LaunchConfiguration& configuration)
      : kernel_(std::move(kernel)), configuration_(configuration) {}

  /// Evaluates the arguments once, on the host, and hands every thread a copy, as CUDA does.
  template <class... Arguments>
  void operator()(Arguments&&... arguments) {
    static_assert(std::is_pointer_v<Kernel> || std::is_empty_v<Kernel>);
    struct Call {
      Kernel kernel;
      std::tuple<std::decay_t<Arguments>...> arguments;
    } call{std::move(kernel_), {std::forward<Arguments>(arguments)...}};
    if constexpr (std::is_pointer_v<Kernel>) {
      run_grid(configuration_, {run_chosen_kernel<Call>, &call, sizeof call});
    } else {
      run_grid(configuration_, {run_named_kernel<Call>, &call, sizeof call});
    }
  }

 private:
  Kernel kernel_;
  LaunchConfiguration configuration_;
};

/// A kernel and the place it is launched from, waiting for the launch configuration.
template <class Kernel>
class Launcher {
 public:
  Launcher(const char* name, const char* file, int line, Kernel kernel)
      : name_(name), file_(file), line_(line), kernel_(std::move(kernel)) {}

  ConfiguredLaunch<Kernel> configure(dim3 grid, dim3 block = 1, size_t dynamic_shared_bytes = 0,
                                     cudaStream_t stream = nullptr) {
    return {std::move(kernel_), {name_, file_, line_, grid, block, dynamic_shared_bytes, stream}};
  }

 private:
  const char* name_;
  const char* file_;
  int line_;
  Kernel kernel_;
};

template <class Kernel>
Launcher<Kernel> launcher(const char* name, const char* file, int line, Kernel kernel) {
  return {name, file, line, std::move(kernel)};
}

}  // namespace tilewise::simt
