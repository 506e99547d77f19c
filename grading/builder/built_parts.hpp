/// \file
/// What few need is built when it is first needed: whoever grades one stage waits for neither the
/// graders of the others nor what a class is graded with. `./lab` builds the program, which asks it
/// for more (`lab __build`); from then on each `./lab` keeps that up to date, too. Elsewhere all is
/// built: in a pack, and in the build that tests.
#pragma once

#include <string>
#include <vector>

#include "grading/course/stages.hpp"

namespace tilewise::grading {

/// Parts, which are targets of the build.
inline constexpr const char* all_parts = "tilewise_everything";
/// Programs that have some of the commands; `tilewise` has the others.
inline constexpr const char* measuring_program = "tilewise-measure";
inline constexpr const char* checking_program = "tilewise-check";
inline constexpr const char* cohort_program = "tilewise-cohort";
std::string modules_part(const std::string& stage_id);  ///< what submissions are linked with
std::vector<std::string> parts_that_grade(const std::vector<StageInfo>& stages);

/// Has parts built that are not. Says so on standard error; may take minutes.
/// @throws std::runtime_error where they cannot be built
void have_built(const std::vector<std::string>& parts);

}  // namespace tilewise::grading
