/// \file
/// Parts that few people need are built when they are first needed: someone who grades one
/// stage waits neither for the graders of the others nor for the tools that grade a class. `./lab`
/// builds the program, which asks it for more (`lab __build`); from then on each `./lab` keeps
/// those parts up to date, too. A pack, and the build for the tests, have everything built.
#pragma once

#include <string>
#include <vector>

#include "grading/course/stages.hpp"

namespace tilewise::grading {

/// The names of parts, which are targets of the build.
inline constexpr const char* all_parts = "tilewise_everything";
/// Programs that provide some of the commands; `tilewise` provides the others.
inline constexpr const char* measuring_program = "tilewise-measure";
inline constexpr const char* checking_program = "tilewise-check";
inline constexpr const char* cohort_program = "tilewise-cohort";
std::string modules_part(const std::string& stage_id);  ///< objects to link submissions with
std::vector<std::string> parts_that_grade(const std::vector<StageInfo>& stages);

/// Builds those of the parts that are not built yet. Says so on standard error; may take minutes.
/// @throws std::runtime_error where they cannot be built
void have_built(const std::vector<std::string>& parts);

}  // namespace tilewise::grading
