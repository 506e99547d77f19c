#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/simt/rewrite/rewrite.hpp"

namespace tilewise::grading {

/// The sources of a program as the host's compiler gets them. Kernels, launches and `__shared__`
/// stand in headers, too, so every file that a source includes is rewritten, as far as it is found
/// beside the file that includes it or in the include folders that the user named. The rewritten
/// files lie in a tree of their own, /home/me/sum/sum.cuh in TREE/home/me/sum/sum.cuh, so that what
/// they include is found there as it is among the user's own; compilers call them by the names that
/// the user knows.
class ProgramSources {
 public:
  /// @param tree  folder that takes the rewritten files
  /// @param include_folders  the user's, -I
  ProgramSources(std::filesystem::path tree, std::vector<std::filesystem::path> include_folders,
                 bool checked);

  /// Rewrites a source and all that it includes.
  /// @param is_cuda  else it is compiled as it is
  /// @return the file to compile
  std::filesystem::path add(const std::filesystem::path& source, bool is_cuda);

  /// What the simulator cannot take of them: "sum.cu:12: error: what", a line each.
  const std::string& problems() const { return problems_; }

  /// Where the compiler finds what was rewritten, before the user's own folders.
  std::vector<std::filesystem::path> folders_to_include() const;

  /// The user's text and what became of it, for messages that quote lines.
  struct Text {
    std::string own, compiled;
  };
  const std::vector<Text>& texts() const { return texts_; }

 private:
  std::filesystem::path rewrite(const std::filesystem::path& file, const std::string& shown);
  void add_included(const std::filesystem::path& file, const std::string& shown,
                    const std::string& text);
  std::filesystem::path in_tree(const std::filesystem::path& file) const;

  std::filesystem::path tree_;
  std::vector<std::filesystem::path> include_folders_;
  bool checked_;
  std::set<std::filesystem::path> done_;
  std::vector<Text> texts_;
  std::string problems_;
};

/// What a file includes: `"sum.cuh"` or `<sum.cuh>`, whichever branch of an #if it stands in.
struct Included {
  std::string name;
  bool quoted;
  bool operator==(const Included&) const = default;
};
std::vector<Included> included_by(const std::string& text);

}  // namespace tilewise::grading
