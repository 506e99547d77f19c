#include "common/simt/whole_copies/whole_copies.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
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

/// Returns the arguments of a call, where `text` begins behind the opening parenthesis; afterwards
/// `text` holds what follows the call. Values may be expressions in parentheses, and names may be
/// quoted.
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

// A GPU's thread moves no more at a time. Copies of more pieces are left to the sanitizer, which
// reports them word by word: a structure of hundreds of elements is no vector.
constexpr unsigned most_bytes = 16, most_pieces = 16;

/// The number of bytes that are moved at a time: as many as both sides are aligned to, as on a GPU.
/// 0 if the copy is not to be rewritten.
unsigned bytes_of_piece(const Copy& copy) {
  const unsigned piece = std::min({copy.to.alignment, copy.from.alignment, most_bytes});
  const bool fits = copy.bytes > 1 && copy.bytes % piece == 0 && copy.bytes / piece <= most_pieces;
  return fits ? piece : 0;
}

/// The type of a piece: a vector, because SROA splits integers, too. It has words as elements if
/// possible, as most objects do.
std::string_view piece_type(unsigned bytes) {
  switch (bytes) {
    case 1:
      return "i8";
    case 2:
      return "<2 x i8>";
    case 4:
      return "<4 x i8>";
    case 8:
      return "<2 x i32>";
    default:
      return "<4 x i32>";
  }
}

/// Writes the instructions of one copy.
class Pieces {
 public:
  Pieces(const Copy& copy, unsigned piece, int number, std::string& result)
      : copy_(copy), piece_(piece), type_(piece_type(piece)), number_(number), result_(result) {}

  void write() {
    // The sides may overlap, so everything is loaded first. No alignment is promised: an
    // instruction that relies on it would end the kernel before the access could be judged.
    for (unsigned at = 0; at < copy_.bytes; at += piece_) {
      const std::string from = pointer(copy_.from, "from", at);
      line(name("whole", at) + " = load " + type_ + ", " + from + ", align 1");
    }
    for (unsigned at = 0; at < copy_.bytes; at += piece_) {
      const std::string to = pointer(copy_.to, "to", at);
      line("store " + type_ + " " + name("whole", at) + ", " + to + ", align 1");
    }
  }

 private:
  std::string name(const std::string& what, unsigned at) const {
    return "%tilewise." + what + "." + std::to_string(number_) + "." + std::to_string(at);
  }

  void line(const std::string& instruction) {
    result_.append(copy_.indent).append(instruction).append(copy_.debug_location).append("\n");
  }

  /// Writes and names a pointer to one piece; returns it with its type.
  std::string pointer(const Side& side, const std::string& what, unsigned at) {
    const std::string type(side.type);
    std::string value(side.value);
    if (at != 0) {
      const std::string here = name(what, at);
      line(here + " = getelementptr inbounds i8, " + type + " " + value + ", i64 " +
           std::to_string(at));
      value = here;
    }
    if (type == "ptr") return "ptr " + value;
    const std::string typed = name(what + ".typed", at);
    line(typed + " = bitcast " + type + " " + value + " to " + type_ + "*");
    return type_ + "* " + typed;
  }

  const Copy& copy_;
  unsigned piece_;
  std::string type_;
  int number_;
  std::string& result_;
};

/// Appends a line without the alignment that it states for references: a float4 & that refers to an
/// odd address must not end the kernel, either.
void append_without_alignment_of_references(std::string_view line, std::string& result) {
  constexpr std::string_view alignment = " align ", end = " dereferenceable(";
  std::size_t copied = 0;
  for (std::size_t at = line.find(end); at != line.npos; at = line.find(end, at + 1)) {
    const std::size_t begin = line.rfind(alignment, at);
    if (begin == line.npos || begin < copied) continue;
    std::string_view number = line.substr(begin + alignment.size(), at - begin - alignment.size());
    if (!take_number(number) || !number.empty()) continue;
    result.append(line.substr(copied, begin - copied));
    copied = at;
  }
  result.append(line.substr(copied)).append("\n");
}

/// Whether a line declares a handler of undefined behaviour. A handler notes the behaviour and
/// touches none of the kernel's memory, so what was loaded before a check need not be loaded again
/// behind it. g++ knows that by itself.
bool declares_handler(std::string_view line) {
  return line.starts_with("declare void @__ubsan_handle_");
}

void append_as_harmless(std::string_view declaration, std::string& result) {
  const std::size_t end = declaration.rfind(')') + 1;
  result.append(declaration.substr(0, end)).append(" inaccessiblememonly");
  result.append(declaration.substr(end)).append("\n");
}

}  // namespace

std::string with_whole_copies(std::string_view llvm_text) {
  std::string result;
  result.reserve(llvm_text.size());
  int copies = 0;
  while (!llvm_text.empty()) {
    const std::string_view line = llvm_text.substr(0, llvm_text.find('\n'));
    const auto copy = parse_copy(line);
    if (const unsigned piece = copy ? bytes_of_piece(*copy) : 0; piece != 0) {
      Pieces(*copy, piece, ++copies, result).write();
    } else if (declares_handler(line)) {
      append_as_harmless(line, result);
    } else {
      append_without_alignment_of_references(line, result);
    }
    llvm_text.remove_prefix(std::min(line.size() + 1, llvm_text.size()));
  }
  return result;
}

std::string with_return_thunks(std::string_view assembly) {
  std::string text;
  bool is_noted = false;  // whether it is known where this line's function returns to
  while (!assembly.empty()) {
    const std::size_t end = std::min(assembly.find('\n'), assembly.size() - 1) + 1;
    const std::string_view line = assembly.substr(0, end);
    if (line == "\t.cfi_startproc\n") is_noted = false;
    if (line == "\tcallq\t__fentry__\n") is_noted = true;
    const bool returns = line == "\tretq\n" || line == "\tret\n";
    text += is_noted && returns ? "\tjmp\t__x86_return_thunk\n" : line;
    assembly.remove_prefix(end);
  }
  return text;
}

}  // namespace tilewise::simt
