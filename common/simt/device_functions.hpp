#pragma once

#include <algorithm>
#include <array>
#include <string_view>

/// The library functions that kernels may call: all that nvcc would compile for a GPU, too, and
/// those that compilers call by themselves.
namespace tilewise::simt {

/// The functions of <math.h> that CUDA has on the device, named without the `f` of the float
/// versions (CUDA Math API).
inline constexpr auto device_mathematics = std::to_array<std::string_view>(
    {"acos",   "acosh",    "asin",    "asinh",   "atan",      "atan2",     "atanh",  "cbrt",
     "ceil",   "copysign", "cos",     "cosh",    "erf",       "erfc",      "exp",    "exp10",
     "exp2",   "expm1",    "fabs",    "fdim",    "floor",     "fma",       "fmax",   "fmin",
     "fmod",   "frexp",    "hypot",   "ilogb",   "j0",        "j1",        "jn",     "ldexp",
     "lgamma", "llrint",   "llround", "log",     "log10",     "log1p",     "log2",   "logb",
     "lrint",  "lround",   "modf",    "nan",     "nearbyint", "nextafter", "pow",    "remainder",
     "remquo", "rint",     "round",   "scalbln", "scalbn",    "sin",       "sincos", "sinh",
     "sqrt",   "tan",      "tanh",    "tgamma",  "trunc",     "y0",        "y1",     "yn"});

/// Those of all these functions that load or store through a pointer, and the heap and the clock,
/// of which a GPU has its own. The linker redirects them in a checked module (`--wrap=memcpy` and
/// so on) to functions that report the accesses, or to the device's own (recorder/hooks.cpp,
/// runtime/device_heap.cpp).
inline constexpr auto wrapped_functions =
    std::to_array<std::string_view>({"memcpy",
                                     "memmove",
                                     "memset",
                                     "modf",
                                     "modff",
                                     "frexp",
                                     "frexpf",
                                     "remquo",
                                     "remquof",
                                     "sincos",
                                     "sincosf",
                                     "nan",
                                     "nanf",
                                     "printf",
                                     "vprintf",
                                     "puts",
                                     "__assert_fail",
                                     "clock",
                                     "malloc",
                                     "free",
                                     "_Znwm",
                                     "_Znam",
                                     "_ZnwmRKSt9nothrow_t",
                                     "_ZnamRKSt9nothrow_t",
                                     "_ZnwmSt11align_val_t",
                                     "_ZnamSt11align_val_t",
                                     "_ZdlPv",
                                     "_ZdaPv",
                                     "_ZdlPvm",
                                     "_ZdaPvm",
                                     "_ZdlPvSt11align_val_t",
                                     "_ZdaPvSt11align_val_t",
                                     "_ZdlPvmSt11align_val_t",
                                     "_ZdaPvmSt11align_val_t"});

/// The rest of the C library that a GPU has: printf() and assert(), the copy functions, which
/// report their accesses themselves, the heap, and clock(). Compilers turn printf() into puts() and
/// putchar().
inline constexpr auto device_library = std::to_array<std::string_view>({"printf",
                                                                        "vprintf",
                                                                        "puts",
                                                                        "putchar",
                                                                        "__assert_fail",
                                                                        "memcpy",
                                                                        "memmove",
                                                                        "memset",
                                                                        "clock",
                                                                        "malloc",
                                                                        "free",
                                                                        "_Znwm",
                                                                        "_Znam",
                                                                        "_ZdlPv",
                                                                        "_ZdaPv",
                                                                        "_ZdlPvm",
                                                                        "_ZdaPvm",
                                                                        "_ZnwmRKSt9nothrow_t",
                                                                        "_ZnamRKSt9nothrow_t",
                                                                        "_ZSt7nothrow",
                                                                        "_ZnwmSt11align_val_t",
                                                                        "_ZnamSt11align_val_t",
                                                                        "_ZdlPvSt11align_val_t",
                                                                        "_ZdaPvSt11align_val_t",
                                                                        "_ZdlPvmSt11align_val_t",
                                                                        "_ZdaPvmSt11align_val_t"});

/// Functions that compilers add: those that end the program, clean-up code that no thread reaches,
/// and arithmetic on wide and on complex numbers.
inline constexpr auto compiler_helpers =
    std::to_array<std::string_view>({"__cxa_pure_virtual",
                                     "__cxa_deleted_virtual",
                                     "__cxa_begin_catch",
                                     "__cxa_end_catch",
                                     "__cxa_call_unexpected",
                                     "__cxa_throw_bad_array_new_length",
                                     "_Unwind_Resume",
                                     "__gxx_personality_v0",
                                     "_ZSt9terminatev",
                                     "__stack_chk_fail",
                                     "_GLOBAL_OFFSET_TABLE_",
                                     "__divti3",
                                     "__modti3",
                                     "__udivti3",
                                     "__umodti3",
                                     "__multi3",
                                     "__muloti4",
                                     "__mulsc3",
                                     "__muldc3",
                                     "__divsc3",
                                     "__divdc3",
                                     "__powisf2",
                                     "__powidf2",
                                     "__fixsfti",
                                     "__fixdfti",
                                     "__fixunssfti",
                                     "__fixunsdfti",
                                     "__floattisf",
                                     "__floattidf",
                                     "__floatuntisf",
                                     "__floatuntidf",
                                     "__extendhfsf2",
                                     "__truncsfhf2",
                                     "__truncdfhf2",
                                     "__gnu_h2f_ieee",
                                     "__gnu_f2h_ieee",
                                     "__popcountdi2",
                                     "__popcountsi2",
                                     "__ctzdi2",
                                     "__clzdi2",
                                     "__fpclassify",
                                     "__fpclassifyf",
                                     "__signbit",
                                     "__signbitf",
                                     "__isnan",
                                     "__isnanf",
                                     "__isinf",
                                     "__isinff",
                                     "__finite",
                                     "__finitef"});

/// The variables and functions of the simulator that compiled kernels use. Each operating-system
/// thread has its own variables.
inline constexpr auto simulator_names = std::to_array<std::string_view>(
    {"__tls_get_addr", "threadIdx", "blockIdx", "blockDim", "gridDim", "jump_fcontext",
     "tilewise_simt_jump", "_Z7clock64v", "__ubsan_handle_out_of_bounds",
     "__ubsan_handle_shift_out_of_bounds", "__ubsan_handle_float_cast_overflow", "__fentry__",
     "__x86_return_thunk"});

/// Those functions of the simulator that serve host code.
inline constexpr auto host_functions_of_the_simulator = std::to_array<std::string_view>(
    {"_ZN8tilewise4simt14reserve_shared", "_ZN8tilewise4simt17address_of_symbol",
     "_ZN8tilewise4simt14copy_to_symbol", "_ZN8tilewise4simt16copy_from_symbol",
     "_ZN8tilewise4simt13not_supported", "_ZN8tilewise4simt15add_kernel_node",
     "_ZN8tilewise4simt18change_kernel_node"});

/// Whether a kernel may use the symbol that the linker calls `name`.
inline bool is_device_function(std::string_view name) {
  const auto is_in = [](std::string_view text, const auto& names) {
    return std::find(names.begin(), names.end(), text) != names.end();
  };
  if (is_in(name, device_library) || is_in(name, compiler_helpers) || is_in(name, simulator_names))
    return true;
  if (is_in(name, device_mathematics)) return true;
  if (name.ends_with('f') && is_in(name.substr(0, name.size() - 1), device_mathematics))
    return true;
  if (name.starts_with("__tsan_") || name.starts_with("__x86_indirect_thunk_")) return true;
  // Type information, of classes with virtual functions.
  if (name.starts_with("_ZTVN10__cxxabiv1") || name.starts_with("_ZTI") || name.starts_with("_ZTS"))
    return true;
  if (!name.starts_with("_ZN8tilewise4simt")) return false;
  return std::none_of(host_functions_of_the_simulator.begin(),
                      host_functions_of_the_simulator.end(),
                      [&](std::string_view host) { return name.starts_with(host); });
}

}  // namespace tilewise::simt
