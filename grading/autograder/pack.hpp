#pragma once

#include <filesystem>
#include <string_view>

namespace tilewise::grading {

/// Writes the course with its build, as a tar archive that runs wherever it is unpacked on a
/// machine with a C++ compiler:
///
///     tilewise/                           the course, as `course_files()` lists it
///     tilewise/build/pack/bin, lab        from the build that is running
///     tilewise/build/pack/lib             also the system's libraries that the programs need
///     tilewise/build/pack/sources.sha256  the checksums of the sources that were built; by them
///                                         the script `lab` knows whether its sources are the same
///
/// @throws CannotGrade if something cannot be read or the archive cannot be written
void write_pack(const std::filesystem::path& archive);

/// Whether a library has to come from the machine that runs a program: the C library, which has to
/// fit the kernel and the dynamic loader, the libraries that every C++ compiler brings, and the
/// GPU's driver.
bool is_of_every_system(std::string_view library);

}  // namespace tilewise::grading
