#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilewise::grading {

/// The sources of a program as the host's compiler gets them. Headers, too, contain kernels,
/// launches and `__shared__`, so every included file is rewritten if it is found beside the file
/// that includes it, or in the include folders that the user named. The rewritten files lie in a
/// separate tree, with /home/me/sum/sum.cuh in TREE/home/me/sum/sum.cuh; compiler messages use the
/// names that the user knows.
class ProgramSources {
 public:
  /// @param tree  folder for the rewritten files
  /// @param include_folders  the user's -I folders
  ProgramSources(std::filesystem::path tree, std::vector<std::filesystem::path> include_folders,
                 bool checked);

  /// Rewrites a source and the files that it includes.
  /// @return the file to compile
  /// @throws CannotGrade if the source cannot be read
  std::filesystem::path add(const std::filesystem::path& source);

  /// The user's files that were read.
  std::vector<std::filesystem::path> files() const;

  /// Whether a word occurs in a file that others include.
  bool has_in_headers(const std::string& word) const;

  /// The code that the simulator cannot take, one line each: "sum.cu:12: error: what".
  const std::string& problems() const { return problems_; }

  /// The folders in which the compiler finds rewritten files that are included by a macro's name.
  /// They come before the user's own folders.
  std::vector<std::filesystem::path> folders_to_include() const;

  /// Whether the program has its own functions or macros with the names of CUDA's allocation
  /// functions, which then cannot be macros.
  bool allocates_by_its_own() const;

  /// The user's text and the rewritten text, for messages that quote lines.
  struct Text {
    std::string own, compiled;
  };
  const std::vector<Text>& texts() const { return texts_; }

 private:
  struct File {
    std::string shown;  ///< the name used in messages
    std::string text;
    std::map<std::string, std::string> included;  ///< files by the text of their include directive
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
  std::map<std::string, File> files_;  ///< by absolute path
  std::vector<Text> texts_;
  std::string problems_;
};

/// Returns the files that a text includes, with the quotes or brackets: `"sum.cuh"`. Directives
/// count in every branch of a condition.
std::set<std::string> included_by(const std::string& text);

}  // namespace tilewise::grading
