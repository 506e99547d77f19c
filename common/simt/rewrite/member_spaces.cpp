#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/variables.hpp"

namespace tilewise::simt::rewriting {
namespace {

/// A function with a body in a class of the file.
struct Member {
  std::string_view of_class, name;
  std::size_t body, end;
  bool on_device;
};

// For each call, its function and all members are searched, and no submission may hold the grader
// up.
constexpr std::size_t most_members = 200;
constexpr int most_calls = 300;

/// Checks the calls of member functions in the device code of one file. What another file defines,
/// or a macro, is taken to be right.
class MemberChecker {
 public:
  MemberChecker(const Outline& outline, const std::set<std::string_view>& macros,
                std::vector<RewriteError>& errors)
      : outline_(outline),
        code_(outline.code()),
        macros_(macros),
        errors_(errors),
        functions_(functions_of(outline)) {
    for (const WrittenFunction& function : functions_) {
      const std::size_t name = function.parameters - 1;
      if (outline_.scope(name) != Scope::type || members_.size() == most_members) continue;
      const std::string_view of_class = class_around(name);
      if (of_class.empty()) continue;
      const bool may_be_on_device =
          function.is_of_device || has_macro(statement_begin(name), function.body);
      members_.push_back(
          {of_class, code_[name].text, function.body, function.end, may_be_on_device});
    }
  }

  void run() {
    for (const WrittenFunction& function : functions_) {
      const std::size_t name = function.parameters - 1, begin = statement_begin(name);
      if (!function.is_of_device || says(begin, name, "__host__")) continue;
      if (says(function.body, function.end, "__device__")) continue;  // it defines others within
      for (std::size_t i = function.body + 1; i < function.end; ++i) check_call(function, i);
    }
  }

 private:
  bool says(std::size_t from, std::size_t to, std::string_view word) const {
    return std::any_of(code_.begin() + std::ptrdiff_t(from), code_.begin() + std::ptrdiff_t(to),
                       [&](const Token& token) { return token.is(word); });
  }
  bool has_macro(std::size_t from, std::size_t to) const {
    return std::any_of(code_.begin() + std::ptrdiff_t(from), code_.begin() + std::ptrdiff_t(to),
                       [&](const Token& token) { return macros_.contains(token.text); });
  }
  std::size_t statement_begin(std::size_t index) const {
    while (index > 0 && !code_[index - 1].is(";") && !code_[index - 1].is("{") &&
           !code_[index - 1].is("}")) {
      --index;
    }
    return index;
  }

  /// Returns the name of the class whose body holds a token.
  std::string_view class_around(std::size_t index) const {
    const auto brace = block_around(outline_, index);
    if (!brace) return "";
    // A template's parameters, which may be called classes, too, come first.
    for (std::size_t i = *brace; i-- > statement_begin(*brace);) {
      if (!code_[i].is("struct") && !code_[i].is("class")) continue;
      std::size_t name = i + 1;
      while (name + 1 < *brace && code_[name + 1].is("(")) name = outline_.behind(name + 1);
      return code_[name].is_name() ? code_[name].text : "";
    }
    return "";
  }

  /// Whether a function declares a variable, or has a parameter, of a class: `Tile<8> a`, `const
  /// Tile& a`.
  bool declares(const WrittenFunction& function, std::string_view of_class,
                std::string_view variable) const {
    for (std::size_t i = function.parameters; i + 2 < function.end; ++i) {
      if (!code_[i].is(of_class)) continue;
      std::size_t next = i + 1;
      if (code_[next].is("<")) next = outline_.template_close(next).value_or(next) + 1;
      while (code_[next].is("&") || code_[next].is("*") || code_[next].is("const")) ++next;
      if (code_[next].is(variable)) return true;
    }
    return false;
  }

  /// Returns the class whose member the name belongs to, as far as the function tells.
  std::string_view class_of_call(const WrittenFunction& function, std::size_t name) const {
    const Token &before = code_[name - 1], &object = code_[name - 2];
    for (const Member& member : members_) {
      if (member.name != code_[name].text) continue;
      const bool is_of_object = (before.is(".") || before.is("->")) && object.is_name() &&
                                declares(function, member.of_class, object.text);
      const bool is_own = member.of_class == class_around(function.parameters - 1) &&
                          !before.is(".") && !before.is("->") && !before.is("::") &&
                          (!before.is_name() || before.is("return"));
      const bool is_qualified = before.is("::") && object.is(member.of_class);
      if (is_of_object || is_own || is_qualified) return member.of_class;
    }
    return "";
  }

  void check_call(const WrittenFunction& function, std::size_t name) {
    const bool is_call =
        code_[name].is_name() && code_[name + 1].is("(") &&
        std::ranges::find(members_, code_[name].text, &Member::name) != members_.end();
    if (!is_call || ++calls_ > most_calls || macros_.contains(code_[name].text) ||
        is_unevaluated(outline_, name))
      return;
    const std::string_view of_class = class_of_call(function, name);
    // Objects of two classes may have one name in two scopes.
    const auto may_be_meant = [&](const Member& member) {
      return member.on_device && member.name == code_[name].text &&
             (member.of_class == of_class ||
              declares(function, member.of_class, code_[name - 2].text));
    };
    if (of_class.empty() || std::ranges::any_of(members_, may_be_meant)) return;
    // A member that is only declared here may be a function of the device, too.
    for (std::size_t i = 1; i + 1 < code_.size(); ++i) {
      const bool is_declared = outline_.scope(i) == Scope::type && code_[i].is(code_[name].text) &&
                               code_[i + 1].is("(") && !is_defined(i);
      if (is_declared) return;
    }
    errors_.push_back(
        {code_[name].line,
         tr("device code calls {0} of {1}, a host function, which nvcc refuses: write __host__ "
            "__device__ before its declaration in {1}",
            code_[name].text, of_class)});
  }

  bool is_defined(std::size_t name) const {
    return std::ranges::any_of(functions_, [&](const WrittenFunction& function) {
      return function.parameters == name + 1 || (function.body < name && name < function.end);
    });
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  const std::set<std::string_view>& macros_;
  std::vector<RewriteError>& errors_;
  std::vector<WrittenFunction> functions_;
  std::vector<Member> members_;
  int calls_ = 0;
};

}  // namespace

void check_spaces_of_members(const Outline& outline, const std::set<std::string_view>& macros,
                             std::vector<RewriteError>& errors) {
  MemberChecker(outline, macros, errors).run();
}

}  // namespace tilewise::simt::rewriting
