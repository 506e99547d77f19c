#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/course/stages.hpp"

/// The code that nvcc makes of kernels, by line of their source: PTX, which is not written for any
/// particular card, and SASS, the card's own instructions.
namespace tilewise::grading {

/// The instructions of one kernel, and the labels between them, by line of its source. An
/// instruction without a line of that source belongs to the line before.
struct KernelCode {
  std::string name;  ///< "matmul_kernel<16>"
  std::map<int, std::vector<std::string>> lines;
};

/// Returns "matmul_kernel<16>" for "_Z13matmul_kernelILi16EEvPKfS1_Pfi".
std::string name_of_kernel(const std::string& mangled);

/// Returns the kernels in the PTX that `nvcc -lineinfo -ptx` makes of a source, in their order.
/// @param source  its name, without folders
std::vector<KernelCode> kernels_in_ptx(std::string_view ptx, const std::string& source);

/// Returns the kernels in the output of `nvdisasm -c -gi` for a cubin.
std::vector<KernelCode> kernels_in_sass(std::string_view sass, const std::string& source);

/// Whether the code is an instruction and not a label.
inline bool is_instruction(std::string_view code) { return !code.ends_with(':'); }

/// The code that was made of one source.
struct SourceCode {
  std::string name;  ///< "matmul_shared.cu"
  std::string architecture;
  std::vector<KernelCode> ptx;
  std::vector<KernelCode> sass;  ///< empty where there is no nvdisasm
};

/// Returns nvdisasm, from PATH or from beside nvcc.
std::optional<std::filesystem::path> find_disassembler();

/// Compiles a stage's sources with nvcc for an architecture like the GPU's.
/// @param folder   holds the stage's .cu files
/// @param scratch  existing folder, for all files
/// @return the sources up to the first that does not compile
/// @param problem  why that one does not compile, in nvcc's words; empty if all do
/// @throws std::runtime_error where there is no nvcc, or it compiles for no such GPU
std::vector<SourceCode> compile_to_machine_code(const StageInfo& stage,
                                                const std::filesystem::path& folder,
                                                const core::GpuProfile& gpu,
                                                const std::filesystem::path& scratch,
                                                std::string& problem);

}  // namespace tilewise::grading
