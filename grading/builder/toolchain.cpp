#include "grading/builder/toolchain.hpp"

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "common/base/files.hpp"
#include "grading/builder/layout.hpp"

namespace tilewise::grading {

Toolchain toolchain(Backend backend, Flavour flavour, const std::string& stage_id, bool covered) {
  if (backend == Backend::cuda) {
    if (covered) throw std::runtime_error("only the simulator counts how often lines are run");
    if (flavour != Flavour::fast) {
      throw std::runtime_error("only the simulator runs kernels of a checked or debugger's build");
    }
    return cuda_toolchain(stage_id);
  }
#if TILEWISE_HAVE_SIMT
  Toolchain tools = simt_toolchain(flavour, stage_id);
  if (covered) add_coverage(tools, flavour);
  return tools;
#else
  throw std::runtime_error("this build of Tilewise has no simulator");
#endif
}

namespace {

namespace fs = std::filesystem;

// The largest solutions compile in seconds and some hundred megabytes. This is ample for unusual
// code, and little enough that one submission cannot hold up or starve a class.
constexpr std::size_t data_bytes = std::size_t{4} << 30;

/// The variables that tell compilers where files lie. A compiler need not know the others, which
/// may hold seeds and passwords.
const std::vector<std::string> kept_variables = {"PATH",
                                                 "LD_LIBRARY_PATH",
                                                 "TMPDIR",
                                                 "CPATH",
                                                 "C_INCLUDE_PATH",
                                                 "LIBRARY_PATH",
                                                 "COMPILER_PATH",
                                                 "CPLUS_INCLUDE_PATH",
                                                 "NVCC_CCBIN",
                                                 "GCC_EXEC_PREFIX",
                                                 "NVCC_APPEND_FLAGS",
                                                 "NVCC_PREPEND_FLAGS"};

/// Whether a folder holds more than a compiler, as when somebody keeps one in ~/bin.
bool holds_more(const fs::path& folder) {
  const char* home = std::getenv("HOME");
  return core::lies_in(core::project_root(), folder) ||
         (home != nullptr && core::lies_in(home, folder));
}

/// Makes a program's file readable, and the folder above its bin/, where the rest of it lies.
void show_installation(const std::string& program, std::vector<fs::path>& readable) {
  const fs::path found = find_program(program);
  if (found.empty()) return;
  for (const fs::path& file : {fs::absolute(found).lexically_normal(), fs::canonical(found)}) {
    const fs::path installation = file.parent_path().parent_path();
    if (is_shown_always(file)) continue;
    readable.push_back(holds_more(installation) ? file : installation);
  }
}

}  // namespace

Command tool_command(std::vector<std::string> arguments, const ToolFiles& files,
                     const Sandbox& sandbox, const ToolLimits& limits) {
  Command command;
  if (sandbox) {
    command.sandbox = sandbox;
    command.view = {files.readable, files.writable, files.working_folder, limits.file_bytes};
    // The first program may start others, as ccache and nvcc do.
    std::vector<fs::path>& readable = command.view.readable;
    for (const std::string& program : cxx_compiler()) show_installation(program, readable);
    show_installation(arguments.front(), readable);
    command.environment = {{"TMPDIR", "/tmp"}};
  } else {
    // Files that a killed compiler leaves there are removed with the rest.
    command.environment = {{"TMPDIR", files.writable}};
  }
  command.arguments = std::move(arguments);
  command.working_directory = files.working_folder;
  command.inherits = kept_variables;
  command.environment.emplace_back("LC_ALL", "C");  // the builder reads messages
  command.time_limit_s = limits.time_s;
  command.limits = {.data_bytes = data_bytes, .file_bytes = limits.file_bytes};
  return command;
}

}  // namespace tilewise::grading
