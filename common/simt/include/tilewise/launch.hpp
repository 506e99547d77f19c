#pragma once

#include <stddef.h>
#include <string.h>

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
  size_t argument_bytes = 0;       ///< known once the arguments are
  bool cooperative = false;        ///< whether its blocks may wait for each other
  const void* function = nullptr;  ///< the kernel; none where its name stands for several
};

/// The function that every thread of a launch runs, and the host memory that holds its arguments.
/// It may run on a copy of these bytes in another process (common/simt/host_apart.hpp), as a GPU
/// runs on a copy.
struct LaunchBody {
  void (*run)(void* context);
  void* context;
  size_t context_bytes;
};

/// Runs `body.run(body.context)` once for every thread of the grid and returns when all have
/// finished. A configuration the device cannot hold runs nothing and sets CUDA's error for it.
void run_grid(const LaunchConfiguration& configuration, const LaunchBody& body);

/// The arguments of a launch, from which the kernel's parameters are made.
template <size_t number, class T>
struct Argument {
  T value;
};
template <class Numbers, class... T>
struct ArgumentsInOrder;
template <size_t... number, class... T>
struct ArgumentsInOrder<std::index_sequence<number...>, T...> : Argument<number, T>... {};
template <class... T>
using ArgumentList = ArgumentsInOrder<std::index_sequence_for<T...>, T...>;

template <size_t number, class T>
T& argument_at(Argument<number, T>& argument) {
  return argument.value;
}

/// A launch of a kernel by its name.
template <class Kernel, class... Arguments>
struct NamedCall {
  static_assert(std::is_empty_v<Kernel>);
  Kernel kernel;
  ArgumentList<Arguments...> arguments;
  using Numbers = std::index_sequence_for<Arguments...>;
};

/// A launch of a kernel that was chosen when the program ran. It begins with the kernel's address.
template <class Kernel, class... Arguments>
struct ChosenCall {
  Kernel kernel;
  ArgumentList<Arguments...> arguments;
  using Numbers = std::index_sequence_for<Arguments...>;
};

template <class Kernel, class... Arguments>
using CallOf = std::conditional_t<std::is_pointer_v<Kernel>, ChosenCall<Kernel, Arguments...>,
                                  NamedCall<Kernel, Arguments...>>;

/// The bytes of a parameter whose class has its own code for copies. CUDA takes nothing but the
/// bytes to the device. Each thread has its own copy and may change it.
template <class T>
struct ParameterBytes {
  alignas(T) unsigned char bytes[sizeof(T)];
  operator T&() { return *reinterpret_cast<T*>(bytes); }
};

template <class T>
constexpr bool is_copied_by_bytes = std::is_trivially_copy_constructible_v<T>&&
    std::is_trivially_move_constructible_v<T>&& std::is_trivially_destructible_v<T>;

template <class T>
ParameterBytes<T> bytes_of(const T& parameter) {
  ParameterBytes<T> copy;
  memcpy(copy.bytes, static_cast<const void*>(&parameter), sizeof parameter);
  return copy;
}

/// An argument as a thread hands it to the kernel.
template <class T>
const T& of_thread(const T& argument) {
  return argument;
}
template <class T>
ParameterBytes<T> of_thread(const ParameterBytes<T>& argument) {
  return argument;
}

/// Calls the kernel. Inlined, so that the kernel is the first function that run_thread() calls.
template <class Call, size_t... index>
[[gnu::always_inline]] inline void call_kernel(Call& call, std::index_sequence<index...>) {
  call.kernel(of_thread(argument_at<index>(call.arguments))...);
}

/// The function that a thread of a launch runs. The builder recognises it by its name as the place
/// where kernels begin, and demands that everything reached from here is device code
/// (grading/builder/object_judge.hpp). Loaders recognise it, too, and launch nothing else of a
/// module (grading/worker/simt_host_process.hpp).
template <class Call>
void run_thread(void* context) {
  Call& call = *static_cast<Call*>(context);
#ifdef TILEWISE_DEBUG
  note_thread_start();
#endif
  call_kernel(call, typename Call::Numbers{});
#ifdef TILEWISE_DEBUG
  note_turn_end();
#endif
}

/// The only function that calls run_grid(). It is not inlined, so that the builder sees that
/// nothing else leads there.
template <class Call>
[[gnu::noinline]] void launch_threads(const LaunchConfiguration& configuration, Call& call) {
  run_grid(configuration, {run_thread<Call>, &call, sizeof call});
}

/// The bytes of arguments of these types, each aligned as its type requires, as CUDA lays them out.
template <class... Arguments>
constexpr size_t bytes_of_arguments() {
  size_t end = 0;
  ((end = (end + alignof(Arguments) - 1) / alignof(Arguments) * alignof(Arguments) +
          sizeof(Arguments)),
   ...);
  return end;
}

template <class Kernel, class... Arguments>
void launch_with(Kernel kernel, LaunchConfiguration configuration, Arguments&&... arguments) {
  using Call = CallOf<Kernel, std::decay_t<Arguments>...>;
  configuration.argument_bytes = bytes_of_arguments<std::decay_t<Arguments>...>();
  Call call{std::move(kernel), {std::forward<Arguments>(arguments)...}};
  launch_threads(configuration, call);
}

/// Types whose objects appear in kernel files. They have a namespace of their own, because
/// argument-dependent lookup searches the namespace of an argument's type and must find none of the
/// run-time's functions there.
namespace of_kernel_files {

/// A launch that has its configuration but not yet the kernel's arguments. These are evaluated
/// once, on the host, and every thread gets a copy of their bytes, as in CUDA.
/// @tparam Function the kernel's type; void for a name that stands for several kernels
template <class Kernel, class Function>
class ConfiguredLaunch {
 public:
  ConfiguredLaunch(Kernel kernel, Function*, const LaunchConfiguration& configuration)
      : kernel_(std::move(kernel)), configuration_(configuration) {}

  template <class... Arguments>
  void operator()(Arguments&&... arguments) {
    simt::launch_with(std::move(kernel_), configuration_, std::forward<Arguments>(arguments)...);
  }

 private:
  Kernel kernel_;
  LaunchConfiguration configuration_;
};

/// If the parameters are known, arguments are converted to their types: `0` to a pointer, `{1, 2}`
/// to a structure.
template <class Kernel, class R, class... P>
class ConfiguredLaunch<Kernel, R(P...)> {
 public:
  ConfiguredLaunch(Kernel kernel, R (*function)(P...), const LaunchConfiguration& configuration)
      : kernel_(std::move(kernel)), function_(function), configuration_(configuration) {}

  void operator()(P... parameters) {
    configuration_.function = reinterpret_cast<const void*>(function_);
    if constexpr ((is_copied_by_bytes<P> && ...)) {
      simt::launch_with(std::move(kernel_), configuration_, std::move(parameters)...);
    } else {
      // Compilers pass an object whose class has its own code for copies by its address.
      using ByBytes = void (*)(std::conditional_t<is_copied_by_bytes<P>, P, P&>...);
      simt::launch_with(reinterpret_cast<ByBytes>(function_), configuration_,
                        stored(parameters)...);
    }
  }

  /// For default arguments, and for default template arguments that differ from what the call
  /// implies.
  template <class... Arguments,
            class = std::enable_if_t<!std::is_invocable_v<R (*)(P...), Arguments...> &&
                                     std::is_invocable_v<Kernel&, Arguments...>>>
  void operator()(Arguments&&... arguments) {
    simt::launch_with(std::move(kernel_), configuration_, std::forward<Arguments>(arguments)...);
  }

 private:
  template <class T>
  static auto stored(T& parameter) {
    if constexpr (is_copied_by_bytes<T>) {
      return parameter;
    } else {
      return simt::bytes_of(parameter);
    }
  }

  Kernel kernel_;
  R (*function_)(P...);
  LaunchConfiguration configuration_;
};

template <class Kernel, class R, class... P>
class ConfiguredLaunch<Kernel, R(P...) noexcept> : public ConfiguredLaunch<Kernel, R(P...)> {
 public:
  using ConfiguredLaunch<Kernel, R(P...)>::ConfiguredLaunch;
};

/// A kernel and the place it is launched from, without the launch configuration yet.
template <class Kernel, class Function>
class Launcher {
 public:
  Launcher(const char* name, const char* file, int line, Kernel kernel, Function* function)
      : name_(name), file_(file), line_(line), kernel_(std::move(kernel)), function_(function) {}

  ConfiguredLaunch<Kernel, Function> configure(dim3 grid, dim3 block = 1,
                                               size_t dynamic_shared_bytes = 0,
                                               cudaStream_t stream = nullptr) {
    return {std::move(kernel_),
            function_,
            {name_, file_, line_, grid, block, dynamic_shared_bytes, stream}};
  }

 private:
  const char* name_;
  const char* file_;
  int line_;
  Kernel kernel_;
  Function* function_;
};

}  // namespace of_kernel_files

/// Returns what a name before `<<<` stands for: a reference to a function, or the value of a
/// pointer to one. A name that stands for several functions does not match.
template <class Kernel, class... Nothing>
Kernel named(Kernel&& kernel, Nothing...) {
  return static_cast<Kernel&&>(kernel);
}

/// A launch of a kernel that was chosen when the program ran.
template <class Function>
of_kernel_files::Launcher<Function*, Function> launcher(const char* name, const char* file,
                                                        int line, Function* kernel) {
  return {name, file, line, kernel, kernel};
}

/// A launch by a name that stands for one kernel or for several.
/// @param call calls the kernel that the name stands for
/// @param find returns that kernel
template <class Call, class Find>
auto launcher(const char* name, const char* file, int line, Call call, Find find) {
  if constexpr (!std::is_invocable_v<Find&>) {
    return of_kernel_files::Launcher<Call, void>{name, file, line, std::move(call), nullptr};
  } else {
    auto* const function = find();
    using Function = std::remove_pointer_t<decltype(function)>;
    constexpr bool is_function = std::is_function_v<std::remove_reference_t<decltype(find())>>;
    if constexpr (is_function && std::is_empty_v<Call>) {
      return of_kernel_files::Launcher<Call, Function>{name, file, line, std::move(call), function};
    } else {
      return simt::launcher(name, file, line, function);
    }
  }
}

/// Hides a constant from the compiler, which would store its members one by one.
template <class T>
[[gnu::always_inline]] inline T by_assignment(T value) {
  T copy = static_cast<T&&>(value);
  return copy;
}

/// Copies a value that a call is given or has returned, or an object that is made in order to be
/// assigned. The copy is made by an assignment, which reports what it loads and stores. The
/// rewriter may take a value for a structure that is none; it keeps its type, and an array stays an
/// array. The parameter is a constant reference, because no other reference binds to a bit-field.
template <class T>
[[gnu::always_inline]] constexpr inline std::decay_t<T> by_value(const T& value) {
  if (__builtin_is_constant_evaluated()) return value;
  return by_assignment<std::decay_t<T>>(value);
}
template <class T, std::enable_if_t<!std::is_lvalue_reference_v<T>, int> = 0>
[[gnu::always_inline]] constexpr inline std::decay_t<T> by_value(T&& value) {
  if (__builtin_is_constant_evaluated()) return static_cast<T&&>(value);
  return by_assignment<std::decay_t<T>>(static_cast<T&&>(value));
}
template <class T, size_t count>
constexpr T (&by_value(T (&array)[count]))[count] {
  return array;
}

/// A kernel whose address the program has taken, and the function that launches it with arguments
/// given by their addresses.
struct AddressedKernel {
  const void* function;
  const char* name;
  void (*launch)(const AddressedKernel& kernel, const LaunchConfiguration& configuration,
                 void** arguments);
  AddressedKernel* next;
};

/// The addressed kernels of the file, the last one first.
inline AddressedKernel* addressed_kernels = nullptr;

template <class R, class... P, size_t... index>
void launch_addressed(R (*function)(P...), const LaunchConfiguration& configuration,
                      void** arguments, std::index_sequence<index...>) {
  of_kernel_files::ConfiguredLaunch<R (*)(P...), R(P...)>(function, function, configuration)(
      *static_cast<std::remove_reference_t<P>*>(arguments[index])...);
}

template <class R, class... P>
void note_addressed(const char* name, R (*function)(P...)) {
  const void* const address = reinterpret_cast<const void*>(function);
  for (const AddressedKernel* kernel = addressed_kernels; kernel; kernel = kernel->next) {
    if (kernel->function == address) return;
  }
  addressed_kernels = new AddressedKernel{
      address, name,
      [](const AddressedKernel& kernel, const LaunchConfiguration& configuration,
         void** arguments) {
        launch_addressed(reinterpret_cast<R (*)(P...)>(const_cast<void*>(kernel.function)),
                         configuration, arguments, std::index_sequence_for<P...>{});
      },
      addressed_kernels};
}

/// The rewriter wraps this around a name whose address may be a kernel's. The value stays the same,
/// but a kernel can then be launched by its address.
template <class T>
constexpr decltype(auto) addressed(const char* name, T&& value) {
  using Function = std::remove_pointer_t<std::decay_t<T>>;
  if constexpr (std::is_function_v<Function>) {
    Function* const function = value;
    note_addressed(name, function);
    return function;
  } else {
    return static_cast<T&&>(value);
  }
}

}  // namespace tilewise::simt

namespace tilewise::simt {

/// @param configuration without the kernel's name
inline cudaError_t launch_address(const void* function, LaunchConfiguration configuration,
                                  void** arguments) {
  for (const AddressedKernel* kernel = addressed_kernels; kernel; kernel = kernel->next) {
    if (kernel->function != function) continue;
    configuration.kernel = kernel->name;
    kernel->launch(*kernel, configuration, arguments);
    return cudaPeekAtLastError();
  }
  return cudaErrorInvalidDeviceFunction;
}

/// A function that launches takes either the address of a kernel or the kernel itself.
inline const void* kernel_address(const void* function) { return function; }
template <class R, class... P>
const void* kernel_address(R (*function)(P...)) {
  note_addressed("a kernel", function);
  return reinterpret_cast<const void*>(function);
}

}  // namespace tilewise::simt

/// Launches a kernel by its address, which takes a dozen lines more than `<<<` does.
template <class Kernel>
cudaError_t cudaLaunchKernel(Kernel* function, dim3 grid, dim3 block, void** arguments,
                             size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr,
                             const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return tilewise::simt::launch_address(
      tilewise::simt::kernel_address(function),
      {nullptr, file, line, grid, block, dynamic_shared_bytes, stream}, arguments);
}

/// Does the same for a kernel whose blocks all run at the same time and may wait for each other.
template <class Kernel>
cudaError_t cudaLaunchCooperativeKernel(Kernel* function, dim3 grid, dim3 block, void** arguments,
                                        size_t dynamic_shared_bytes = 0,
                                        cudaStream_t stream = nullptr,
                                        const char* file = __builtin_FILE(),
                                        int line = __builtin_LINE()) {
  return tilewise::simt::launch_address(
      tilewise::simt::kernel_address(function),
      {nullptr, file, line, grid, block, dynamic_shared_bytes, stream, 0, true}, arguments);
}

// The rewriter replaces a kernel's name before `<<<` by this; `captures` is empty for a name of the
// file's. The second function has parameters, so that it is not checked before it is instantiated:
// a name that stands for several functions would be an error there.
#define TILEWISE_LAUNCHER(name, captures, ...)                                                \
  ::tilewise::simt::launcher(                                                                 \
      name, __FILE__, __LINE__,                                                               \
      [captures](auto&&... tilewise_args) __attribute__((always_inline))                      \
          ->decltype(__VA_ARGS__(static_cast<decltype(tilewise_args)&&>(tilewise_args)...)) { \
            return __VA_ARGS__(static_cast<decltype(tilewise_args)&&>(tilewise_args)...);     \
          },                                                                                  \
      [captures](auto... tilewise_nothing) -> decltype(::tilewise::simt::named(               \
                                               __VA_ARGS__, tilewise_nothing...)) {           \
        return ::tilewise::simt::named(__VA_ARGS__, tilewise_nothing...);                     \
      })

// For use in a macro, where a name may stand for a kernel, a variable or an argument of the macro.
#define TILEWISE_LAUNCHER_OF_MACRO(...) TILEWISE_LAUNCHER(#__VA_ARGS__, &, __VA_ARGS__)
