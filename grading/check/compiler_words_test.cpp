#include "grading/check/compiler_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CompilerWords, AreOptionsThenFilesThenArguments) {
  const CompilerWords words =
      read_compiler_words({"-I", "include", "-Iparts", "-D", "N=5", "-DM", "-O3", "--std=c++20",
                           "-arch=sm_80", "-gencode", "arch=compute_80,code=sm_80", "-lm", "a.cu",
                           "b.cpp", "c.o", "1000", "-I", "x.cu"});
  EXPECT_THAT(words.include_folders, ElementsAre("include", "parts"));
  EXPECT_THAT(words.preprocess, ElementsAre("-D", "N=5", "-D", "M"));
  EXPECT_THAT(words.compile, ElementsAre("-O3", "-std=c++20"));
  EXPECT_THAT(words.sources, ElementsAre("a.cu", "b.cpp"));
  EXPECT_THAT(words.linked, ElementsAre("-lm", "c.o"));
  EXPECT_THAT(words.arguments, ElementsAre("1000", "-I", "x.cu"));
  EXPECT_FALSE(words.has_dashes);
}

TEST(CompilerWords, DashesEndTheFiles) {
  const CompilerWords words = read_compiler_words({"a.cu", "--", "b.cu", "--"});
  EXPECT_THAT(words.sources, ElementsAre("a.cu"));
  EXPECT_THAT(words.arguments, ElementsAre("b.cu", "--"));
  EXPECT_TRUE(words.has_dashes);
}

TEST(CompilerWords, ReachTheHostsCompilerWordByWord) {
  const CompilerWords words =
      read_compiler_words({"-Xcompiler", "-fopenmp,-Wall", "--compiler-options=-g", "a.cu"});
  EXPECT_THAT(words.compile, ElementsAre("-fopenmp", "-Wall", "-g"));
  EXPECT_THAT(words.linked, IsEmpty());
}

TEST(CompilerWords, MakeAModuleCalledAsNvccCallsIt) {
  EXPECT_EQ(read_compiler_words({"-fatbin", "k/sum.cu"}).output, "sum.fatbin");
  EXPECT_EQ(read_compiler_words({"--cubin", "-o", "other", "sum.cu"}).output, "other");
  EXPECT_TRUE(read_compiler_words({"-cubin", "sum.cu"}).makes_module);
  EXPECT_FALSE(read_compiler_words({"-c", "sum.cu"}).makes_module);
  EXPECT_THROW(read_compiler_words({"-cubin", "a.cu", "b.cu"}), CannotGrade);
}

TEST(CompilerWords, AreRefusedWhereNobodyKnowsThem) {
  EXPECT_THROW(read_compiler_words({"--nonsense", "a.cu"}), CannotGrade);
  EXPECT_THROW(read_compiler_words({"-I"}), CannotGrade);
}

TEST(CompilerWords, KnowWhichOptionHasAValue) {
  EXPECT_TRUE(takes_next_word("-I"));
  EXPECT_FALSE(takes_next_word("-Iinclude"));
  EXPECT_FALSE(takes_next_word("-std=c++17"));
  EXPECT_FALSE(takes_next_word("-G"));
  EXPECT_TRUE(is_program_file("dir/a.cu"));
  EXPECT_FALSE(is_program_file("a.cuh"));
  EXPECT_FALSE(is_program_file("1000"));
}

}  // namespace
}  // namespace tilewise::grading
