#include "grading/builder/machine_code.hpp"

#include <gmock/gmock.h>

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(MachineCode, NamesKernelsAsTheirSourceDoes) {
  EXPECT_EQ(name_of_kernel("_Z13matmul_kernelILi16EEvPKfS1_Pfi"), "matmul_kernel<16>");
  EXPECT_EQ(name_of_kernel("_Z13matmul_kernelPKfS0_Pfi"), "matmul_kernel");
  EXPECT_EQ(name_of_kernel("_ZN12_GLOBAL__N_14sumsEPf"), "sums");
  EXPECT_EQ(name_of_kernel("plain"), "plain");
}

TEST(MachineCode, KnowsTheLinesOfPtx) {
  constexpr const char* ptx = R"(.version 9.0
.target sm_80
.func helper()
{
	.loc	1 3 1
	ret;
}
.visible .entry _Z4sumsILi2EEvPf(
	.param .u64 _Z4sumsILi2EEvPf_param_0
)
{
	.reg .b32 	%r<8>;
	.loc	1 7 0
	ld.param.u64 	%rd18, [_Z4sumsILi2EEvPf_param_0];
	.loc	2 90 3, function_name $L__info_string1, inlined_at 1 8 5
	shfl.sync.idx.b32 	%r1, %r2, 0, 31, -1;
	.loc	1 4 3, function_name $L__info_string0, inlined_at 1 9 5
	{ // callseq 0, 0
	.reg .b32 temp_param_reg;
	} // callseq 0
$L__BB0_3:
	.loc	1 0 3
	@%p1 bra 	$L__BB0_3;
	// a comment
	.loc	2 91 3
	ret;

}
.visible .entry empty()
{
	.loc	1 20 1
	ret;
}
	.file	1 "/somewhere/sums.cu"
	.file	2 "/usr/local/cuda/include/intrinsics.hpp"
)";
  const std::vector<KernelCode> kernels = kernels_in_ptx(ptx, "sums.cu");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "sums<2>");
  EXPECT_THAT(kernels[0].lines,
              ElementsAre(Pair(4, ElementsAre("$L__BB0_3:", "@%p1 bra $L__BB0_3", "ret")),
                          Pair(7, ElementsAre("ld.param.u64 %rd18, [_Z4sumsILi2EEvPf_param_0]")),
                          Pair(8, ElementsAre("shfl.sync.idx.b32 %r1, %r2, 0, 31, -1"))));
  EXPECT_EQ(kernels[1].name, "empty");
  EXPECT_THAT(kernels[1].lines, ElementsAre(Pair(20, ElementsAre("ret"))));
  EXPECT_THAT(kernels_in_ptx("", "sums.cu"), IsEmpty());
}

// Text as "CUDA Binary Utilities" shows it for nvdisasm -gi.
TEST(MachineCode, KnowsTheLinesOfSass) {
  constexpr const char* sass = R"(	.headerflags	@"EF_CUDA_SM80"
	.section	.text._Z4sumsILi2EEvPf,"ax",@progbits
	.align	128
        .global         _Z4sumsILi2EEvPf
.text._Z4sumsILi2EEvPf:
	//## File "/somewhere/sums.cu", line 7
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_0:
	//## File "/usr/include/intrinsics.hpp", line 90 inlined at "/somewhere/sums.cu", line 8
	//## File "/somewhere/sums.cu", line 8
        /*0010*/                   SHFL.IDX PT, R2, R3, RZ, 0x1f ;
	//## File "/somewhere/sums.cu", line 4 inlined at "/somewhere/sums.cu", line 9
	//## File "/somewhere/sums.cu", line 9
        /*0020*/              @!P0 BRA `(.L_x_0) ;
)";
  const std::vector<KernelCode> kernels = kernels_in_sass(sass, "sums.cu");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "sums<2>");
  EXPECT_THAT(kernels[0].lines, ElementsAre(Pair(4, ElementsAre("@!P0 BRA `(.L_x_0)")),
                                            Pair(7, ElementsAre("MOV R1, c[0x0][0x28]", ".L_x_0:")),
                                            Pair(8, ElementsAre("SHFL.IDX PT, R2, R3, RZ, 0x1f"))));
}

TEST(MachineCode, LabelsAreNoInstructions) {
  EXPECT_TRUE(is_instruction("ret"));
  EXPECT_FALSE(is_instruction("$L__BB0_3:"));
}

}  // namespace
}  // namespace tilewise::grading
