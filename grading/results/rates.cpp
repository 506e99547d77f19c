#include "grading/results/rates.hpp"

namespace tilewise::grading {

std::vector<MeasuredRate> rates_of(const TestResult& test) {
  std::vector<MeasuredRate> rates;
  for (const std::string unit : {"gflops", "gb_s"}) {
    if (const auto own = test.measurements.find(unit); own != test.measurements.end()) {
      rates.push_back({own->first, own->second});
      continue;
    }
    for (const auto& [name, value] : test.measurements) {
      if (name.starts_with(unit + "_")) rates.push_back({name, value});
    }
  }
  return rates;
}

std::string unit_of(const std::string& measurement) {
  return measurement.starts_with("gb_s") ? "GB/s" : "GFLOPS";
}

}  // namespace tilewise::grading
