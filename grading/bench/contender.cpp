#include <stdexcept>

#include "grading/bench/bench_report.hpp"

namespace tilewise::grading {

std::string_view to_string(Contender contender) {
  switch (contender) {
    case Contender::student:
      return "student";
    case Contender::solution:
      return "solution";
    case Contender::previous_stage:
      return "previous";
    case Contender::cublas:
      return "cublas";
    case Contender::openblas:
      return "openblas";
    case Contender::copy:
      return "copy";
  }
  throw std::logic_error("no contender");
}

}  // namespace tilewise::grading
