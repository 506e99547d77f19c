#include "grading/builder/compiler_message.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <regex>
#include <utility>

#include "common/base/language.hpp"
#include "grading/builder/compiler_output.hpp"
#include "grading/builder/cuda_names.hpp"
#include "grading/builder/launch_errors.hpp"
#include "grading/builder/source_file.hpp"

namespace tilewise::grading {
namespace {

/// Returns the first place in one of the files; only from lines that report an error, if
/// `errors_only`.
Place first_place(std::string_view output, const std::vector<std::string>& files,
                  bool errors_only) {
  while (!output.empty()) {
    const std::string_view line = take_line(output);
    for (const std::string& file : files) {
      std::string_view after;
      Place place = place_in(line, file, after);
      if (place.line == 0) continue;
      if (!errors_only || after.find("error") != after.npos) return place;
    }
  }
  return {};
}

/// Whether the linker reports a function as missing: GNU ld says "undefined reference to `NAME(",
/// lld "undefined symbol: NAME(".
bool misses(std::string_view output, const std::string& function) {
  while (!output.empty()) {
    const std::string_view line = take_line(output);
    const std::size_t undefined = line.find("undefined");
    if (undefined == line.npos) continue;
    const std::size_t at = line.find(function + "(", undefined);
    if (at == line.npos) continue;
    const char before = line[at - 1];  // it exists: "undefined" stands before
    if (before == '`' || before == '\'' || before == ' ' || before == '"') return true;
  }
  return false;
}

BuildResult failure(std::string message, std::string hint, Place place = {}) {
  BuildResult built;
  built.finding.message = std::move(message);
  built.finding.hint = std::move(hint);
  built.finding.file = std::filesystem::path(place.file).filename().string();
  built.finding.line = place.line;
  return built;
}

/// Words of a compiler that has crashed. The bug report that it asks for is not a student's to
/// make.
constexpr std::string_view crash_words[] = {"internal compiler error", "PLEASE submit a bug report",
                                            "frontend command failed", "died due to signal",
                                            "nternal error: assertion", "was killed by signal",
                                            // The same, as a sandbox reports it: 128 + signal.
                                            "ended with status 13"};

bool has_crashed(std::string_view output) {
  return std::ranges::any_of(crash_words,
                             [&](std::string_view words) { return says(output, words); });
}

/// Returns the part of a line with which a compiler says that it has crashed: "internal compiler
/// error: in tsubst, at cp/pt.cc:15782".
std::string_view crash_in(std::string_view output) {
  while (!output.empty()) {
    const std::string_view line = take_line(output);
    for (const std::string_view words : {"internal compiler error", "died due to signal"}) {
      if (const std::size_t at = line.find(words); at != line.npos) return line.substr(at);
    }
  }
  return "";
}

bool ran_out_of_memory(std::string_view output) {
  return says(output, "memory exhausted") || says(output, "out of memory") ||
         says(output, "Killed signal") || says(output, "bad_alloc");
}

constexpr const char* less_memory =
    marked("The compiler ran out of memory: make templates less deep and unrolled loops shorter.");

BuildResult explain_crash(std::string_view output, const std::vector<std::string>& sources,
                          const Place& place) {
  const std::string where = place.line > 0        ? fmt::format("{}:{}", place.file, place.line)
                            : sources.size() == 1 ? sources.front()
                                                  : "";
  std::string message = tr("{}: the compiler crashed on this file{}", where,
                           place.line > 0 ? tr(", at this line or near it") : "");
  if (const std::string_view words = crash_in(output); !words.empty()) {
    constexpr std::size_t enough = 200;
    message += fmt::format(" ({})", words.substr(0, enough));
  }
  message += tr(". It gave no module, so nothing was run.");
  return failure(
      message,
      ran_out_of_memory(output)
          ? core::in_language(less_memory)
          : tr("Write what stands there more simply: leave out parts until it compiles, and "
               "put them in again in another way. Tell your instructor which they were."),
      place);
}

BuildResult explain_template_launch(const TemplateLaunch& launch, const Place& place) {
  const std::string where = fmt::format("{}:{}", place.file, place.line);
  if (!launch.parameter.empty()) {
    return failure(tr("{}: error: {} is a template, and nothing at this launch tells its parameter "
                      "{}: '{}'",
                      where, launch.kernel, launch.parameter, launch.candidate),
                   tr("Write the value that is meant between the name and <<<: "
                      "{}<...><<<grid, block>>>(...).",
                      launch.kernel),
                   place);
  }
  return failure(
      tr("{}: error: this launch does not fit '{}': {}", where, launch.candidate, launch.reason),
      tr("Compare the arguments of the launch with the kernel's parameters, one by one."), place);
}

/// Returns the message for a CUDA name that the simulator lacks; the compiler's own words say less.
std::string told_of_cuda(const std::string& name, const std::string& kind, const Place& place) {
  const std::string where = place.line > 0 ? fmt::format("{}:{}: ", place.file, place.line) : "";
  return tr("{}the simulator does not know {}, {}", where, name, core::in_language(kind));
}

/// Returns the header that declares the name that the first error does not know; empty for other
/// errors.
std::string_view header_that_is_missing(std::string_view output) {
  static constexpr std::pair<std::string_view, std::string_view> homes[] = {
      {"'nvcuda'", "mma.h"},
      {"'wmma'", "mma.h"},
      {"'cooperative_groups'", "cooperative_groups.h"},
      {"'__half'", "cuda_fp16.h"},
      {"'half'", "cuda_fp16.h"},
      {"'__half2'", "cuda_fp16.h"},
      {"'half2'", "cuda_fp16.h"},
      {"'__nv_bfloat16'", "cuda_bf16.h"},
      {"'assert'", "cassert"},
      {"'printf'", "cstdio"},
      {"'FLT_MAX'", "cfloat"},
      {"'INT_MAX'", "climits"},
      {"'std::max'", "algorithm"}};
  const std::size_t error = output.find("error: ");
  if (error == output.npos) return "";
  const std::string_view line = output.substr(error, output.find('\n', error) - error);
  const bool is_unknown = says(line, "not declared") || says(line, "not been declared") ||
                          says(line, "undeclared identifier") || says(line, "unknown type name") ||
                          says(line, "does not name a type") || says(line, "is not a namespace");
  if (!is_unknown) return "";
  for (const auto& [name, header] : homes) {
    if (says(line, name)) return header;
  }
  return "";
}

/// Returns the output for the first error only: the later ones follow from the unknown name.
std::string_view first_error(std::string_view output) {
  const std::size_t error = output.find(": error: ");
  const std::size_t second = error == output.npos ? error : output.find(": error: ", error + 1);
  if (second == output.npos) return output;
  return output.substr(0, output.rfind('\n', second) + 1);
}

constexpr const char* extents_are_constants = marked(
    "The compiler must know the extents of an array: they are numbers, constexpr variables or "
    "parameters of a template, and blockDim and a kernel's own parameters are none of these. An "
    "array whose size is known only to the launch is declared extern __shared__ float s[]; and the "
    "launch has its bytes as the third value: <<<grid, block, bytes>>>.");
constexpr const char* no_pointers_to_rows = marked(
    "An array with two extents is one piece of memory, and no array of pointers to its rows, so "
    "that "
    "float** does not fit it. Let the parameter be a reference to the array, float (&a)[8][8], or "
    "a "
    "pointer to a row, float (*a)[8], with the extents that the array has.");
constexpr const char* no_array_as_parameter = marked(
    "A parameter that is written as an array, such as unsigned r[4], is a pointer in C++ and has "
    "no extent. Write a reference to an array: unsigned (&r)[4].");

/// Returns the advice on a first error that beginners in CUDA make and whose message tells them
/// little; empty for other errors. Knows the words of g++ and of clang.
std::string meaning_of(std::string_view output) {
  static constexpr struct {
    std::string_view says, and_says;
    const char* meaning;
  } known[] = {
      {"invalid types 'float[int]' for array subscript", "",
       marked(
           "One pair of brackets leads to an element already. A matrix lies in memory row by row: "
           "element (row, col) is C[row * n + col].")},
      {"subscripted value is not an array", "",
       marked(
           "One pair of brackets leads to an element already. A matrix lies in memory row by row: "
           "element (row, col) is C[row * n + col].")},
      {"no match for 'operator", "uint3",
       marked("blockIdx, blockDim and threadIdx have the parts .x, .y and .z: write blockIdx.x * "
              "blockDim.x + threadIdx.x.")},
      {"invalid operands to binary expression", "uint3",
       marked("blockIdx, blockDim and threadIdx have the parts .x, .y and .z: write blockIdx.x * "
              "blockDim.x + threadIdx.x.")},
      {"cannot convert 'const float*' to 'const float'", "",
       marked(
           "A pointer leads to elements and is none: declare it const float*, or read one of its "
           "elements, as A[row * n + k].")},
      {"invalid conversion from 'const float*' to 'float*'", "",
       marked(
           "What is const is only read, and may not be handed on to be written: are the arguments "
           "in "
           "the order of the parameters? Inputs are const float* in kernels, too.")},
      {"assignment of read-only location", "",
       marked("It is declared const, as inputs are: results go to the output, C.")},
      {"not an integral constant-expression", "size of array", extents_are_constants},
      {"array size is not a constant expression", "", extents_are_constants},
      {"cannot convert 'float (*)[", "to 'float**'", no_pointers_to_rows},
      {"cannot convert 'double (*)[", "to 'double**'", no_pointers_to_rows},
      {"must have a constant size", "", extents_are_constants},
      {"(&)[", "from expression of type", no_array_as_parameter},
      {"cannot bind to a value of unrelated type", "*'", no_array_as_parameter},
      {"void value not ignored", "",
       marked(
           "A launch gives nothing back: call it by itself, and ask cudaGetLastError() after it.")},
      {"from incompatible type 'void'", "",
       marked(
           "A launch gives nothing back: call it by itself, and ask cudaGetLastError() after it.")},
  };
  const std::size_t error = output.find("error: ");
  if (error == output.npos) return "";
  const std::string_view line = output.substr(error, output.find('\n', error) - error);
  const auto found = std::ranges::find_if(
      known, [&](const auto& each) { return says(line, each.says) && says(line, each.and_says); });
  return found == std::end(known) ? "" : core::in_language(found->meaning);
}

std::string advice_on_constant(std::string_view name) {
  return tr(
      "{0} gets its value when the program runs, and the compiler must know an argument of a "
      "template and an extent of an array: make it constexpr, or let an if choose between calls "
      "with one number each.",
      name);
}

/// Returns what to do about a value that the compiler must know and does not, whatever the first
/// error says; empty for other errors.
std::string advice_on_constants(std::string_view output) {
  const std::string_view name = between(output, "the value of '", "' is not usable in a constant");
  return name.empty() || name.find('\n') != name.npos ? "" : advice_on_constant(name);
}

/// Returns a message that begins with the student's file, whatever the compiler's begins with.
std::string from_file(std::string message, const std::vector<std::string>& sources,
                      const Place& place) {
  constexpr std::string_view leader = "In file included from ";
  std::string_view begin = message;
  if (begin.starts_with(leader)) begin.remove_prefix(leader.size());
  const bool is_named = std::ranges::any_of(
      sources, [&](const std::string& source) { return begin.starts_with(source); });
  if (is_named || sources.empty()) return message;
  if (place.line > 0) return fmt::format("{}:{}: {}", place.file, place.line, message);
  return fmt::format("{}: {}", fmt::join(sources, ", "), message);
}

}  // namespace

BuildResult explain_compile_error(std::string_view said, const std::vector<std::string>& sources) {
  const std::string output = in_course_words(said, sources);
  Place place = first_place(output, sources, true);
  // An error inside a header still shows where the student's code led to it.
  if (place.line == 0) place = first_place(output, sources, false);
  if (has_crashed(output)) return explain_crash(output, sources, place);
  if (const std::string_view name = variable_among_arguments(said);
      !name.empty() && place.line > 0) {
    return failure(
        tr("{}:{}: error: an argument of a template must be a constant, and {}, which this "
           "launch gives the kernel between < and >, is a variable",
           place.file, place.line, name),
        advice_on_constant(name), place);
  }
  const auto launch = unfit_template(said);
  if (launch && place.line > 0) return explain_template_launch(*launch, place);
  std::string hint = ran_out_of_memory(output)
                         ? core::in_language(less_memory)
                         : tr("Fix the first error first; the others often follow from it.");
  if (const std::string meaning = meaning_of(output); !meaning.empty()) hint = meaning;
  if (const std::string advice = advice_on_constants(output); !advice.empty()) hint = advice;
  if (const std::string_view header = header_that_is_missing(output); !header.empty()) {
    hint = tr("It is declared in a header that is not included: write #include <{}> at the top.",
              header);
    return failure(from_file(cut_to_screenful(first_error(output)), sources, place), hint, place);
  }
  const std::string name = unknown_cuda_name(output);
  if (const std::string kind = kind_of_cuda_name(name); !kind.empty()) {
    return failure(
        told_of_cuda(name, kind, place),
        tr("Grade with --backend cuda on a machine with a GPU and the CUDA Toolkit, or do "
           "without it: docs/cuda-names.md lists what the simulator has."),
        place);
  }
  if (!name.empty()) {
    hint = tr(
        "Neither the simulator nor CUDA{} knows {}: is it spelled right? Headers of samples are no "
        "part of CUDA.",
        listed_toolkit().empty() ? "" : " " + listed_toolkit(), name);
  }
  return failure(from_file(cut_to_screenful(output), sources, place), hint, place);
}

BuildResult explain_link_error(std::string_view output, const std::vector<std::string>& sources,
                               const std::vector<ContractFunction>& functions) {
  for (const ContractFunction& function : functions) {
    if (!misses(output, function.name)) continue;
    return failure(tr("{}(...) is missing or has another signature than {} declares:\n{}",
                      function.name, function.header, function.declaration),
                   tr("Define it with exactly these parameter types, in the global namespace, and "
                      "not static."));
  }
  Place place = first_place(output, sources, false);
  const std::string hint =
      says(output, "undefined")
          ? tr("Something is declared and used, but never defined; is its name spelled alike in "
               "both places?")
          : tr("Two definitions of one name, or a name that Tilewise uses itself; make helpers "
               "static.");
  return failure(cut_to_screenful(output), hint, std::move(place));
}

std::string find_declaration(const std::string& header, const std::string& function) {
  const std::regex pattern("cudaError_t\\s+" + function + R"(\s*\([^)]*\))");
  std::smatch match;
  if (!std::regex_search(header, match, pattern)) return {};
  return std::regex_replace(match.str(), std::regex(R"(\s+)"), " ");
}

std::string cut_to_screenful(std::string_view text) {
  constexpr int screen_lines = 30;
  constexpr std::size_t screen_bytes = 4000;  // 30 lines, some of them long
  std::size_t end = 0;
  for (int lines = 0; lines < screen_lines && end < text.size(); ++lines) {
    const std::size_t next = std::min(text.find('\n', end), text.size() - 1) + 1;
    if (next > screen_bytes) break;
    end = next;
  }
  // The first line alone may be too long.
  if (end == 0) end = std::min(text.size(), screen_bytes);
  std::string cut(text.substr(0, end));
  while (!cut.empty() && cut.back() == '\n') cut.pop_back();
  if (const auto rest = std::count(text.begin() + end, text.end(), '\n'); rest > 0) {
    cut += tr("\n... and {} more lines", rest);
  }
  return cut;
}

}  // namespace tilewise::grading
