// Functions of the C library that read text and that a GPU has, too. Checked modules are linked
// with `--wrap` for each of these, so that a kernel's calls come here, and what they read counts as
// loaded.

#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "common/base/language.hpp"
#include "common/simt/include/tilewise/fibers.hpp"
#include "common/simt/recorder/modules.hpp"
#include "common/simt/recorder/record.hpp"
#include "common/simt/runtime/block.hpp"
#include "common/simt/runtime/device.hpp"

namespace tilewise::simt {
namespace {

/// Records the reads of a text byte by byte, up to `most` bytes, since any of them may end the
/// block.
/// @param starts whether the call has recorded nothing before
void record_text(const char* text, std::size_t most, const void* pc, bool starts = true) {
  for (std::size_t i = 0; i < most; ++i) {
    record<Action::read, 1>(text + i, starts && i == 0 ? pc : continued(pc));
    if (text[i] == '\0') return;
  }
}

void refuse(std::string_view conversion, const void* pc) {
  Block& block = Block::of_this_thread();
  if (block.watch() != nullptr) block.watch()->pause_recording();
  const SourceLine line = source_line(reinterpret_cast<std::uintptr_t>(pc) - 1);
  follow(block.break_off_access(
      {.kind = "host-call",
       .message = tr("printf() of a GPU has no {}: leave it out of kernels", conversion),
       .file = line.file,
       .line = line.line}));
}

/// Takes the arguments of a format one after another, as printf() will.
class FormatReader {
 public:
  FormatReader(const char* format, std::va_list arguments, const void* pc) : at_(format), pc_(pc) {
    va_copy(arguments_, arguments);
  }
  ~FormatReader() { va_end(arguments_); }
  FormatReader(const FormatReader&) = delete;
  FormatReader& operator=(const FormatReader&) = delete;

  void read() {
    record_text(at_, whole, pc_);
    for (; *at_ != '\0'; ++at_) {
      if (*at_ == '%' && *++at_ == '\0') return;
      if (at_[-1] == '%' && *at_ != '%') read_conversion(at_);
    }
  }

 private:
  static constexpr std::size_t whole = SIZE_MAX;

  bool is_one_of(std::string_view letters) const {
    return *at_ != '\0' && letters.find(*at_) != letters.npos;
  }

  void read_conversion(const char* begin) {
    std::size_t most = whole;
    for (bool of_precision = false; is_one_of("-+ #0123456789.*"); ++at_) {
      if (*at_ == '.') of_precision = true, most = 0;
      const int given = *at_ == '*' ? va_arg(arguments_, int) : 0;
      if (!of_precision) continue;
      if (*at_ == '*') most = given < 0 ? whole : static_cast<std::size_t>(given);
      if (*at_ >= '0' && *at_ <= '9') most = most * 10 + static_cast<std::size_t>(*at_ - '0');
    }
    int longs = 0;
    bool of_long_double = false;
    for (; is_one_of("hlLqjzt"); ++at_) {
      longs += *at_ != 'h' ? 1 : 0;
      of_long_double = *at_ == 'L';
    }
    if (is_one_of("diouxXc")) {
      longs > 0 ? void(va_arg(arguments_, long)) : void(va_arg(arguments_, int));
    } else if (is_one_of("aAeEfFgG")) {
      of_long_double ? void(va_arg(arguments_, long double)) : void(va_arg(arguments_, double));
    } else if (*at_ == 'p') {
      va_arg(arguments_, void*);
    } else if (*at_ == 's' && longs == 0) {
      record_text(va_arg(arguments_, const char*), most, pc_, false);
    } else {
      refuse(
          std::string_view(begin - 1, static_cast<std::size_t>(at_ - begin) + 1 + (*at_ != '\0')),
          pc_);
    }
  }

  const char* at_;
  std::va_list arguments_;
  const void* pc_;
};

/// Whether a kernel makes the call, watched or not, because printf() may store, too.
bool is_of_a_kernel() { return recorder.guards_stores; }

}  // namespace
}  // namespace tilewise::simt

extern "C" {

int __wrap_vprintf(const char* format, std::va_list arguments) {
  using namespace tilewise::simt;
  if (is_of_a_kernel()) FormatReader(format, arguments, __builtin_return_address(0)).read();
  return std::vprintf(format, arguments);
}

int __wrap_printf(const char* format, ...) {
  using namespace tilewise::simt;
  std::va_list arguments;
  va_start(arguments, format);
  if (is_of_a_kernel()) FormatReader(format, arguments, __builtin_return_address(0)).read();
  const int written = std::vprintf(format, arguments);
  va_end(arguments);
  return written;
}

int __wrap_puts(const char* text) {
  using namespace tilewise::simt;
  if (is_of_a_kernel()) record_text(text, SIZE_MAX, __builtin_return_address(0));
  return std::puts(text);
}

// <assert.h> declares it only where assertions are on.
void __assert_fail(const char*, const char*, unsigned, const char*) noexcept;

/// In a whole program, a failed assertion ends the launch, as on a GPU; in a submission, it ends
/// the worker, which is reported.
void __wrap___assert_fail(const char* assertion, const char* file, unsigned line,
                          const char* function) {
  using namespace tilewise::simt;
  if (const Block* running = Block::if_any_of_this_thread();
      running != nullptr && running->runs_device_code() && device::is_whole_program()) {
    Block& block = Block::of_this_thread();
    if (block.watch() != nullptr) block.watch()->pause_recording();
    const tilewise::core::ThreadOfGrid place{{blockIdx.x, blockIdx.y, blockIdx.z},
                                             {threadIdx.x, threadIdx.y, threadIdx.z}};
    follow(block.break_off_access(
        {.kind = "assert",
         .message =
             tilewise::tr("block ({}, {}, {}), thread ({}, {}, {}): assertion {} failed in {}",
                          place.block[0], place.block[1], place.block[2], place.thread[0],
                          place.thread[1], place.thread[2], assertion, function),
         .file = file,
         .line = static_cast<int>(line),
         .place = place}));
  }
  __assert_fail(assertion, file, line, function);
}

double __wrap_nan(const char* text) {
  using namespace tilewise::simt;
  if (is_of_a_kernel()) record_text(text, SIZE_MAX, __builtin_return_address(0));
  return std::nan(text);
}

float __wrap_nanf(const char* text) {
  using namespace tilewise::simt;
  if (is_of_a_kernel()) record_text(text, SIZE_MAX, __builtin_return_address(0));
  return std::nanf(text);
}

}  // extern "C"
