#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::grading {

/// The most folders, one inside the other, in which a file of a submission may lie.
inline constexpr std::size_t most_folders = 8;

/// Whether a file or folder has such a name, `.git` or `__MACOSX`, that it is none of the
/// student's.
bool is_of_a_system(const std::string& part);

/// A file that may be meant as one of a stage's.
struct Candidate {
  std::filesystem::path place;  ///< the place that it would have
  bool is_called_so = true;     ///< whether the name is exact; otherwise it has additional words
};

/// Finds labs/NN_topic/x.cu if that is one of the stage's files, at the top or in some folders. A
/// file with another name is not compiled, and need not be unpacked.
std::optional<Candidate> candidate_in_labs(const std::filesystem::path& path);

/// Finds a file that has exactly or nearly the name of a stage's file, at most some folders down:
/// "matmul_shared.cu", "Matmul Shared (1).CU", or with added words "hw2/zoe_matmul_shared-2.cu",
/// "matmul_shared_final.cu".
std::optional<Candidate> candidate_by_name(const std::filesystem::path& path);

/// Returns what the name of a file that candidate_by_name() finds has beside the stage's own name:
/// "zoe" for "zoe_matmul_shared-2.cu" and for "matmul_shared_zoe (1).cu"; empty if there is
/// nothing.
std::string words_beside_stage(const std::string& name);

/// Decides which of a submission's files are meant.
class MeantFiles {
 public:
  using Find = std::optional<Candidate> (*)(const std::filesystem::path&);

  explicit MeantFiles(Find find) : find_(find) {}

  /// Returns a place of its own for each file, until settle() has decided between them.
  std::optional<std::filesystem::path> place_of(const std::filesystem::path& path);

  /// Leaves one file in each place. Of a platform's attempts this is the last. A file also gives
  /// way to another that lies no deeper and has no less exact a name, if it is better in one of the
  /// two; the files that remain must be alike.
  /// @param to  the folder to whose labs/ the files were taken
  /// @return which of them differ, so that their owner must say which is meant; empty if none do
  std::string settle(const std::filesystem::path& to) const;

 private:
  struct Known {
    std::filesystem::path path;   ///< as it was handed in
    std::filesystem::path place;  ///< its place so far
    bool is_called_so;
  };
  Find find_;
  std::map<std::filesystem::path, std::vector<Known>> known_;  ///< by place
};

}  // namespace tilewise::grading
