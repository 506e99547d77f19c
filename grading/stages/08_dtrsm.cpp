#include "grading/examiner/dtrsm_test.hpp"
#include "grading/stages/08_dgemm_dtrsm_contract.hpp"
