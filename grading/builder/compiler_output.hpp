#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What a compiler prints about a student's sources, line by line. It is read by hand, because a
/// student can make it as long and as odd as they like, and std::regex recurses once per character.
namespace tilewise::grading {

struct Place {
  std::string file;
  int line = 0;  ///< 0: no place
};

/// Returns the place in a line such as "FILE:31:5: error: ..." (g++, clang) or "FILE(31): error:
/// ..." (nvcc); `after` becomes the text behind the line number.
Place place_in(std::string_view line, const std::string& file, std::string_view& after);

/// Returns g++'s output without the parts that do not help a student: names and headers of the
/// simulator, advice on how to compile wrong code all the same, and errors that were told before.
/// @param sources the student's files, as the output names them
std::string in_course_words(std::string_view output, const std::vector<std::string>& sources);

}  // namespace tilewise::grading
