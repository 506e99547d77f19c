// Switches from one fiber to another. On x86-64 this works as in Boost.Context, but without the
// control words of floating-point arithmetic: all threads of a kernel have the same, and storing
// and loading them takes longer than all the rest of a switch. On other processors, Boost.Context
// itself is used.
#include "common/simt/runtime/fiber_switch.hpp"

#include <algorithm>

#if defined(__x86_64__)

#define TILEWISE_SYMBOL TILEWISE_LINKED(__USER_LABEL_PREFIX__, TILEWISE_JUMP)
#ifdef __ELF__
#define TILEWISE_SYMBOL_IS_FUNCTION ".type " TILEWISE_SYMBOL ", @function\n"
#else
#define TILEWISE_SYMBOL_IS_FUNCTION
#endif

// The stack of a waiting fiber holds, from its context on, the six registers that a function
// preserves for its caller, and the address where the fiber goes on. The processor predicts the
// jump at the end from what came before it, which it does not do for `ret` (tilewise/fibers.hpp).
asm(".text\n.p2align 6\n.globl " TILEWISE_SYMBOL "\n" TILEWISE_SYMBOL_IS_FUNCTION TILEWISE_SYMBOL
    R"(:
  pushq %rbp
  pushq %rbx
  pushq %r15
  pushq %r14
  pushq %r13
  pushq %r12
  movq %rsp, %rax
  movq %rdi, %rsp
  popq %r12
  popq %r13
  popq %r14
  popq %r15
  popq %rbx
  popq %rbp
  popq %r8
  movq %rsi, %rdx
  movq %rax, %rdi
  jmpq *%r8
)");

namespace tilewise::simt {

Context fresh_context(std::byte* top, std::size_t, void (*entry)(Transfer)) {
  auto* const words = reinterpret_cast<void**>(top) - 8;
  std::fill_n(words, 8, nullptr);  // the last word is null, because `entry` has no caller
  words[6] = reinterpret_cast<void*>(entry);
  return words;
}

}  // namespace tilewise::simt

#else

namespace tilewise::simt {

// Declared with the type that stands for Boost.Context's own in tilewise/fibers.hpp.
Context make(void* top, std::size_t bytes,
             void (*entry)(Transfer)) asm(TILEWISE_LINKED(__USER_LABEL_PREFIX__, "make_fcontext"));

Context fresh_context(std::byte* top, std::size_t bytes, void (*entry)(Transfer)) {
  return make(top, bytes, entry);
}

}  // namespace tilewise::simt

#endif
