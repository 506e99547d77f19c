#include "common/simt/whole_copies/whole_copies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tilewise::simt {
namespace {

TEST(WholeCopies, AreLoadsAndStoresOfVectors) {
  EXPECT_EQ(
      with_whole_copies("  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %8, ptr align 16 %16, "
                        "i64 16, i1 false), !dbg !29, !tbaa.struct !30\n"),
      "  %tilewise.whole.1.0 = load <4 x i32>, ptr %16, align 1, !dbg !29\n"
      "  store <4 x i32> %tilewise.whole.1.0, ptr %8, align 1, !dbg !29\n");
}

TEST(WholeCopies, MoveWhatTheirTypeIsAlignedTo) {
  EXPECT_EQ(with_whole_copies(
                "  call void @llvm.memmove.p0.p0.i64(ptr align 32 %a, ptr align 4 %b, i64 8, "
                "i1 false)\n"),
            "  %tilewise.whole.1.0 = load <4 x i8>, ptr %b, align 1\n"
            "  %tilewise.from.1.4 = getelementptr inbounds i8, ptr %b, i64 4\n"
            "  %tilewise.whole.1.4 = load <4 x i8>, ptr %tilewise.from.1.4, align 1\n"
            "  store <4 x i8> %tilewise.whole.1.0, ptr %a, align 1\n"
            "  %tilewise.to.1.4 = getelementptr inbounds i8, ptr %a, i64 4\n"
            "  store <4 x i8> %tilewise.whole.1.4, ptr %tilewise.to.1.4, align 1\n");
}

TEST(WholeCopies, NameTheirPointersBeforeLlvm15) {
  EXPECT_EQ(
      with_whole_copies(
          "  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 8 %18, i8* align 8 %19, i64 "
          "16, i1 false), !dbg !28, !tbaa.struct !29\n"),
      "  %tilewise.from.typed.1.0 = bitcast i8* %19 to <2 x i32>*, !dbg !28\n"
      "  %tilewise.whole.1.0 = load <2 x i32>, <2 x i32>* %tilewise.from.typed.1.0, align 1, !dbg "
      "!28\n"
      "  %tilewise.from.1.8 = getelementptr inbounds i8, i8* %19, i64 8, !dbg !28\n"
      "  %tilewise.from.typed.1.8 = bitcast i8* %tilewise.from.1.8 to <2 x i32>*, !dbg !28\n"
      "  %tilewise.whole.1.8 = load <2 x i32>, <2 x i32>* %tilewise.from.typed.1.8, align 1, !dbg "
      "!28\n"
      "  %tilewise.to.typed.1.0 = bitcast i8* %18 to <2 x i32>*, !dbg !28\n"
      "  store <2 x i32> %tilewise.whole.1.0, <2 x i32>* %tilewise.to.typed.1.0, align 1, !dbg "
      "!28\n"
      "  %tilewise.to.1.8 = getelementptr inbounds i8, i8* %18, i64 8, !dbg !28\n"
      "  %tilewise.to.typed.1.8 = bitcast i8* %tilewise.to.1.8 to <2 x i32>*, !dbg !28\n"
      "  store <2 x i32> %tilewise.whole.1.8, <2 x i32>* %tilewise.to.typed.1.8, align 1, !dbg "
      "!28\n");
}

TEST(WholeCopies, HaveNamesOfTheirOwn) {
  const std::string copy =
      "  call void @llvm.memcpy.p0.p0.i64(ptr align 2 %a, ptr align 2 %b, i64 2, i1 false)\n";
  const std::string text = with_whole_copies(copy + copy);
  EXPECT_THAT(text, testing::HasSubstr("%tilewise.whole.1.0 = load <2 x i8>, ptr %b, align 1\n"));
  EXPECT_THAT(text, testing::HasSubstr("%tilewise.whole.2.0 = load <2 x i8>, ptr %b, align 1\n"));
}

TEST(WholeCopies, ComeFromExpressionsAndQuotedNamesToo) {
  EXPECT_EQ(
      with_whole_copies(
          "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %8, ptr align 32 getelementptr "
          "inbounds ([4 x %\"struct.A<B, C>\"], ptr @\"a), (b\", i64 0, i64 2), i64 16, i1 "
          "false)\n"),
      "  %tilewise.whole.1.0 = load <4 x i32>, ptr getelementptr inbounds ([4 x %\"struct.A<B, "
      "C>\"], ptr @\"a), (b\", i64 0, i64 2), align 1\n"
      "  store <4 x i32> %tilewise.whole.1.0, ptr %8, align 1\n");
}

TEST(WholeCopies, PromiseNothingOfReferences) {
  EXPECT_EQ(
      with_whole_copies("define void @f(%T* noundef nonnull align 16 dereferenceable(16) %0, i32 "
                        "%1, ptr align 8 dereferenceable(8) %2, ptr align 4 %3) #2 {\n"),
      "define void @f(%T* noundef nonnull dereferenceable(16) %0, i32 %1, ptr "
      "dereferenceable(8) %2, ptr align 4 %3) #2 {\n");
}

TEST(WholeCopies, AreNotHeldUpByChecksOfIndices) {
  EXPECT_EQ(with_whole_copies("declare void @__ubsan_handle_out_of_bounds(i8*, i64) #2\n"),
            "declare void @__ubsan_handle_out_of_bounds(i8*, i64) inaccessiblememonly #2\n");
}

class OtherLines : public testing::TestWithParam<const char*> {};

TEST_P(OtherLines, StayAsTheyAre) { EXPECT_EQ(with_whole_copies(GetParam()), GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    WholeCopies, OtherLines,
    testing::Values(
        "", "\n", "define void @f(ptr %0) {\n",
        // without a known alignment, or with one that does not divide the size
        "  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr align 16 %b, i64 16, i1 false)\n",
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 12, i1 false)\n",
        // large, of one byte, and of a size that is known only at run-time
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 512, i1 false)\n",
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %a, ptr align 1 %b, i64 1, i1 false)\n",
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 %n, i1 false)\n",
        // volatile, and in other address spaces
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 16, i1 true)\n",
        "  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 16 %a, ptr align 16 %b, i64 16, "
        "i1 "
        "false)\n",
        // the declaration, and lines that only look like a copy
        "declare void @llvm.memcpy.p0.p0.i64(ptr noalias, ptr noalias, i64, i1 immarg) #3\n",
        "  call void @llvm.memcpy.p0\n", "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a\n"));

TEST(ReturnThunks, StandWhereFunctionsReturned) {
  const std::string begin = "f:\n\t.cfi_startproc\n\tcallq\t__fentry__\n\tpopq\t%rbp\n";
  EXPECT_EQ(with_return_thunks(begin + "\tretq\n\t.asciz\t\"\\tretq\"\nretq:\n\tret"),
            begin + "\tjmp\t__x86_return_thunk\n\t.asciz\t\"\\tretq\"\nretq:\n\tret");
  const std::string unnoted = "g:\n\t.cfi_startproc\n\tpopq\t%rbp\n\tretq\n";
  EXPECT_EQ(with_return_thunks(begin + "\tretq\n" + unnoted),
            begin + "\tjmp\t__x86_return_thunk\n" + unnoted);
  EXPECT_EQ(with_return_thunks(""), "");
}

}  // namespace
}  // namespace tilewise::simt
