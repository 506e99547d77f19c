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

/// A launch of a kernel by its name.
template <class Kernel, class... Arguments>
struct NamedCall {
  static_assert(std::is_empty_v<Kernel>);
  Kernel kernel;
  std::tuple<Arguments...> arguments;
};

/// A launch of a kernel that was chosen when the program ran. It begins with the kernel's address.
template <class Kernel, class... Arguments>
struct ChosenCall {
  Kernel kernel;
  std::tuple<Arguments...> arguments;
};

template <class Kernel, class... Arguments>
using CallOf = std::conditional_t<std::is_pointer_v<Kernel>, ChosenCall<Kernel, Arguments...>,
                                  NamedCall<Kernel, Arguments...>>;

/// Inlined, so that the kernel is the first function that run_thread() calls.
template <class Call, size_t... index>
[[gnu::always_inline]] inline void call_kernel(Call& call, std::index_sequence<index...>) {
  call.kernel(std::as_const(std::get<index>(call.arguments))...);
}

/// What a thread of a launch runs. By the name the builder knows where kernels begin, and that
/// whatever is reached from here has to be device code (grading/builder/object_judge.hpp); so do
/// loaders: nothing else of a module is to be launched (grading/worker/module_image.hpp).
template <class Call>
void run_thread(void* context) {
  Call& call = *static_cast<Call*>(context);
#ifdef TILEWISE_DEBUG
  note_thread_start();
#endif
  call_kernel(call, std::make_index_sequence<std::tuple_size_v<decltype(call.arguments)>>{});
#ifdef TILEWISE_DEBUG
  note_turn_end();
#endif
}

/// The one way to run_grid(): not inlined, so that the builder sees that nothing else leads there.
template <class Call>
[[gnu::noinline]] void launch_threads(const LaunchConfiguration& configuration, Call& call) {
  run_grid(configuration, {run_thread<Call>, &call, sizeof call});
}

/// What a kernel file has objects of. A call with one of them looks for functions where its type is
/// (argument-dependent lookup), and finds none of the run-time's.
namespace of_kernel_files {

/// The launch with its configuration, waiting for the kernel's arguments.
template <class Kernel>
class ConfiguredLaunch {
 public:
  ConfiguredLaunch(Kernel kernel, const LaunchConfiguration& configuration)
      : kernel_(std::move(kernel)), configuration_(configuration) {}

  /// Evaluates the arguments once, on the host, and hands every thread a copy, as CUDA does.
  template <class... Arguments>
  void operator()(Arguments&&... arguments) {
    using Call = CallOf<Kernel, std::decay_t<Arguments>...>;
    Call call{std::move(kernel_), {std::forward<Arguments>(arguments)...}};
    launch_threads(configuration_, call);
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

}  // namespace of_kernel_files

template <class Kernel>
of_kernel_files::Launcher<Kernel> launcher(const char* name, const char* file, int line, Kernel kernel) {
  return {name, file, line, std::move(kernel)};
}

}  // namespace tilewise::simt
