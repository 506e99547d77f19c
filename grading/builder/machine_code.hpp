#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/course/stages.hpp"

/// What nvcc makes of kernels, by line of their source: PTX, which is written for no card in
/// particular, and SASS, the card's own instructions.
namespace tilewise::grading {

/// Instructions of one kernel, and the labels between them, by line of its source. What belongs to
/// no line of it is that of the line before.
struct KernelCode {
  std::string name;  ///< "matmul_kernel<16>"
  std::map<int, std::vector<std::string>> lines;
};

/// "matmul_kernel<16>" of "_Z13matmul_kernelILi16EEvPKfS1_Pfi".
std::string name_of_kernel(const std::string& mangled);

/// Kernels in the PTX that `nvcc -lineinfo -ptx` makes of a source, in their order.
/// @param source  its name, without folders
std::vector<KernelCode> kernels_in_ptx(std::string_view ptx, const std::string& source);

/// The same in what `nvdisasm -c -gi` prints of a cubin.
std::vector<KernelCode> kernels_in_sass(std::string_view sass, const std::string& source);

/// Whether it is an instruction, and no label.
inline bool is_instruction(std::string_view code) { return !code.ends_with(':'); }

/// What became of one source.
struct SourceCode {
  std::string name;  ///< "matmul_shared.cu"
  std::string architecture;
  std::vector<KernelCode> ptx;
  std::vector<KernelCode> sass;  ///< empty where there is no nvdisasm
};

/// nvdisasm: in PATH, or beside nvcc.
std::optional<std::filesystem::path> find_disassembler();

/// Compiles a stage's sources with nvcc for an architecture like the GPU's.
/// @param folder   holds the stage's .cu files
/// @param scratch  existing folder, for all files
/// @return sources up to the first that does not compile
/// @param problem  why that one does not, in nvcc's words; else empty
/// @throws std::runtime_error where there is no nvcc, or it compiles for no such GPU
std::vector<SourceCode> compile_to_machine_code(const StageInfo& stage,
                                                const std::filesystem::path& folder,
                                                const core::GpuProfile& gpu,
                                                const std::filesystem::path& scratch,
                                                std::string& problem);

}  // namespace tilewise::grading
