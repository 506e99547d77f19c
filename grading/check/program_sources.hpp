#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilewise::grading {

/// The sources of a program as the host's compiler gets them. Kernels, launches and `__shared__`
/// stand in headers, too, so every file that a source includes is rewritten, as far as it is found
/// beside the file that includes it or in the include folders that the user named. The rewritten
/// files lie in a tree of their own, /home/me/sum/sum.cuh in TREE/home/me/sum/sum.cuh; compilers
/// call them by the names that the user knows.
class ProgramSources {
 public:
  /// @param tree  folder that takes the rewritten files
  /// @param include_folders  the user's, -I
  ProgramSources(std::filesystem::path tree, std::vector<std::filesystem::path> include_folders,
                 bool checked);

  /// Rewrites a source and all that it includes.
  /// @return the file to compile
  /// @throws CannotGrade where it cannot be read
  std::filesystem::path add(const std::filesystem::path& source);

  /// The user's files that were read.
  std::vector<std::filesystem::path> files() const;

  /// Whether a word stands in a file that others include.
  bool has_in_headers(const std::string& word) const;

  /// What the simulator cannot take of them: "sum.cu:12: error: what", a line each.
  const std::string& problems() const { return problems_; }

  /// Where the compiler finds what was rewritten and is included by a macro's name, before the
  /// user's own folders.
  std::vector<std::filesystem::path> folders_to_include() const;

  /// Whether the program has functions, or macros, by the names of CUDA's that allocate memory:
  /// then these cannot be macros.
  bool allocates_by_its_own() const;

  /// The user's text and what became of it, for messages that quote lines.
  struct Text {
    std::string own, compiled;
  };
  const std::vector<Text>& texts() const { return texts_; }

 private:
  struct File {
    std::string shown;  ///< as messages call it
    std::string text;
    std::map<std::string, std::string> included;  ///< what an #include says, and the file it means
    std::filesystem::path target;
    bool is_rewritten = false;
  };

  File& read(const std::filesystem::path& path, const std::string& shown);
  std::vector<const File*> all_included_by(const File& file) const;
  void rewrite(File& file);
  std::filesystem::path in_tree(const std::filesystem::path& file) const;

  std::filesystem::path tree_;
  std::vector<std::filesystem::path> include_folders_;
  bool checked_;
  std::map<std::string, File> files_;  ///< by their absolute path
  std::vector<Text> texts_;
  std::string problems_;
};

/// What a text includes, with the quotes or brackets: `"sum.cuh"`.
/// Whichever branch of a condition it stands in.
std::set<std::string> included_by(const std::string& text);

}  // namespace tilewise::grading
