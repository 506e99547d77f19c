// tilewise-rewrite SOURCE.cu RESULT.cpp: what the simulator makes of a kernel file, for builds that
// run kernels on it and for a look at what it did.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "common/simt/rewrite/rewrite.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: tilewise-rewrite SOURCE.cu RESULT.cpp\n";
    return 2;
  }
  std::ifstream source(argv[1], std::ios::binary);
  if (!source) {
    std::cerr << "cannot read " << argv[1] << '\n';
    return 2;
  }
  const std::string text(std::istreambuf_iterator<char>(source), {});
  const auto rewritten = tilewise::simt::rewrite(text);
  for (const auto& error : rewritten.errors) {
    std::cerr << argv[1] << ':' << error.line << ": " << error.message << '\n';
  }
  std::ofstream result(argv[2], std::ios::binary);
  result << "#line 1 \"" << argv[1] << "\"\n" << rewritten.text;
  if (!result.flush()) {
    std::cerr << "cannot write " << argv[2] << '\n';
    return 2;
  }
  return rewritten.errors.empty() ? 0 : 1;
}
