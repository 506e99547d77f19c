// tilewise-rewrite [--checked] SOURCE.cu RESULT.cpp: writes the C++ that the simulator makes of a
// kernel file, for builds that run kernels on it and for inspection.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "common/simt/rewrite/rewrite.hpp"

int main(int argc, char** argv) {
  const bool checked = argc > 1 && std::string_view(argv[1]) == "--checked";
  if (argc != (checked ? 4 : 3)) {
    std::cerr << "usage: tilewise-rewrite [--checked] SOURCE.cu RESULT.cpp\n";
    return 2;
  }
  const char* const source_path = argv[argc - 2];
  const char* const result_path = argv[argc - 1];
  std::ifstream source(source_path, std::ios::binary);
  if (!source) {
    std::cerr << "cannot read " << source_path << '\n';
    return 2;
  }
  const std::string text(std::istreambuf_iterator<char>(source), {});
  const auto rewritten = tilewise::simt::rewrite(text, {.mark_loop_exits = checked});
  for (const auto& error : rewritten.errors) {
    std::cerr << source_path << ':' << error.line << ": " << error.message << '\n';
  }
  std::ofstream result(result_path, std::ios::binary);
  result << rewritten.prologue << "#line 1 \"" << source_path << "\"\n" << rewritten.text;
  if (!result.flush()) {
    std::cerr << "cannot write " << result_path << '\n';
    return 2;
  }
  return rewritten.errors.empty() ? 0 : 1;
}
