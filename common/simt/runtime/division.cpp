#include "common/simt/runtime/division.hpp"

#include <ucontext.h>

#include <cstring>

namespace tilewise::simt {

#if defined(__linux__) && defined(__x86_64__)

namespace {

/// Decodes `div` and `idiv` (Intel's manual, volume 2: ModR/M and SIB bytes).
class Division {
 public:
  explicit Division(mcontext_t& machine)
      : registers_(machine.gregs),
        code_(reinterpret_cast<const unsigned char*>(machine.gregs[REG_RIP])) {}

  RefusedDivision go_on() {
    bool is_16 = false;
    for (; *code_ == 0x66 || *code_ == 0x2e || *code_ == 0x3e; ++code_) is_16 |= *code_ == 0x66;
    if ((*code_ & 0xf0u) == 0x40) rex_ = *code_++;
    const unsigned opcode = *code_++;
    if (opcode != 0xf6 && opcode != 0xf7) return RefusedDivision::none;
    const unsigned operation = *code_ >> 3 & 7u;
    if (operation != 6 && operation != 7) return RefusedDivision::none;
    bytes_ = opcode == 0xf6 ? 1 : (rex_ & 8u) != 0 ? 8 : is_16 ? 2 : 4;
    const bool by_zero = divisor() == 0;
    const std::uint64_t quotient = by_zero ? ~std::uint64_t{0} : least();
    const std::uint64_t remainder = by_zero ? ~std::uint64_t{0} : 0;
    if (bytes_ == 1) {
      set(REG_RAX, 2, (remainder & 0xff) << 8 | (quotient & 0xff));
    } else {
      set(REG_RAX, bytes_, quotient);
      set(REG_RDX, bytes_, remainder);
    }
    registers_[REG_RIP] = reinterpret_cast<greg_t>(code_);
    return by_zero ? RefusedDivision::by_zero : RefusedDivision::overflows;
  }

 private:
  std::uint64_t least() const { return std::uint64_t{1} << (8 * bytes_ - 1); }

  std::uint64_t value(unsigned number) const {
    static constexpr int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                    REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                    REG_R12, REG_R13, REG_R14, REG_R15};
    return static_cast<std::uint64_t>(registers_[order[number]]);
  }

  std::uint64_t cut(std::uint64_t whole) const {
    return bytes_ == 8 ? whole : whole & ((std::uint64_t{1} << 8 * bytes_) - 1);
  }

  // Writing 4 bytes clears the rest of the register, writing fewer leaves it.
  void set(int which, unsigned bytes, std::uint64_t to) {
    if (bytes < 4) {
      const std::uint64_t part = (std::uint64_t{1} << 8 * bytes) - 1;
      to = (static_cast<std::uint64_t>(registers_[which]) & ~part) | (to & part);
    }
    registers_[which] = static_cast<greg_t>(bytes == 4 ? to & 0xffff'ffffu : to);
  }

  std::int64_t offset(unsigned bytes) {
    std::int32_t wide = 0;
    std::int8_t narrow = 0;
    std::memcpy(bytes == 4 ? static_cast<void*>(&wide) : &narrow, code_, bytes);
    code_ += bytes;
    return bytes == 4 ? wide : narrow;
  }

  /// Returns the divisor, and leaves code_ behind the instruction.
  std::uint64_t divisor() {
    const unsigned mode = *code_ >> 6, low = *code_ & 7u;
    ++code_;
    if (mode == 3) {
      const bool high_byte = bytes_ == 1 && rex_ == 0 && low >= 4;  // AH to BH
      return cut(high_byte ? value(low - 4) >> 8 : value(low | (rex_ & 1u) << 3));
    }
    std::uint64_t address = 0;
    bool from_next = false;
    unsigned offset_bytes = mode == 1 ? 1 : mode == 2 ? 4 : 0;
    if (low == 4) {
      const unsigned sib = *code_++, base = sib & 7u;
      const unsigned index = (sib >> 3 & 7u) | (rex_ & 2u) << 2;
      if (index != 4) address += value(index) << (sib >> 6);
      if (base == 5 && mode == 0) {
        offset_bytes = 4;
      } else {
        address += value(base | (rex_ & 1u) << 3);
      }
    } else if (low == 5 && mode == 0) {
      offset_bytes = 4;
      from_next = true;
    } else {
      address += value(low | (rex_ & 1u) << 3);
    }
    if (offset_bytes != 0) address += static_cast<std::uint64_t>(offset(offset_bytes));
    if (from_next) address += reinterpret_cast<std::uintptr_t>(code_);
    std::uint64_t found = 0;
    std::memcpy(&found, reinterpret_cast<const void*>(address), bytes_);
    return found;
  }

  greg_t* registers_;
  const unsigned char* code_;
  unsigned rex_ = 0, bytes_ = 0;
};

}  // namespace

RefusedDivision go_on_behind_division(void* context) {
  return Division(static_cast<ucontext_t*>(context)->uc_mcontext).go_on();
}

#else

// Other processors refuse no division.
RefusedDivision go_on_behind_division(void*) { return RefusedDivision::none; }

#endif

}  // namespace tilewise::simt
