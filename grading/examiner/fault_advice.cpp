#include "grading/examiner/fault_advice.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

#include "common/base/language.hpp"

namespace tilewise::grading {
namespace {

/// Returns what to do about a fault of one of the kinds that core::Finding lists.
std::string advise_on_fault(const std::string& kind) {
  static const std::map<std::string, std::string> advice = {
      {"out-of-bounds", tr("Work out the index for this thread, and compare it with the sides of "
                           "the array or matrix: "
                           "a thread that hangs over an edge must not make the access, and once "
                           "the last tile is there "
                           "nothing is left to fetch ahead of time.")},
      {"misaligned", tr("A float2, float4 or double can be accessed only where its size divides "
                        "the address: check "
                        "the offset, also for an n that is no multiple of it. In an array with two "
                        "indices the size of a row decides, its padding included: of floats that "
                        "are read as float4 it must be a multiple of 4.")},
      {"uninitialised",
       tr("Find the store that should have come first: a load that is left out at an edge, a "
          "thread that returned before it, a barrier that comes too late, or a sum that starts "
          "from "
          "what C held.")},
      {"above-diagonal", tr("Only the lower triangle of A, with its diagonal, is the matrix: what "
                            "lies above may hold "
                            "anything, NaN too. Stop the loop over a row at its diagonal, and test "
                            "col <= row before a "
                            "load.")},
      {"race",
       tr("Within a block a __syncthreads() that all threads reach must stand between the two: one "
          "after the tiles are filled, and one before they are filled again. Blocks cannot wait "
          "for "
          "each other, so each element must belong to one of them.")},
      {"warp-race",
       tr("The threads of a warp need not run in step: put a __syncwarp(), or a __syncthreads(), "
          "between the two.")},
      {"read-only",
       tr("Look for a store through a wrong pointer, or for arguments in a wrong order.")},
      {"host-pointer",
       tr("Hand the kernel pointers from cudaMalloc or from the function's arguments, never the "
          "address of something on the host.")},
      {"host-call",
       tr("Call __device__ functions of your own, and let pointers be set on the device. Here a "
          "kernel "
          "takes what stands for the host under #ifdef __CUDA_ARCH__.")},
      {"reset",
       tr("Leave cudaDeviceReset() to programs of your own; cudaDeviceSynchronize() waits for "
          "kernels, and cudaFree() frees what the function has allocated.")},
      {"free", tr("Take this cudaFree() out: a function frees what it has allocated itself with "
                  "cudaMalloc(), and nothing that it was given.")},
      {"barrier", tr("Every thread of a block must come to the same __syncthreads(): take it out "
                     "of conditions "
                     "that hold for some threads only.")},
      {"deadlock",
       tr("All threads of a block must come to its barriers, and all lanes of a warp to "
          "what they do together, as a shuffle or mma.sync: take these out of "
          "conditions that hold for some of them only.")},
      {"warp",
       tr("The mask of a warp function must name the lanes that come to it, and no others.")},
  };
  const auto found = advice.find(kind);
  return found == advice.end() ? "" : found->second;
}

/// Returns what to look for if an access such as "A[5][0], past the end of A (5 x 5)" goes to the
/// first row behind the last, or past the end of a matrix that is not square.
std::string advise_on_row(std::string_view words) {
  const std::string end = tr("past the end of");
  const std::size_t at = words.find(end);
  if (at == words.npos) return "";
  const auto number_behind = [](std::string_view text, std::size_t bracket) {
    return bracket == text.npos
               ? -1
               : std::strtol(std::string(text.substr(bracket + 1)).c_str(), nullptr, 10);
  };
  const std::string_view element = words.substr(0, at);
  const std::size_t second = element.rfind('[');
  const std::size_t first = second == element.npos ? second : element.rfind('[', second - 1);
  const std::size_t open = words.find('(', at);
  if (open == words.npos) return "";
  const std::string_view sides = words.substr(open);
  const long row = number_behind(element, first);
  const long rows = number_behind(sides, 0);
  const std::size_t by = sides.find(" x ");
  if (row < 1 || by == sides.npos) return "";
  const long cols = number_behind(sides, by + 2);
  if (rows == 1 && cols > 1) {
    return tr(
        "It has {} elements, the last of which is [{}]: work out the index for this thread, and "
        "look at what ends the loop that it counts in.",
        cols, cols - 1);
  }
  if (rows != cols) {
    return tr(
        "A row has {} elements here, and there are {} rows: is the row multiplied by the first of "
        "these, and are the row and the column each compared with its own side before the access?",
        cols, rows);
  }
  if (row != rows) return "";
  return tr(
      "It is the first row behind the last, {}: a test of the row or of k may be missing or off by "
      "one (<= where < is meant, > where >= is), or a loop may start at 1 or go a step too far. "
      "Work out the index for this thread.",
      row - 1);
}

/// Returns what to look for if an index is one too large, as in "As[8][0] is outside float
/// As[8][8]".
std::string advise_on_index(std::string_view words) {
  const std::string text = core::in_language(marked("{} is outside {} ({} {} it)"));
  const std::size_t first = text.find("{}") + 2;
  const std::string between = text.substr(first, text.find("{}", first) - first);
  const std::size_t at = words.find(between);
  if (at == words.npos) return "";
  // Reads bracketed numbers that follow each other, and stops at anything else.
  const auto numbers = [](std::string_view brackets) {
    std::vector<long> found;
    for (std::size_t i = brackets.find('['); i < brackets.size() && brackets[i] == '[';) {
      const std::size_t close = brackets.find(']', i);
      if (close == brackets.npos) break;
      found.push_back(
          std::strtol(std::string(brackets.substr(i + 1, close - i - 1)).c_str(), nullptr, 10));
      i = close + 1;
    }
    return found;
  };
  const std::string_view before = words.substr(0, at);
  const std::size_t name = before.rfind(' ') == before.npos ? 0 : before.rfind(' ') + 1;
  std::vector<long> indices = numbers(before.substr(name));
  if (indices.empty()) {  // "index 2 is outside float [2]"
    indices.push_back(std::strtol(std::string(before.substr(name)).c_str(), nullptr, 10));
  }
  const std::vector<long> sides = numbers(words.substr(at + between.size()));
  if (indices.size() != sides.size()) return "";
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] != sides[i]) continue;
    return tr(
        "An index of {0} elements ends at {1}, and here it is {0}: look for a + 1 that does not "
        "belong there, for <= where < is meant, for a loop that starts at 1, and for the counter "
        "of another loop. Or is the array too short for what it is to hold?",
        sides[i], sides[i] - 1);
  }
  return "";
}

/// Whether a race lies at a variable, or at the first element of an array.
bool is_at_the_first(std::string_view race) {
  const std::string form = core::in_language(marked("race on {}: {} and {}, {}"));
  const std::size_t start = race.find(form.substr(0, form.find('{')));
  if (start == race.npos) return false;
  const std::string_view before = race.substr(start, race.find(':', start) - start);
  std::string_view place = before.substr(before.rfind(' ') + 1);
  while (place.ends_with("[0]")) place.remove_suffix(3);
  return !place.ends_with(']');
}

/// Returns advice on a race of one statement that reads, changes and stores a value, as += does,
/// while another thread does the same.
std::string advise_on_lost_sum(const Finding& race) {
  const std::string_view words = race.message;
  const bool by_one_line = race.line > 0 && race.line == race.other_line &&
                           words.find(" " + tr("reads") + " ") != words.npos;
  if (!by_one_line || !is_at_the_first(words)) return "";
  return tr(
      "Line {} reads a value, changes it and stores it: of two threads that do so at once, as with "
      "+=, one result is lost. If all of them are to add their parts, atomicAdd() does it in one "
      "step; if each has a sum of its own, that is a variable of the thread, or an element that no "
      "other comes to.",
      race.line);
}

/// Returns advice on vectors in an array whose rows have a length that no vector divides.
std::string advise_on_odd_rows(std::string_view words) {
  const std::string form = core::in_language(
      marked("; a row of {} has {} bytes, so that rows do not all begin at such an address"));
  const std::size_t end = form.find("{}");
  const std::size_t start = words.find(form.substr(0, end));
  if (start == words.npos) return "";
  const std::string behind = form.substr(end + 2, form.find("{}", end + 2) - end - 2);
  const std::string_view name =
      words.substr(start + end, words.find(behind, start + end) - start - end);
  if (name.ends_with(']')) {
    return tr(
        "Make a row of {} as long as some number of whole vectors, its padding included: a "
        "multiple of 4 floats where float4 is read, and of 2 where float2 is.",
        name);
  }
  return tr(
      "Access {0} by vectors only where all of its rows begin at such an address: where the "
      "number of elements from one row to the next is a multiple of those in a vector, 2 of a "
      "float2 and 4 of a float4, and {0} itself begins at one. Elsewhere access one element at a "
      "time. How many elements are left in a row does not tell.",
      name);
}

}  // namespace

std::string advise_on(const Finding& fault) {
  const std::string_view words = fault.message;
  const std::string odd_vector = core::in_language(marked(
      "the kernel moved 16 bytes at once at byte {} of {} ({} bytes), an address that 16 does "
      "not divide"));
  if (fault.kind == "crash" &&
      words.ends_with(odd_vector.substr(odd_vector.rfind('}') + 1) + ".")) {
    return tr(
        "A float4 can be accessed only where 16 divides the address: its offset counts whole "
        "vectors, and a row has whole vectors, a multiple of 4 floats, if all rows are to begin "
        "so. Elsewhere access one element at a time.");
  }
  if (fault.kind == "misaligned") {
    if (const std::string advice = advise_on_odd_rows(words); !advice.empty()) return advice;
  }
  if (fault.kind == "out-of-bounds") {
    if (words.find("<<<grid, block, bytes>>>") != words.npos) {
      return tr(
          "The third value of a launch counts bytes: the elements of all arrays that lie in this "
          "memory, times the sizeof of an element.");
    }
    if (words.find(tr("or nothing says what a GPU reads")) != words.npos) {
      return tr(
          "A copy is told how many of its bytes come from the matrix, and fills the rest with "
          "zeros. It counts bytes, elements times sizeof, and a thread beyond the edge wants 0 of "
          "them: keep the number between 0 and the size of the copy.");
    }
    if (const std::string advice = advise_on_index(words); !advice.empty()) return advice;
    if (const std::string advice = advise_on_row(words); !advice.empty()) return advice;
  }
  if (fault.kind == "host-pointer" &&
      words.find(tr("an index far off does, or a pointer that was read from memory")) !=
          words.npos) {
    return tr(
        "Work out the index for this thread: one below 0, or one that is multiplied by a side too "
        "often, leads far out of an array. Of a number below 0 % keeps the sign.");
  }
  if (fault.kind == "race" || fault.kind == "warp-race") {
    if (const std::string advice = advise_on_lost_sum(fault); !advice.empty()) return advice;
  }
  if (fault.kind == "race" &&
      words.find(tr("and nothing orders two blocks of a grid")) != words.npos) {
    return tr(
        "Two blocks have come to one element, and blocks cannot wait for each other: each element "
        "must belong to one of them. Work out for both threads the row and the column that "
        "blockIdx, blockDim and threadIdx give, and the element that follows.");
  }
  if (fault.kind == "race" &&
      words.find(tr("one of two buffers, and nobody reads the other one in the meantime")) !=
          words.npos) {
    return tr(
        "Two buffers take turns: what is read between two barriers was filled before the first, "
        "and "
        "what is filled there goes into the other one. Here both lines use the same. Look at the "
        "index of the buffer on both lines, and at the line that changes it, which belongs beside "
        "the __syncthreads() that ends a step. A further barrier is missing only where a buffer is "
        "filled before the loop and the first turn reads it with none in between.");
  }
  const std::string race = core::in_language(marked("race on shared {}: {} and {}, {}"));
  const std::string start = race.substr(0, race.find('{'));
  const std::size_t name = words.find(start);
  const bool is_race = fault.kind == "race" || fault.kind == "warp-race";
  const bool both_store = is_race && fault.line > 0 && fault.other_line > 0 &&
                          words.find(" " + tr("reads") + " ") == words.npos;
  if (is_race && words.find(tr("an asynchronous copy")) != words.npos) {
    // The check uses these words only in this case.
    const std::string waited =
        core::in_language(marked("{} has waited for it on line {}, with no barrier since then "
                                 "that this thread came to, too"));
    if (words.find(waited.substr(waited.rfind('}') + 1)) != words.npos) {
      return tr(
          "A wait is for the copies of the thread that waits, and for no others': let a "
          "__syncthreads() follow the wait, and read the tile behind both. A barrier before the "
          "wait does not do.");
    }
    return tr(
        "A wait counts groups: each cp_async_commit() closes one around the copies begun since the "
        "last, and what none has closed around is waited for by nobody. A wait for all but N "
        "leaves "
        "the N youngest groups on their way. See that a commit follows the copies of each step, "
        "count which group brings this tile, wait for it, let a __syncthreads() follow, and read "
        "no other tile before.");
  }
  if (both_store && fault.line == fault.other_line && is_at_the_first(words)) {
    return tr(
        "Line {} has several threads store into one place, and what the last one stores stays "
        "there; a barrier would not change that. A __shared__ variable or array belongs to the "
        "whole block: give each thread, or each warp, elements of its own there. Only where all "
        "of them mean the same value may one alone store it.",
        fault.line);
  }
  if (both_store && fault.line == fault.other_line) {
    return name != words.npos
               ? tr("One statement has two threads fill the same element of a tile, and so may "
                    "leave another one empty. Work out for both threads the indices with which the "
                    "tile is filled: each must have its own. Only if it is meant, in two steps, "
                    "does a __syncthreads() belong between them.")
               : tr("One statement has two threads store the same element. Work out for both "
                    "threads the row, the column and the place that follows, row * n + col for a "
                    "matrix with n columns: each must have its own, and a barrier would not help.");
  }
  if (both_store && name != words.npos && fault.line != fault.other_line) {
    return tr(
        "Two statements store into the same element, on lines {} and {}. If they fill two tiles, "
        "these overlap: the second must begin where the first has ended, rows times columns "
        "elements further. If one is to follow the other, a __syncthreads() belongs between them.",
        std::min(fault.line, fault.other_line), std::max(fault.line, fault.other_line));
  }
  if (fault.kind == "race" && name != words.npos) {
    const std::string_view place = words.substr(name + start.size());
    const std::string_view variable = place.substr(0, place.find(':'));
    if (variable.find_first_of("[ ") == variable.npos) {
      return tr(
          "There is one {} for the whole block. What each thread has for itself, a "
          "sum, say, is declared without __shared__.",
          variable);
    }
  }
  return advise_on_fault(fault.kind);
}

}  // namespace tilewise::grading
