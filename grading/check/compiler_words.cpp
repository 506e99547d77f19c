#include "grading/check/compiler_words.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "common/base/language.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

enum class Meaning {
  include_folder,
  preprocessor,  ///< goes to the host's compiler with its value
  standard,
  optimisation,
  language,
  output,
  depfile,
  link,      ///< goes to the linker with its value
  compiler,  ///< its value, words separated by commas, goes to the host's compiler
  only_compiles,
  makes_module,
  nothing,  ///< ignored: it concerns GPUs, or how nvcc works
};

/// An option of nvcc. Its value is the next word, or follows a =, or, for an option of one letter,
/// follows it directly.
struct Option {
  std::string_view name;
  Meaning meaning;
  bool has_value = true;
  std::string_view host_name = {};  ///< the host compiler's name for it, if different
};

constexpr auto options = std::to_array<Option>({
    {"-I", Meaning::include_folder},
    {"--include-path", Meaning::include_folder},
    {"-isystem", Meaning::include_folder},
    {"--system-include", Meaning::include_folder},
    {"-D", Meaning::preprocessor},
    {"--define-macro", Meaning::preprocessor, true, "-D"},
    {"-U", Meaning::preprocessor},
    {"--undefine-macro", Meaning::preprocessor, true, "-U"},
    {"-include", Meaning::preprocessor},
    {"--pre-include", Meaning::preprocessor, true, "-include"},
    {"-std", Meaning::standard},
    {"--std", Meaning::standard},
    {"-O", Meaning::optimisation},
    {"--optimize", Meaning::optimisation},
    {"-x", Meaning::language},
    {"--x", Meaning::language},
    {"-o", Meaning::output},
    {"--output-file", Meaning::output},
    {"-MF", Meaning::depfile},
    {"--dependency-output", Meaning::depfile},
    {"-MD", Meaning::nothing, false},
    {"-MMD", Meaning::nothing, false},
    {"-c", Meaning::only_compiles, false},
    {"-dc", Meaning::only_compiles, false},
    {"--compile", Meaning::only_compiles, false},
    {"--device-c", Meaning::only_compiles, false},
    {"-cubin", Meaning::makes_module, false},
    {"--cubin", Meaning::makes_module, false},
    {"-fatbin", Meaning::makes_module, false},
    {"--fatbin", Meaning::makes_module, false},
    {"-l", Meaning::link},
    {"--library", Meaning::link, true, "-l"},
    {"-L", Meaning::link},
    {"--library-path", Meaning::link, true, "-L"},
    {"-Xcompiler", Meaning::compiler},
    {"--compiler-options", Meaning::compiler},
    {"-Xptxas", Meaning::nothing},
    {"--ptxas-options", Meaning::nothing},
    {"-Xlinker", Meaning::nothing},
    {"-Xcudafe", Meaning::nothing},
    {"-arch", Meaning::nothing},
    {"--gpu-architecture", Meaning::nothing},
    {"-code", Meaning::nothing},
    {"--gpu-code", Meaning::nothing},
    {"-gencode", Meaning::nothing},
    {"--generate-code", Meaning::nothing},
    {"-maxrregcount", Meaning::nothing},
    {"--maxrregcount", Meaning::nothing},
    {"-ccbin", Meaning::nothing},
    {"--compiler-bindir", Meaning::nothing},
    {"-rdc", Meaning::nothing},
    {"--relocatable-device-code", Meaning::nothing},
    {"-cudart", Meaning::nothing},
    {"--cudart", Meaning::nothing},
    {"-diag-suppress", Meaning::nothing},
    {"--diag-suppress", Meaning::nothing},
    {"-t", Meaning::nothing},
    {"--threads", Meaning::nothing},
    {"-m", Meaning::nothing},
    {"-ftz", Meaning::nothing},
    {"-prec-div", Meaning::nothing},
    {"-prec-sqrt", Meaning::nothing},
    {"-fmad", Meaning::nothing},
    {"--fmad", Meaning::nothing},
    {"-default-stream", Meaning::nothing},
    {"--default-stream", Meaning::nothing},
    {"-Werror", Meaning::nothing},
    {"-g", Meaning::nothing, false},
    {"--debug", Meaning::nothing, false},
    {"-pg", Meaning::nothing, false},
    {"-G", Meaning::nothing, false},
    {"--device-debug", Meaning::nothing, false},
    {"-lineinfo", Meaning::nothing, false},
    {"--generate-line-info", Meaning::nothing, false},
    {"-w", Meaning::nothing, false},
    {"-v", Meaning::nothing, false},
    {"--verbose", Meaning::nothing, false},
    {"-res-usage", Meaning::nothing, false},
    {"--resource-usage", Meaning::nothing, false},
    {"-use_fast_math", Meaning::nothing, false},
    {"--use_fast_math", Meaning::nothing, false},
    {"-extended-lambda", Meaning::nothing, false},
    {"--extended-lambda", Meaning::nothing, false},
    {"--expt-extended-lambda", Meaning::nothing, false},
    {"-expt-relaxed-constexpr", Meaning::nothing, false},
    {"--expt-relaxed-constexpr", Meaning::nothing, false},
    {"-restrict", Meaning::nothing, false},
    {"--restrict", Meaning::nothing, false},
});

/// An option as found in a word.
struct Spelled {
  const Option* option;
  std::optional<std::string> value;  ///< the value, if the word itself contains it
};

std::optional<Spelled> spelled(std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  for (const Option& option : options) {
    if (word == option.name) return Spelled{&option, std::nullopt};
    if (option.has_value && name == option.name) {
      return Spelled{&option, std::string(word.substr(name.size() + 1))};
    }
  }
  // The value may follow the letter directly: -Iinclude, -DN=5, -O3, -lm.
  for (const Option& option : options) {
    if (option.has_value && option.name.size() == 2 && word.starts_with(option.name)) {
      return Spelled{&option, std::string(word.substr(2))};
    }
  }
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& words) : words_(words) {}

  CompilerWords read() {
    while (at_ < words_.size() && read_before_files()) ++at_;
    while (at_ < words_.size() && is_program_file(words_[at_])) add_file(words_[at_++]);
    if (at_ < words_.size() && words_[at_] == "--") {
      read_.has_dashes = true;
      ++at_;
    }
    read_.arguments.assign(words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
    if (read_.makes_module) name_module();
    return read_;
  }

 private:
  /// Names the module as nvcc does if there is no -o.
  void name_module() {
    if (read_.sources.size() != 1) {
      throw CannotGrade(tr("-{} makes a module of one file", module_ending_));
    }
    if (!read_.output.empty()) return;
    read_.output = read_.sources.front().filename().replace_extension(module_ending_);
  }

  /// Reads one option.
  /// @return false at the first file, and where the program's arguments begin
  bool read_before_files() {
    const std::string& word = words_[at_];
    if (word == "--" || !word.starts_with('-')) return false;
    const auto found = spelled(word);
    if (!found) {
      throw CannotGrade(
          tr("there is no option {}; options of the program itself go behind its files", word));
    }
    std::string value = found->value.value_or("");
    if (found->option->has_value && !found->value) {
      if (at_ + 1 == words_.size()) throw CannotGrade(tr("{} lacks its value", word));
      value = words_[++at_];
    }
    take(*found->option, value);
    return true;
  }

  void take(const Option& option, const std::string& value) {
    const std::string name(option.host_name.empty() ? option.name : option.host_name);
    switch (option.meaning) {
      case Meaning::include_folder:
        read_.include_folders.emplace_back(value);
        break;
      case Meaning::preprocessor:
        read_.preprocess.insert(read_.preprocess.end(), {name, value});
        break;
      case Meaning::standard:
        read_.compile.push_back("-std=" + value);
        break;
      case Meaning::optimisation:
        read_.compile.push_back("-O" + value);
        break;
      case Meaning::language:
        if (value == "cu") read_.all_are_cuda = true;
        break;
      case Meaning::output:
        read_.output = value;
        break;
      case Meaning::depfile:
        read_.depfile = value;
        break;
      case Meaning::link:
        read_.linked.push_back(name + value);
        break;
      case Meaning::compiler:
        add_host_options(value);
        break;
      case Meaning::only_compiles:
        read_.only_compiles = true;
        break;
      case Meaning::makes_module:
        read_.makes_module = true;
        module_ending_ = name.substr(name.rfind('-') + 1);
        break;
      case Meaning::nothing:
        break;
    }
  }

  void add_host_options(std::string_view list) {
    while (!list.empty()) {
      const std::string_view word = list.substr(0, list.find(','));
      read_.compile.emplace_back(word);
      list.remove_prefix(std::min(list.size(), word.size() + 1));
    }
  }

  void add_file(const std::string& word) {
    const fs::path extension = fs::path(word).extension();
    if (extension == ".o" || extension == ".a" || extension == ".so") {
      read_.linked.push_back(word);
    } else {
      read_.sources.emplace_back(word);
    }
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  std::string module_ending_;
  CompilerWords read_;
};

}  // namespace

CompilerWords read_compiler_words(const std::vector<std::string>& words) {
  return Reader(words).read();
}

bool is_program_file(std::string_view word) {
  static constexpr auto endings = std::to_array<std::string_view>(
      {".cu", ".cpp", ".cc", ".cxx", ".c++", ".C", ".c", ".o", ".a", ".so"});
  const std::string extension = fs::path(word).extension();
  return !word.starts_with('-') && std::ranges::find(endings, extension) != endings.end();
}

bool takes_next_word(std::string_view option) {
  const auto found = spelled(option);
  return found && found->option->has_value && !found->value;
}

}  // namespace tilewise::grading
