#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "grading/builder/object_file.hpp"
#include "grading/builder/object_judge.hpp"

namespace tilewise::grading {

/// Something that an object may not have, and its place in a source.
struct ObjectProblem {
  std::string file;
  int line;
  std::string message;
  auto operator<=>(const ObjectProblem&) const = default;
};

/// Returns a symbol's name as a source has it: "strnlen" for "strnlen", "cout" for "std::cout", "f"
/// for "a::f(int)".
std::string written(const std::string& symbol);

/// The objects of a submission, and the places of what they hold in its sources.
class Objects {
 public:
  /// @throws std::runtime_error if a file cannot be read
  explicit Objects(const std::vector<CompiledSource>& sources);

  const std::vector<CompiledSource>& sources() const { return sources_; }
  const std::vector<ObjectFile>& objects() const { return objects_; }
  const ObjectFile& operator[](std::size_t i) const { return objects_[i]; }

  /// Returns the place of a reference in a kernel file, if it is in one.
  std::optional<ObjectProblem> place(std::size_t object, const ObjectFile::Reference& reference,
                                     const std::string& message);

  /// Whether nvcc accepts here a reference to something that no GPU has. It refuses exceptions and
  /// variables in code for a GPU, even if the code is for the host as well.
  bool may_stand(std::size_t object, const ObjectFile::Reference& reference);

  /// Returns the place where the source names a symbol.
  ObjectProblem place(std::size_t object, const std::string& symbol,
                      const std::string& message) const;

 private:
  const std::vector<CompiledSource>& sources_;
  std::vector<ObjectFile> objects_;
  std::vector<ObjectLines> lines_;
};

}  // namespace tilewise::grading
