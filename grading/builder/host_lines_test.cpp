#include "grading/builder/host_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(HostLines, AreThoseOfConditionalsThatAskForTheArchitecture) {
  EXPECT_THAT(host_lines("#ifndef __CUDA_ARCH__\nf();\n#endif\n").asking, ElementsAre(1, 2, 3));
  EXPECT_THAT(
      host_lines("#if A\nf();\n#if B\n#elif defined(__CUDA_ARCH__)\n#endif\n#endif\n").asking,
      ElementsAre(3, 4, 5));
  EXPECT_THAT(host_lines("#ifdef A\nf(__CUDA_ARCH__);\n#endif\n#endif\n").asking, IsEmpty());
}

TEST(HostLines, AreThoseOfFunctionsForBothSides) {
  EXPECT_THAT(host_lines("__host__ __device__ void f(int)\n{\nif (1) {\n}\n}\n").of_both,
              ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(host_lines("#define BOTH __device__ __host__\nBOTH int f() { }\n").of_both,
              ElementsAre(2));
  EXPECT_THAT(host_lines("__host__ __device__ int f();\n__device__ int g() { }\n"
                         "__host__ int h() { }\n")
                  .of_both,
              IsEmpty());
}

}  // namespace
}  // namespace tilewise::grading
