#include "grading/cli/handed_in.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "common/process/scratch_directory.hpp"
#include "grading/course/stages.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

TEST(PlaceInLabs, IsWhereTheCourseHasIt) {
  const struct {
    const char* path;
    const char* place;  ///< empty: none
  } cases[] = {{"labs/03_shared_memory/matmul_shared.cu", "03_shared_memory/matmul_shared.cu"},
               {"main/labs/08_dgemm_dtrsm/dtrsm.cu", "08_dgemm_dtrsm/dtrsm.cu"},
               {"labs/03_shared_memory/dtrsm.cu", ""},
               {"labs/03_x/matmul_shared.cu", ""},
               {"labs/03_shared_memory/matmul_shared.hpp", ""},
               {"labs/matmul_shared.cu", ""},
               {"labs/03_shared_memory/deep/matmul_shared.cu", ""},
               {"../labs/03_shared_memory/matmul_shared.cu", ""},
               {"/labs/03_shared_memory/matmul_shared.cu", ""},
               {"labs/../matmul_shared.cu", ""},
               {"", ""}};
  for (const auto& [path, place] : cases)
    EXPECT_EQ(place_in_labs(path).value_or(""), place) << path;
}

TEST(PlaceByName, IsThatOfItsStage) {
  const struct {
    const char* path;
    const char* place;  ///< empty: none
  } cases[] = {{"matmul_shared.cu", "03_shared_memory/matmul_shared.cu"},
               {"homework/matmul_shared.cu", "03_shared_memory/matmul_shared.cu"},
               {"dtrsm.cu", "08_dgemm_dtrsm/dtrsm.cu"},
               {"a/b/matmul_shared.cu", ""},
               {"../matmul_shared.cu", ""},
               {"/matmul_shared.cu", ""},
               {"matmul_shared.hpp", ""},
               {"Matmul_shared.cu", ""},
               {"", ""}};
  for (const auto& [path, place] : cases)
    EXPECT_EQ(place_by_name(path).value_or(""), place) << path;
}

TEST(PlaceByName, MeansOneStage) {
  std::set<std::string> names;
  for (const StageInfo& stage : stages()) {
    for (const std::string& source : stage.sources) {
      EXPECT_TRUE(names.insert(source).second) << source << " is in two stages";
    }
  }
}

TEST(TakeHandedIn, PrefersAFolderLabs) {
  const ScratchDirectory in, out;
  fs::create_directories(in.path() / "labs" / "03_shared_memory");
  std::ofstream(in.path() / "labs" / "03_shared_memory" / "matmul_shared.cu") << "in labs";
  std::ofstream(in.path() / "matmul_shared.cu") << "beside it";
  EXPECT_EQ(take_handed_in(out.path(),
                           [&](const PlaceInLabs& place_of) {
                             return take_from_folder(in.path(), out.path(), place_of);
                           }),
            "");
  std::string text;
  std::getline(std::ifstream(out.path() / "labs" / "03_shared_memory" / "matmul_shared.cu"), text);
  EXPECT_EQ(text, "in labs");
}

}  // namespace
}  // namespace tilewise::grading
