// Rewrites the CUDA file named first into the C++ file named second.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "common/simt/rewrite/rewrite.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: rewrite_file SOURCE.cu RESULT.cpp\n";
    return 2;
  }
  std::ifstream source(argv[1], std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(source), {});
  const auto rewritten = tilewise::simt::rewrite(text);
  for (const auto& error : rewritten.errors) {
    std::cerr << argv[1] << ':' << error.line << ": " << error.message << '\n';
  }
  std::ofstream result(argv[2], std::ios::binary);
  result << rewritten.text;
  return source && result.flush() && rewritten.errors.empty() ? 0 : 1;
}
