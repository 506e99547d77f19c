#include "grading/examiner/process/testdata/cuda_contract.hpp"
#include "grading/worker/binding.hpp"

TILEWISE_BINDINGS(TILEWISE_BIND(scale), TILEWISE_BIND(accumulate_twice),
                  TILEWISE_BIND(accumulate_on_own_stream), TILEWISE_BIND(launch_wrongly),
                  TILEWISE_BIND(write_out_of_bounds), TILEWISE_BIND(loop_in_kernel))
