#include "common/simt/whole_copies/whole_copies.hpp"

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

namespace tilewise::simt {
namespace {

/// One side of a copy: `ptr align 16 %4`, or before LLVM 15 `i8* align 16 %4`.
struct Side {
  std::string_view type;
  unsigned alignment;
  std::string_view value;
};

struct Copy {
  std::string_view indent;
  Side to, from;
  unsigned bytes;
  std::string_view debug_location;  ///< `, !dbg !28`
};

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<unsigned> take_number(std::string_view& text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The arguments of a call, `text` beginning behind its parenthesis; what follows the call stays in
/// `text`. Values may be expressions in parentheses, and names may be quoted.
std::vector<std::string_view> take_arguments(std::string_view& text) {
  std::vector<std::string_view> arguments;
  std::size_t begin = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    const bool ends = depth == 0 && (c == ',' || c == ')');
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (!ends) continue;
    arguments.push_back(text.substr(begin, i - begin));
    begin = i + 2;  // a comma and a blank
    if (c == ')') {
      text.remove_prefix(i + 1);
      break;
    }
  }
  return arguments;
}

std::optional<Side> parse_side(std::string_view argument) {
  Side side{};
  for (const std::string_view type : {"ptr", "i8*"}) {
    if (take(argument, type)) side.type = type;
  }
  if (side.type.empty() || !take(argument, " align ")) return {};
  const auto alignment = take_number(argument);
  if (!alignment || !take(argument, " ")) return {};
  side.alignment = *alignment;
  side.value = argument;
  return side;
}

std::optional<Copy> parse_copy(std::string_view line) {
  Copy copy{};
  copy.indent = line.substr(0, line.find_first_not_of(' '));
  line.remove_prefix(copy.indent.size());
  if (!take(line, "call void @llvm.memcpy.p0") && !take(line, "call void @llvm.memmove.p0")) {
    return {};
  }
  line.remove_prefix(std::min(line.find('('), line.size()));
  if (!take(line, "(")) return {};
  const std::vector<std::string_view> arguments = take_arguments(line);
  if (arguments.size() != 4 || arguments[3] != "i1 false") return {};  // volatile, if true
  const auto to = parse_side(arguments[0]), from = parse_side(arguments[1]);
  std::string_view size = arguments[2];
  if (!to || !from || !take(size, "i64 ")) return {};
  const auto bytes = take_number(size);
  if (!bytes || !size.empty()) return {};
  copy.to = *to;
  copy.from = *from;
  copy.bytes = *bytes;
  if (const std::size_t at = line.find(", !dbg !"); at != line.npos) {
    copy.debug_location = line.substr(at, line.find(',', at + 1) - at);
  }
  return copy;
}

/// A vector, because SROA splits integers, too. Of words where it can be, as most elements are.
std::string_view vector_type(const Copy& copy) {
  if (copy.to.alignment < copy.bytes || copy.from.alignment < copy.bytes) return {};
  switch (copy.bytes) {
    case 2:
      return "<2 x i8>";
    case 4:
      return "<4 x i8>";
    case 8:
      return "<2 x i32>";
    case 16:
      return "<4 x i32>";
    default:
      return {};  // one byte, or more than a thread moves at a time
  }
}

/// Appends a line, if need be with a name for a pointer to vectors. Returns what the pointer is
/// called.
std::string pointer_to_vector(const Copy& copy, const Side& side, std::string_view vector,
                              const std::string& name, std::string& result) {
  if (side.type == "ptr") return "ptr " + std::string(side.value);
  const std::string type = std::string(vector) + "*";
  result.append(copy.indent).append(name).append(" = bitcast i8* ").append(side.value);
  result.append(" to ").append(type).append(copy.debug_location).append("\n");
  return type + " " + name;
}

void append_whole(const Copy& copy, std::string_view vector, const std::string& number,
                  std::string& result) {
  const std::string value = "%tilewise.whole." + number;
  const std::string from =
      pointer_to_vector(copy, copy.from, vector, "%tilewise.from." + number, result);
  const std::string to = pointer_to_vector(copy, copy.to, vector, "%tilewise.to." + number, result);
  const auto alignment = [](const Side& side) {
    return ", align " + std::to_string(side.alignment);
  };
  result.append(copy.indent).append(value).append(" = load ").append(vector).append(", ");
  result.append(from).append(alignment(copy.from)).append(copy.debug_location).append("\n");
  result.append(copy.indent).append("store ").append(vector).append(" ").append(value);
  result.append(", ")
      .append(to)
      .append(alignment(copy.to))
      .append(copy.debug_location)
      .append("\n");
}

}  // namespace

std::string with_whole_copies(std::string_view llvm_text) {
  std::string result;
  result.reserve(llvm_text.size());
  int copies = 0;
  while (!llvm_text.empty()) {
    const std::string_view line = llvm_text.substr(0, llvm_text.find('\n'));
    const auto copy = parse_copy(line);
    const std::string_view vector = copy ? vector_type(*copy) : std::string_view();
    if (vector.empty()) {
      result.append(line).append("\n");
    } else {
      append_whole(*copy, vector, std::to_string(++copies), result);
    }
    llvm_text.remove_prefix(std::min(line.size() + 1, llvm_text.size()));
  }
  return result;
}

}  // namespace tilewise::simt
