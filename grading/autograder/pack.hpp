#pragma once

#include <filesystem>
#include <string_view>

namespace tilewise::grading {

/// Writes the course with what was built of it, as a tar archive that runs wherever it is unpacked
/// on a machine with a C++ compiler:
///
///     tilewise/                           the course, as `course_files()` tells
///     tilewise/build/pack/bin, lib        of the build that is running
///     tilewise/build/pack/lib             also the libraries of the system that those need
///     tilewise/build/pack/sources.sha256  what was built, by which the script `lab` knows whether
///                                         it is what lies before it
///
/// @throws CannotGrade where something cannot be read, or the archive not be written
void write_pack(const std::filesystem::path& archive);

/// Whether a library has to come from the machine that runs a program: the C library, which has to
/// fit the kernel and the dynamic loader, what every C++ compiler brings, and the GPU's driver.
bool is_of_every_system(std::string_view library);

}  // namespace tilewise::grading
