#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace tilewise::simt::rewriting {
namespace {

constexpr std::array<std::string_view, 12> no_types = {
    "return", "else", "case",      "throw",  "do",       "new",
    "delete", "goto", "co_return", "sizeof", "typename", "operator"};
constexpr std::array<std::string_view, 4> places_in_grid = {"threadIdx", "blockIdx", "blockDim",
                                                            "gridDim"};

template <class Words>
bool is_one_of(const Token& token, const Words& words) {
  return std::find(words.begin(), words.end(), token.text) != words.end();
}

/// The execution spaces in which a function may run.
struct Space {
  bool is_kernel = false, on_device = false, on_host = false;
  bool is_defined = false;  ///< defined in this file; a mere declaration may belong to another
  bool is_constexpr = false;
};

/// A function of the file, outside of classes.
struct FileFunction {
  std::size_t name;
  std::size_t parameters;  ///< the opening parenthesis
  std::size_t body = 0;    ///< the opening brace; 0: only declared
  Space space = {};
  std::size_t fewest = 0, most = 0;  ///< numbers of arguments that it takes
  /// The { of the named namespace around it; none: it is visible everywhere.
  std::optional<std::size_t> home = {};
};

/// Checks the functions of one file by their tokens alone: uses of macros, members and qualified
/// names are taken to be right.
class SpaceChecker {
 public:
  SpaceChecker(const Outline& outline, const std::set<std::string_view>& macros,
               const std::set<std::string, std::less<>>& words_elsewhere,
               std::vector<RewriteError>& errors)
      : outline_(outline),
        code_(outline.code()),
        macros_(macros),
        words_elsewhere_(words_elsewhere),
        errors_(errors) {
    for (std::size_t i = 1; i + 1 < code_.size(); ++i) {
      if (code_[i].is("{") && opens_named_namespace(i)) namespaces_.push_back(i);
      while (!namespaces_.empty() && outline_.partner(namespaces_.back()).value_or(i) <= i) {
        namespaces_.pop_back();
      }
      find_function(i);
    }
  }

  void run() {
    for (const FileFunction& function : functions_) {
      if (function.space.is_kernel) check_return_type(function);
      if (function.space.is_kernel) check_parameters(function);
      if (function.body != 0) check_body(function);
      if (function.body != 0) check_end(function);
    }
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (code_[i].is("__shared__") && outline_.scope(i) == Scope::block) check_end_before(i);
    }
  }

 private:
  std::size_t statement_begin(std::size_t index) const {
    while (index > 0 && !code_[index - 1].is(";") && !code_[index - 1].is("{") &&
           !code_[index - 1].is("}")) {
      --index;
    }
    return index;
  }

  bool says(std::size_t from, std::size_t to, std::string_view word) const {
    return std::any_of(code_.begin() + static_cast<std::ptrdiff_t>(from),
                       code_.begin() + static_cast<std::ptrdiff_t>(to),
                       [&](const Token& token) { return token.is(word); });
  }

  void find_function(std::size_t name) {
    const bool begins_a_declarator = outline_.scope(name) == Scope::file &&
                                     code_[name].kind == TokenKind::identifier &&
                                     code_[name + 1].is("(") && !outline_.takes_parentheses(name) &&
                                     !code_[name].is("__launch_bounds__");
    if (!begins_a_declarator) return;
    const Token& before = code_[name - 1];
    const bool follows_type =
        (before.kind == TokenKind::identifier && !is_one_of(before, no_types)) || before.is("*") ||
        before.is("&") || before.is(">");
    const auto close = outline_.partner(name + 1);
    if (!follows_type || !close || *close + 1 >= code_.size()) return;
    std::size_t end = *close + 1;
    while (end + 1 < code_.size() && code_[end].is("noexcept")) ++end;
    const bool is_definition = code_[end].is("{") && outline_.partner(end);
    if (!is_definition && !code_[end].is(";")) return;
    FileFunction function{name, name + 1, is_definition ? end : 0, space_of(name)};
    function.space.is_defined = is_definition;
    const auto parameters = outline_.parts_between(name + 1, *close);
    for (const Part& part : parameters) {
      const bool is_void = part.end - part.first == 1 && code_[part.first].is("void");
      if (!is_void) ++function.most;
      if (!is_void && !says(part.first, part.end, "=")) ++function.fewest;
    }
    if (says(name + 1, *close, "...")) function.fewest = 0, function.most = code_.size();
    if (!namespaces_.empty()) function.home = namespaces_.back();
    functions_.push_back(function);
    const bool is_alone = !words_elsewhere_.contains(code_[name].text);
    if (is_alone) by_name_[code_[name].text].push_back(function);
  }

  /// Whether a brace opens a namespace, `namespace a::b {`. An unnamed one does not count, because
  /// the whole file sees its contents.
  bool opens_named_namespace(std::size_t brace) const {
    const std::size_t begin = statement_begin(brace);
    return outline_.scope(brace) == Scope::file && says(begin, brace, "namespace") &&
           !code_[brace - 1].is("namespace");
  }

  /// Returns the functions of this name that a call with so many arguments may refer to.
  std::vector<Space> candidates(std::size_t name, std::optional<std::size_t> arguments) const {
    std::vector<Space> found;
    const auto named = by_name_.find(code_[name].text);
    if (named == by_name_.end()) return found;
    for (const FileFunction& function : named->second) {
      const bool is_seen =
          !function.home || (*function.home < name && name < *outline_.partner(*function.home));
      const bool takes_them =
          !arguments || (*arguments >= function.fewest && *arguments <= function.most);
      if (is_seen && takes_them) found.push_back(function.space);
    }
    return found;
  }

  Space space_of(std::size_t name) const {
    const std::size_t begin = statement_begin(name);
    if (has_macro(begin, name + 1)) return {false, true, true};
    const bool on_device = says(begin, name, "__device__");
    const bool is_kernel = says(begin, name, "__global__");
    const bool on_host = says(begin, name, "__host__") || (!on_device && !is_kernel);
    return {.is_kernel = is_kernel,
            .on_device = on_device,
            .on_host = on_host,
            .is_constexpr = says(begin, name, "constexpr")};
  }

  void check_return_type(const FileFunction& kernel) {
    const std::size_t begin = statement_begin(kernel.name);
    if (says(begin, kernel.name, "void") || says(begin, kernel.name, "auto")) return;
    const std::string name(code_[kernel.name].text);
    if (says(begin, kernel.name, "cudaError_t")) {
      return report(kernel.name,
                    tr("{} returns a cudaError_t, as what the host calls does: take __global__ "
                       "away, which stands before kernels alone",
                       name));
    }
    report(kernel.name,
           tr("a __global__ function returns nothing: write __global__ void {}(...)", name));
  }

  /// CUDA C++ Programming Guide, "Function Parameters": a kernel takes no parameter by reference.
  /// nvcc says nothing; a GPU then reads an address of the host.
  void check_parameters(const FileFunction& kernel) {
    const auto close = outline_.partner(kernel.parameters);
    for (const Part& part : outline_.parts_between(kernel.parameters, *close)) {
      std::size_t end = part.first;  // the end of the declaration, before a default argument
      while (end < part.end && !code_[end].is("=")) ++end;
      for (std::size_t i = part.first; i < end; ++i) {
        if (code_[i].is("<")) i = outline_.template_close(i).value_or(i);
        if (code_[i].is("(")) i = outline_.partner(i).value_or(i);
        if (!code_[i].is("&") && !code_[i].is("&&")) continue;
        report(kernel.name,
               tr("the kernel {} takes {} by reference, to memory of the host, which a GPU does "
                  "not see: its parameters are copied to the device, so leave out the &",
                  code_[kernel.name].text, code_[end - 1].text));
        break;
      }
    }
  }

  /// Looks for a status function whose last statement is a launch: execution that runs past its end
  /// continues in whatever code lies behind it.
  void check_end(const FileFunction& function) {
    if (!says(statement_begin(function.name), function.name, "cudaError_t")) return;
    const std::size_t close = *outline_.partner(function.body);
    if (!code_[close - 1].is(";")) return;  // it ends with a block, which may return
    std::size_t last = close - 1;
    while (!code_[last - 1].is(";") && !code_[last - 1].is("{")) {
      static constexpr std::array<std::string_view, 5> go_on = {")", ",", "(", ";", "."};
      const bool ends_a_block = code_[last - 1].is("}") && !is_one_of(code_[last], go_on);
      if (ends_a_block) break;  // otherwise it ends a lambda or list of this statement
      last = outline_.partner(last - 1).value_or(last - 1);
    }
    // Any other statement may never end or may end the program, and a macro may return.
    const bool is_launch = launches_itself(last, close) && !code_[last].is("return");
    if (!is_launch || has_macro(last, close)) return;
    report(close, tr("{} ends without a return statement: return cudaGetLastError();",
                     code_[function.name].text));
  }

  /// Whether a statement is a launch itself, and not a call with a launch among its arguments.
  bool launches_itself(std::size_t from, std::size_t to) const {
    for (std::size_t i = from; i < to; ++i) {
      if (code_[i].is("<<<")) return true;
      if (code_[i].is("(") || code_[i].is("{")) i = outline_.partner(i).value_or(i);
    }
    return false;
  }

  /// Returns the names that a function declares itself and that hide others.
  std::set<std::string_view> declared_in(const FileFunction& function) const {
    std::set<std::string_view> names;
    for (std::size_t i = function.parameters; i < *outline_.partner(function.body); ++i) {
      const Token& before = code_[i - 1];
      const bool follows_type =
          (before.kind == TokenKind::identifier && !is_one_of(before, no_types)) ||
          ((before.is("*") || before.is("&")) && code_[i - 2].kind == TokenKind::identifier &&
           i + 1 < code_.size() && !code_[i + 1].is("("));
      if (code_[i].kind == TokenKind::identifier && follows_type) names.insert(code_[i].text);
    }
    return names;
  }

  void check_body(const FileFunction& function) {
    const Space& caller = function.space;
    const bool runs_anywhere = caller.on_host && (caller.on_device || caller.is_kernel);
    // Lambdas and members of local classes may have execution spaces of their own.
    const bool has_others_within =
        says(function.body, *outline_.partner(function.body), "__device__");
    if (runs_anywhere || has_others_within) return;
    const std::set<std::string_view> own = declared_in(function);
    // If the function is launched, that error is reported instead.
    bool may_tell_of_places = caller.on_host && !is_launched(code_[function.name].text);
    for (std::size_t i = function.body + 1; i < *outline_.partner(function.body); ++i) {
      const Token& before = code_[i - 1];
      const bool is_member = before.is(".") || before.is("->") || before.is("::");
      if (!is_member && code_[i].kind == TokenKind::identifier && !own.contains(code_[i].text)) {
        check_name(caller, i);
      }
      if (code_[i].kind != TokenKind::identifier || is_member || own.contains(code_[i].text)) {
        continue;
      }
      if (may_tell_of_places && is_one_of(code_[i], places_in_grid)) {
        may_tell_of_places = false;
        report(i, tr("{} is known to kernels alone, and this is host code: compute with the "
                     "function's arguments, or do it in the kernel",
                     code_[i].text));
      }
      if (by_name_.contains(code_[i].text)) check_use(caller, i);
      const bool is_extern = says(statement_begin(i), i, "extern") || code_[i + 1].is("extern");
      if (code_[i].is("__shared__") && !is_extern && caller.on_host &&
          !is_launched(code_[function.name].text)) {
        report(i,
               tr("shared memory belongs to a block of a kernel, and this is host code, where nvcc "
                  "refuses it: declare the array in the kernel"));
      }
    }
  }

  /// Checks a name that is not a function of the file.
  void check_name(const Space& caller, std::size_t name) {
    // A macro's name may stand for anything.
    if (by_name_.contains(code_[name].text) || macros_.contains(code_[name].text)) return;
    if (!caller.on_host) {
      auto problem = host_library_call(outline_, name, used_of_std_);
      if (problem && !is_unevaluated(outline_, name)) report(name, std::move(*problem));
    }
    const auto variable = device_variables_.find(code_[name].text);
    if (!caller.on_host || variable == device_variables_.end()) return;
    if (words_elsewhere_.contains(code_[name].text)) return;
    if (auto problem = host_use_of_variable(outline_, name, variable->second)) {
      report(name, std::move(*problem));
    }
  }

  bool is_launched(std::string_view name) const {
    for (std::size_t i = 0; i + 1 < code_.size(); ++i) {
      if (!code_[i].is(name)) continue;
      const auto close = code_[i + 1].is("<") ? outline_.template_close(i + 1) : i;
      if (close && *close + 1 < code_.size() && code_[*close + 1].is("<<<")) return true;
    }
    return false;
  }

  void check_use(const Space& caller, std::size_t name) {
    const std::string called(code_[name].text);
    std::size_t next = name + 1;
    if (code_[next].is("<")) next = outline_.template_close(name + 1).value_or(name) + 1;
    if (next >= code_.size()) return;
    if (is_half_a_launch(name)) {
      return report(name, tr("a launch has three brackets on each side: write "
                             "{0}<<<grid, block>>>(arguments)",
                             called));
    }
    const bool is_launch = code_[next].is("<<<");
    if (!is_launch && !code_[next].is("(")) return;
    const std::vector<Space> callees =
        candidates(name, is_launch ? std::nullopt : arguments_at(next));
    if (callees.empty()) return;  // the function belongs to another file
    const auto any = [&](bool Space::*where) {
      return std::any_of(callees.begin(), callees.end(),
                         [&](const Space& space) { return space.*where; });
    };
    if (is_launch) {
      if (any(&Space::is_kernel) || (any(&Space::on_device) && any(&Space::on_host))) return;
      return report(
          name,
          tr("{0} is no kernel, and is launched: declare it __global__ void {0}(...)", called));
    }
    const bool is_kernel = std::all_of(callees.begin(), callees.end(),
                                       [](const Space& space) { return space.is_kernel; });
    if (is_kernel) {
      return report(name, tr("{0} is a kernel, which is launched and not called: write "
                             "{0}<<<grid, block>>>(arguments)",
                             called));
    }
    if (!caller.on_host && !any(&Space::on_device) && any(&Space::is_defined) &&
        !is_unevaluated(outline_, name)) {
      report(name, any(&Space::is_constexpr)
                       ? tr("device code calls {}, a host function though it is constexpr, which "
                            "nvcc refuses: write __host__ __device__ before its declaration",
                            called)
                       : tr("device code calls {}, a host function, which nvcc refuses: write "
                            "__host__ __device__ before its declaration",
                            called));
    }
    if (caller.on_host && !any(&Space::on_host)) {
      report(name, tr("host code calls {}, a __device__ function, which nvcc refuses: write "
                      "__host__ __device__ before its declaration, or call it in a kernel",
                      called));
    }
  }

  /// Whether the launch is written `kernel<<grid, block>>(A)`, which shifts bits.
  bool is_half_a_launch(std::size_t name) const {
    const std::vector<Space> named = candidates(name, std::nullopt);
    return !named.empty() && code_[name + 1].is("<<") &&
           std::all_of(named.begin(), named.end(),
                       [](const Space& space) { return space.is_kernel; });
  }

  /// Returns the number of a call's arguments; nothing where the tokens do not tell it.
  std::optional<std::size_t> arguments_at(std::size_t open) const {
    const auto close = outline_.partner(open);
    if (!close) return std::nullopt;
    const bool is_unclear =
        says(open, *close, "<") || says(open, *close, "...") || has_macro(open, *close);
    if (is_unclear) return std::nullopt;
    return outline_.parts_between(open, *close).size();
  }

  bool has_macro(std::size_t from, std::size_t to) const {
    return std::any_of(code_.begin() + static_cast<std::ptrdiff_t>(from),
                       code_.begin() + static_cast<std::ptrdiff_t>(to),
                       [&](const Token& token) { return macros_.contains(token.text); });
  }

  /// Looks for `sum = 0.0f __shared__ float As[16];`, where the line before is at fault.
  void check_end_before(std::size_t shared) {
    const std::size_t begin = statement_begin(shared);
    if (begin == shared || !says(begin, shared, "=")) return;
    report(shared - 1, tr("expected ';' at the end of this line, before __shared__"));
  }

  void report(std::size_t index, std::string message) {
    errors_.push_back({code_[index].line, std::move(message)});
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  const std::set<std::string_view>& macros_;
  const std::set<std::string, std::less<>>& words_elsewhere_;
  std::vector<RewriteError>& errors_;
  std::vector<FileFunction> functions_;
  std::map<std::string_view, std::vector<FileFunction>> by_name_;
  const std::set<std::string_view> used_of_std_ = used_of_std(outline_);
  const std::map<std::string_view, bool> device_variables_ = device_variables_of(outline_);
  std::vector<std::size_t> namespaces_;  ///< the named namespaces around the current token
};

}  // namespace

void check_execution_spaces(const std::vector<Token>& tokens, const Outline& outline,
                            const std::set<std::string_view>& macros,
                            const std::set<std::string, std::less<>>& words_elsewhere,
                            std::vector<RewriteError>& errors) {
  // With such conditionals, only the compiler knows which branches are device code.
  const bool depends_on_pass = std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.is("__CUDA_ARCH__") || token.is("__CUDACC__");
  });
  if (depends_on_pass) return;
  SpaceChecker(outline, macros, words_elsewhere, errors).run();
  check_spaces_of_members(outline, macros, errors);
}

}  // namespace tilewise::simt::rewriting
