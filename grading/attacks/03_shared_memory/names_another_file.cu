// Exploit: has its errors said of a file that is not its own
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: labs/03_shared_memory/matmul_shared.cu:10:2: error:
#define WHERE 7 "/etc/passwd"
#line WHERE
# 12 "labs/01_single_block/matmul_single_block.cu" 3
%:li\
ne 13 "solutions/03_shared_memory/matmul_shared.cu"
/* not yet */ #line 14 "/dev/null"
#error taken
