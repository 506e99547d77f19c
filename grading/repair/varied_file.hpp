#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grading/repair/repair.hpp"
#include "grading/repair/variant.hpp"

namespace tilewise::grading {

/// One of a stage's sources and the variants to try in it.
struct VariedFile {
  std::string name;
  std::string text;
  std::unique_ptr<SourceText> source;
  std::vector<Variant> variants;  ///< the nearest first
  std::vector<Variant> fixed;     ///< each is a program of its own; the nearest first
};

/// Returns the source that is blamed, if a function that it defines went wrong, or else the source
/// that defines `function`, with the variants to try in the functions that went wrong, the
/// likeliest first. A source that goes wrong only when another source calls it passes its own
/// tests: it was handed something wrong. Lines that everybody is given stay as they are.
std::optional<VariedFile> file_with(const RepairRequest& request, const std::string& function,
                                    std::set<std::string, std::less<>> wrong);

/// Compiles variants as one module. On each line that does not compile, it removes the variants
/// that contain a word from the compiler's errors or, if there are none, the most daring ones.
/// @return the module; empty if what is left does not compile after a few attempts
std::filesystem::path build_variants(const RepairRequest& request, const VariedFile& file,
                                     std::vector<Variant>& variants);

}  // namespace tilewise::grading
