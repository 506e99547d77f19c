#pragma once

#include <string>
#include <vector>

/// Small kernels, each with one planted fault or none, to judge a checker by. They are CUDA C++17:
/// the simulator's checked build runs them, and nvcc compiles them for compute-sanitizer.
namespace tilewise::defects {

struct Defect {
  const char* name;
  const char* kind;     ///< of the simulator's Finding; `none` where the kernel is correct
  const char* message;  ///< a part of what has to be said; empty where the words are free
  const char* file;     ///< as the compiler names it
  int line;             ///< of the DEFECT
  void (*run)();        ///< allocates, launches, frees
};

inline constexpr const char* none = "none";

/// All that the program was linked with.
std::vector<Defect>& all_defects();
bool add_defect(const Defect& defect);

/// Where the fault lies, by comments in the source: `// fault`, and `// fault: other side` for the
/// second of two places that take part in one.
struct MarkedLines {
  std::vector<int> fault;
  std::vector<int> other_side;
};

/// The marks between the DEFECT before and this one; where there are none, those of the DEFECT
/// before, so that several may run one kernel. Reads the source file.
/// @throws std::runtime_error where it cannot be read or a faulty kernel bears no mark.
MarkedLines marked_lines(const Defect& defect);

}  // namespace tilewise::defects

/// DEFECT(name, kind, message) { what allocates, launches and frees }, behind the kernel it runs.
#define DEFECT(name, kind, message)                                                            \
  static void name##_run();                                                                    \
  [[maybe_unused]] static const bool name##_added =                                            \
      ::tilewise::defects::add_defect({#name, kind, message, __FILE__, __LINE__, name##_run}); \
  static void name##_run()

/// As DEFECT, for a kernel that has none.
#define CORRECT(name) DEFECT(name, ::tilewise::defects::none, "")
