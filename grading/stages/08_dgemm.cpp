#include "grading/examiner/dgemm_test.hpp"
#include "grading/stages/08_dgemm_dtrsm_contract.hpp"
