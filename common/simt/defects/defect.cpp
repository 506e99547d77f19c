#include "common/simt/defects/defect.hpp"

#include <fstream>
#include <stdexcept>

namespace tilewise::defects {

std::vector<Defect>& all_defects() {
  static std::vector<Defect> all;
  return all;
}

bool add_defect(const Defect& defect) {
  all_defects().push_back(defect);
  return true;
}

MarkedLines marked_lines(const Defect& defect) {
  std::ifstream source(defect.file);
  if (!source) throw std::runtime_error(std::string(defect.file) + ": cannot be read");

  MarkedLines marked;
  bool of_a_defect_before = false;
  std::string text;
  for (int line = 1; line < defect.line && std::getline(source, text); ++line) {
    if (text.rfind("DEFECT(", 0) == 0 || text.rfind("CORRECT(", 0) == 0) of_a_defect_before = true;
    const std::size_t mark = text.find("// fault");
    if (mark == std::string::npos) continue;
    if (of_a_defect_before) marked = {};
    of_a_defect_before = false;
    const bool other_side = text.find("// fault: other side") != std::string::npos;
    (other_side ? marked.other_side : marked.fault).push_back(line);
  }
  if (defect.kind == std::string(none)) return {};
  if (marked.fault.empty()) {
    throw std::runtime_error(std::string(defect.name) + ": no line is marked as the fault");
  }
  return marked;
}

}  // namespace tilewise::defects
