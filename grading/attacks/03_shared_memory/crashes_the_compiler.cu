// Exploit: nests so deep that g++ and clang crash, which ask for a bug report
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: the compiler crashed on this file
#define TEN(x) x x x x x x x x x x
#define THOUSAND(x) TEN(TEN(TEN(x)))
int TEN(TEN(TEN(THOUSAND(*)))) deep;
