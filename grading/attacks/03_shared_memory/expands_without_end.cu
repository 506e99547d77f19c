// Exploit: macros that keep the preprocessor busy, and fill the disk
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: What macros and includes expand to

#include "matmul_shared.hpp"

#define TWICE_0 int declared;
#define TWICE_1 TWICE_0 TWICE_0
#define TWICE_2 TWICE_1 TWICE_1
#define TWICE_3 TWICE_2 TWICE_2
#define TWICE_4 TWICE_3 TWICE_3
#define TWICE_5 TWICE_4 TWICE_4
#define TWICE_6 TWICE_5 TWICE_5
#define TWICE_7 TWICE_6 TWICE_6
#define TWICE_8 TWICE_7 TWICE_7
#define TWICE_9 TWICE_8 TWICE_8
#define TWICE_10 TWICE_9 TWICE_9
#define TWICE_11 TWICE_10 TWICE_10
#define TWICE_12 TWICE_11 TWICE_11
#define TWICE_13 TWICE_12 TWICE_12
#define TWICE_14 TWICE_13 TWICE_13
#define TWICE_15 TWICE_14 TWICE_14
#define TWICE_16 TWICE_15 TWICE_15
#define TWICE_17 TWICE_16 TWICE_16
#define TWICE_18 TWICE_17 TWICE_17
#define TWICE_19 TWICE_18 TWICE_18
#define TWICE_20 TWICE_19 TWICE_19
#define TWICE_21 TWICE_20 TWICE_20
#define TWICE_22 TWICE_21 TWICE_21
#define TWICE_23 TWICE_22 TWICE_22
#define TWICE_24 TWICE_23 TWICE_23
#define TWICE_25 TWICE_24 TWICE_24
#define TWICE_26 TWICE_25 TWICE_25
#define TWICE_27 TWICE_26 TWICE_26
#define TWICE_28 TWICE_27 TWICE_27
#define TWICE_29 TWICE_28 TWICE_28
#define TWICE_30 TWICE_29 TWICE_29
#define TWICE_31 TWICE_30 TWICE_30
#define TWICE_32 TWICE_31 TWICE_31
#define TWICE_33 TWICE_32 TWICE_32
#define TWICE_34 TWICE_33 TWICE_33
#define TWICE_35 TWICE_34 TWICE_34
#define TWICE_36 TWICE_35 TWICE_35
#define TWICE_37 TWICE_36 TWICE_36
#define TWICE_38 TWICE_37 TWICE_37
#define TWICE_39 TWICE_38 TWICE_38
#define TWICE_40 TWICE_39 TWICE_39
TWICE_40

cudaError_t matmul_shared(const float*, const float*, float*, int, int) { return cudaSuccess; }
