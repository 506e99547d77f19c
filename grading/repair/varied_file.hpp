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

/// One of a stage's sources and what there is to try in it.
struct VariedFile {
  std::string name;
  std::string text;
  std::unique_ptr<SourceText> source;
  std::vector<Variant> variants;  ///< the nearest first
  std::vector<Variant> fixed;     ///< each a program of its own, the nearest first
};

/// The source that is blamed, if a function of its own went wrong, or else that defines a function,
/// with what there is to try in the functions that went wrong, the likeliest first. What only
/// others' calls bring to fall is right by its own tests, and handed something wrong. What
/// everybody is given stays as it is.
std::optional<VariedFile> file_with(const RepairRequest& request, const std::string& function,
                                    std::set<std::string, std::less<>> wrong);

/// Compiles variants as one module. What does not compile is taken out, line by line: what says
/// what messages quote, or else what dares most.
/// @return empty where too little is left that compiles
std::filesystem::path build_variants(const RepairRequest& request, const VariedFile& file,
                                     std::vector<Variant>& variants);

}  // namespace tilewise::grading
