/// \file
/// NVRTC, CUDA's compiler for use by running programs. `tilewise check -cubin` compiles here, as it
/// has compiled the program. The result is a module of the driver's interface (modules.cpp), under
/// whichever of its names a program asks for it.
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"

#define NVRTC extern "C" __attribute__((visibility("default"))) int

namespace tilewise::program {
namespace {

namespace fs = std::filesystem;

/// Values of nvrtcResult.
enum { success = 0, invalid_input = 3, invalid_program = 4, compilation = 6 };

constexpr auto result_names = std::to_array<const char*>(
    {"NVRTC_SUCCESS", "NVRTC_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
     "NVRTC_ERROR_INVALID_INPUT", "NVRTC_ERROR_INVALID_PROGRAM", "NVRTC_ERROR_INVALID_OPTION",
     "NVRTC_ERROR_COMPILATION"});

/// A program as it is given to nvrtcCreateProgram().
struct Source {
  std::string text, name;
  std::vector<std::pair<std::string, std::string>> headers;  ///< by name
  std::string log, image;
};

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The compiler that belongs to this library: bin/tilewise beside its lib/.
fs::path compiler() {
  Dl_info own;
  if (dladdr(reinterpret_cast<const void*>(&result_names), &own) == 0) return {};
  return fs::absolute(own.dli_fname).parent_path().parent_path() / "bin" / "tilewise";
}

/// Returns those of NVRTC's options that a compiler for hosts knows. All others are about GPUs.
std::vector<std::string> options_among(const char* const* options, int count) {
  std::vector<std::string> taken;
  for (int i = 0; i < count; ++i) {
    const std::string_view option = options[i];
    const std::string_view name = option.substr(0, option.find('='));
    for (const std::string_view known :
         {"-I", "--include-path", "-D", "--define-macro", "-U", "--undefine-macro", "-std", "--std",
          "-include", "--pre-include"}) {
      const bool is_letter = known.size() == 2 && option.starts_with(known);
      if (name != known && !is_letter) continue;
      taken.emplace_back(option);
      if (option == known && i + 1 < count) taken.emplace_back(options[++i]);
      break;
    }
  }
  return taken;
}

/// Returns the file to compile. A file that the program has itself is compiled where it lies, so
/// that findings name it.
fs::path file_of(const Source& source, const fs::path& folder) {
  std::error_code unknown;
  const fs::path own = source.name;
  if (own.extension() == ".cu" && fs::is_regular_file(own, unknown) && read(own) == source.text) {
    return fs::absolute(own).lexically_normal();
  }
  const fs::path file = folder / (own.stem().empty() ? "program" : own.stem().string() + ".cu");
  write(file, source.text);
  return file;
}

int compile(Source& source, const std::vector<std::string>& options) {
  const grading::ScratchDirectory scratch;
  const fs::path folder = scratch.path();
  for (const auto& [name, text] : source.headers) write(folder / "headers" / name, text);
  grading::Command command;
  command.arguments = {compiler(),        "check", "-cubin",          "-o",
                       folder / "module", "-I",    folder / "headers"};
  if (std::getenv("TILEWISE_FAST") != nullptr && *std::getenv("TILEWISE_FAST") != '\0') {
    command.arguments.insert(command.arguments.begin() + 2, "--fast");
  }
  command.arguments.insert(command.arguments.end(), options.begin(), options.end());
  command.arguments.push_back(file_of(source, folder));
  const grading::CommandResult result = grading::run_command(std::move(command));
  source.log = result.output;
  source.image = result.succeeded() ? read(folder / "module") : "";
  return source.image.empty() ? compilation : success;
}

int give_size(const Source* source, std::size_t* bytes, std::string Source::*what, bool is_text) {
  if (source == nullptr) return invalid_program;
  if (bytes == nullptr) return invalid_input;
  *bytes = (source->*what).size() + (is_text ? 1 : 0);
  return success;
}

int give(const Source* source, char* to, std::string Source::*what, bool is_text) {
  if (source == nullptr) return invalid_program;
  if (to == nullptr) return invalid_input;
  const std::string& text = source->*what;
  std::memcpy(to, text.c_str(), text.size() + (is_text ? 1 : 0));
  return success;
}

}  // namespace
}  // namespace tilewise::program

using tilewise::program::Source;

NVRTC nvrtcVersion(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return tilewise::program::invalid_input;
  return *major = 13, *minor = 0, tilewise::program::success;
}
NVRTC nvrtcCreateProgram(Source** program, const char* text, const char* name, int header_count,
                         const char* const* headers, const char* const* header_names) {
  if (program == nullptr || text == nullptr) return tilewise::program::invalid_input;
  *program = new Source{text, name == nullptr ? "" : name, {}, {}, {}};
  for (int i = 0; i < header_count; ++i) {
    (*program)->headers.emplace_back(header_names[i], headers[i]);
  }
  return tilewise::program::success;
}
NVRTC nvrtcDestroyProgram(Source** program) {
  if (program == nullptr) return tilewise::program::invalid_program;
  delete *program;
  *program = nullptr;
  return tilewise::program::success;
}
NVRTC nvrtcCompileProgram(Source* program, int count, const char* const* options) {
  if (program == nullptr) return tilewise::program::invalid_program;
  try {
    return tilewise::program::compile(*program, tilewise::program::options_among(options, count));
  } catch (const std::exception& error) {
    program->log = error.what();
    return tilewise::program::compilation;
  }
}
NVRTC nvrtcGetProgramLogSize(const Source* program, std::size_t* bytes) {
  return tilewise::program::give_size(program, bytes, &Source::log, true);
}
NVRTC nvrtcGetProgramLog(const Source* program, char* log) {
  return tilewise::program::give(program, log, &Source::log, true);
}
NVRTC nvrtcGetCUBINSize(const Source* program, std::size_t* bytes) {
  return tilewise::program::give_size(program, bytes, &Source::image, false);
}
NVRTC nvrtcGetCUBIN(const Source* program, char* image) {
  return tilewise::program::give(program, image, &Source::image, false);
}
NVRTC nvrtcGetPTXSize(const Source* program, std::size_t* bytes) {
  return tilewise::program::give_size(program, bytes, &Source::image, true);
}
NVRTC nvrtcGetPTX(const Source* program, char* image) {
  return tilewise::program::give(program, image, &Source::image, true);
}
extern "C" __attribute__((visibility("default"))) const char* nvrtcGetErrorString(int error) {
  const auto& names = tilewise::program::result_names;
  const auto number = static_cast<std::size_t>(error);
  return number < names.size() ? names[number] : "NVRTC_ERROR_INTERNAL_ERROR";
}
