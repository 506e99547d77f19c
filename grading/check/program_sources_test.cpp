#include "grading/check/program_sources.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/base/files.hpp"
#include "common/process/sandbox.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Sources : public testing::Test {
 protected:
  fs::path put(const std::string& name, const std::string& text) {
    const fs::path file = folder_.path() / "own" / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }
  fs::path tree() const { return folder_.path() / "tree"; }
  fs::path own() const { return folder_.path() / "own"; }

 private:
  ScratchDirectory folder_;
};

TEST_F(Sources, AreRewrittenWithWhatTheyInclude) {
  const fs::path main = put("a/main.cu",
                            "#include \"../b/k.cuh\"\n#include <c.cuh>\n#include <vector>\n"
                            "void f() { k<<<1, 2>>>(); }\n");
  put("b/k.cuh", "#include \"deep.cuh\"\n__global__ void k() { __shared__ int s; s = 1; }\n");
  put("b/deep.cuh", "// deep\n");
  put("include/c.cuh", "__device__ int counter;\n");
  ProgramSources sources(tree(), {own() / "include"}, true);
  const std::string text = core::text_of(sources.add(main));
  EXPECT_THAT(sources.problems(), IsEmpty());
  EXPECT_THAT(text, HasSubstr("TILEWISE_LAUNCHER"));
  EXPECT_THAT(text, HasSubstr("#include <vector>"));
  EXPECT_THAT(text, HasSubstr("#line 1 \"" + main.string() + "\""));
  const fs::path kernel = tree() / (own() / "b/k.cuh").relative_path();
  EXPECT_THAT(text, HasSubstr("#include \"" + kernel.string() + "\""));
  EXPECT_THAT(core::text_of(kernel), HasSubstr("tilewise_shared_"));
  EXPECT_EQ(sources.files().size(), 4u);
}

/// A redeclared name must not get the rules of the included function.
TEST_F(Sources, MayDeclareAgainWhatTheyInclude) {
  const fs::path main = put("main.cu",
                            "#include \"k.cuh\"\ntemplate <int n> void k(int, int) {}\n"
                            "int main() { k<4><<<1, 1>>>(); }\n");
  put("k.cuh", "template <int n> __global__ void k() {}\n");
  ProgramSources sources(tree(), {}, true);
  sources.add(main);
  EXPECT_THAT(sources.problems(), IsEmpty());
}

TEST_F(Sources, SayWhatIsWrongInAHeader) {
  const fs::path main = put("main.cu", "#include \"k.cuh\"\nint main() {}\n");
  const fs::path header = put("k.cuh", "\n__global__ int k();\n");
  ProgramSources sources(tree(), {}, true);
  sources.add(main);
  EXPECT_EQ(sources.problems(), header.string() +
                                    ":2: error: a __global__ function returns nothing: write "
                                    "__global__ void k(...)\n");
}

TEST_F(Sources, KeepTheirNamesForAllocation) {
  ProgramSources usual(tree(), {}, true);
  usual.add(put("a.cu", "int main() { int* x; cudaMalloc(&x, 4); }\n"));
  EXPECT_FALSE(usual.allocates_by_its_own());
  ProgramSources own_function(tree(), {}, true);
  own_function.add(put("b.cu", "cudaError_t cudaMalloc(Buffer& b, size_t bytes);\n"));
  EXPECT_TRUE(own_function.allocates_by_its_own());
}

TEST(Included, IsWhatDirectivesName) {
  EXPECT_THAT(included_by("#include \"a.h\"\n  #  include <b>\n// #include \"no\"\nint x;"),
              ElementsAre("\"a.h\"", "<b>"));
}

}  // namespace
}  // namespace tilewise::grading
