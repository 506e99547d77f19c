#include <algorithm>
#include <set>

#include "common/simt/include/tilewise/loop_exit.hpp"
#include "common/simt/recorder/control_flow.hpp"

#ifdef TILEWISE_CAPSTONE
#include <capstone/capstone.h>

namespace tilewise::simt {

namespace {

/// The effect of an instruction on the way that a thread takes.
struct Step {
  enum class Kind { next, jump, branch, call, end, mark };
  Kind kind = Kind::next;
  std::uintptr_t target = 0;  ///< 0: known only when it runs
  std::uintptr_t begin = 0;   ///< address of the instruction
  std::uintptr_t end = 0;
};

#if defined(__x86_64__)
constexpr cs_arch architecture = CS_ARCH_X86;
constexpr cs_mode mode = CS_MODE_64;

bool calls(const cs_insn& instruction) { return instruction.id == X86_INS_CALL; }
bool always_jumps(const cs_insn& instruction) { return instruction.id == X86_INS_JMP; }
// These instructions stop the processor.
bool ends(const cs_insn& instruction) {
  return instruction.id == X86_INS_UD2 || instruction.id == X86_INS_HLT;
}
std::uintptr_t target_of(const cs_insn& instruction) {
  const cs_x86& x86 = instruction.detail->x86;
  if (x86.op_count != 1 || x86.operands[0].type != X86_OP_IMM) return 0;
  return static_cast<std::uintptr_t>(x86.operands[0].imm);
}
// The mark is the first argument of the call that follows.
bool is_mark(const cs_insn& instruction) {
  const cs_x86& x86 = instruction.detail->x86;
  return instruction.id == X86_INS_MOV && x86.op_count == 2 && x86.operands[0].reg == X86_REG_EDI &&
         x86.operands[1].type == X86_OP_IMM && x86.operands[1].imm == loop_exit_mark;
}
#elif defined(__aarch64__)
constexpr cs_arch architecture = CS_ARCH_ARM64;
constexpr cs_mode mode = CS_MODE_LITTLE_ENDIAN;

// Capstone 4 counts these among the jumps.
bool calls(const cs_insn& instruction) {
  return instruction.id == ARM64_INS_BL || instruction.id == ARM64_INS_BLR;
}
bool always_jumps(const cs_insn& instruction) {
  const arm64_cc condition = instruction.detail->arm64.cc;
  return instruction.id == ARM64_INS_BR ||
         (instruction.id == ARM64_INS_B &&
          (condition == ARM64_CC_INVALID || condition == ARM64_CC_AL));
}
bool ends(const cs_insn& instruction) { return instruction.id == ARM64_INS_BRK; }
// The target is the last operand, behind what a branch compares.
std::uintptr_t target_of(const cs_insn& instruction) {
  const cs_arm64& arm64 = instruction.detail->arm64;
  if (arm64.op_count == 0) return 0;
  const cs_arm64_op& last = arm64.operands[arm64.op_count - 1];
  return last.type == ARM64_OP_IMM ? static_cast<std::uintptr_t>(last.imm) : 0;
}
bool is_mark(const cs_insn& instruction) {
  const cs_arm64& arm64 = instruction.detail->arm64;
  return (instruction.id == ARM64_INS_MOV || instruction.id == ARM64_INS_MOVZ) &&
         arm64.op_count == 2 && arm64.operands[0].reg == ARM64_REG_W0 &&
         arm64.operands[1].type == ARM64_OP_IMM && arm64.operands[1].imm == loop_exit_mark;
}
#else
#error "there is nothing here for this processor"
#endif

Step step_of(csh capstone, const cs_insn& instruction) {
  Step step{.begin = instruction.address, .end = instruction.address + instruction.size};
  const auto is = [&](unsigned group) { return cs_insn_group(capstone, &instruction, group); };
  if (is(CS_GRP_RET) || ends(instruction)) {
    step.kind = Step::Kind::end;
  } else if (calls(instruction)) {
    step.kind = Step::Kind::call;
    step.target = target_of(instruction);
  } else if (is(CS_GRP_JUMP)) {
    step.kind = always_jumps(instruction) ? Step::Kind::jump : Step::Kind::branch;
    step.target = target_of(instruction);
  } else if (is_mark(instruction)) {
    step.kind = Step::Kind::mark;
  }
  return step;
}

/// Returns all instructions except those that only lead to the next one; nothing if some bytes are
/// no instruction.
std::optional<std::vector<Step>> read_steps(std::uintptr_t begin, std::uintptr_t end) {
  csh capstone = 0;
  if (cs_open(architecture, mode, &capstone) != CS_ERR_OK) return std::nullopt;
  cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
  cs_insn* instruction = cs_malloc(capstone);
  const auto* code = reinterpret_cast<const std::uint8_t*>(begin);
  std::size_t bytes = end - begin;
  std::uint64_t address = begin;
  std::vector<Step> steps;
  while (bytes > 0 && cs_disasm_iter(capstone, &code, &bytes, &address, instruction)) {
    const Step step = step_of(capstone, *instruction);
    if (step.kind != Step::Kind::next) steps.push_back(step);
  }
  cs_free(instruction, 1);
  cs_close(&capstone);
  if (bytes > 0) return std::nullopt;
  return steps;
}

}  // namespace

std::optional<MachineCode> read_machine_code(std::uintptr_t begin, std::uintptr_t end) {
  const auto steps = read_steps(begin, end);
  if (!steps) return std::nullopt;
  const auto inside = [&](std::uintptr_t address) { return address >= begin && address < end; };
  std::set<std::uintptr_t> starts = {begin};
  for (const Step& step : *steps) {
    if (step.kind == Step::Kind::mark) starts.insert(step.begin);
    if (step.kind == Step::Kind::mark || step.kind == Step::Kind::call) continue;
    if (step.kind != Step::Kind::end) {
      if (!inside(step.target)) return std::nullopt;
      starts.insert(step.target);
    }
    if (inside(step.end)) starts.insert(step.end);
  }

  MachineCode code;
  code.blocks.assign(starts.begin(), starts.end());
  code.flow.resize(code.blocks.size());
  code.ends.resize(code.blocks.size());
  const auto block_at = [&](std::uintptr_t address) {
    const auto behind = std::ranges::upper_bound(code.blocks, address);
    return static_cast<std::uint32_t>(behind - code.blocks.begin() - 1);
  };
  std::vector<bool> goes_on(code.blocks.size(), true);  // into the next block
  for (const Step& step : *steps) {
    if (step.kind == Step::Kind::call) {
      code.calls.push_back({step.end, step.target});
      continue;
    }
    const std::uint32_t block = block_at(step.end - 1);
    if (step.kind == Step::Kind::mark) {
      code.ends[block] = true;
      continue;
    }
    if (step.kind != Step::Kind::end) code.flow[block].push_back(block_at(step.target));
    if (step.kind != Step::Kind::branch) goes_on[block] = false;
  }
  for (std::uint32_t block = 0; block + 1 < code.blocks.size(); ++block) {
    if (goes_on[block]) code.flow[block].push_back(block + 1);
  }
  return code;
}

}  // namespace tilewise::simt

#else

std::optional<tilewise::simt::MachineCode> tilewise::simt::read_machine_code(std::uintptr_t,
                                                                             std::uintptr_t) {
  return std::nullopt;
}

#endif
