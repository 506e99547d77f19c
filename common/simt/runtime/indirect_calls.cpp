// What code of a checked module does in place of a call or a jump to an address in a register.
// Compilers let the linker provide that code (`-mindirect-branch=thunk-extern` of g++,
// `-mretpoline-external-thunk` of clang, made for the Linux kernel). It is linked into every
// module. Device code is recognised by its place there, since the builder puts what a kernel may
// run into one section (grading/builder/object_judge.hpp), and by the mark with which a function
// begins: the middle of a function may contain anything, such as constants. The run-time checks all
// other targets. Compilers for processors other than x86-64 have no such option, and pointers lead
// anywhere there.
//
// The same code also handles the beginning of a function (`-pg -mfentry`) and replaces its return
// (`-mfunction-return=thunk-extern` of g++, and of clang from 15 on): a kernel's thread keeps a
// second copy of each return address, and of the register that may lead to the function's
// variables, beyond its stack, where no store of a kernel gets (KeepingReturns,
// runtime/faults.hpp). A thread that has overwritten the first copy ends the block.
#include "common/simt/runtime/stack_pool.hpp"

#if defined(__x86_64__)

asm(R"(
  .weak __start_tilewise_device
  .hidden __start_tilewise_device
  .weak __stop_tilewise_device
  .hidden __stop_tilewise_device
  .section .data.rel.ro, "aw"
  .balign 8
device_code: .quad __start_tilewise_device
device_code_end: .quad __stop_tilewise_device

  .text
elsewhere:                      # the target lies on the stack, above it where the call returns to
  pushq %rbp
  movq %rsp, %rbp
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  andq $-16, %rsp
  subq $128, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movq 8(%rbp), %rdi
  movq 16(%rbp), %rsi
  movq device_code(%rip), %rdx
  call tilewise_simt_check_call@PLT
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  leaq -72(%rbp), %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %rax
  popq %rbp
  ret                           # to the target

  .macro thunk register
  .globl __x86_indirect_thunk_\register
  .hidden __x86_indirect_thunk_\register
  .type __x86_indirect_thunk_\register, @function
__x86_indirect_thunk_\register:
  cmpq device_code(%rip), %\register
  jb 1f
  cmpq device_code_end(%rip), %\register
  jae 1f
  cmpl $0xfa1e0ff3, (%\register)  # endbr64, with which functions begin, and nothing in them
  jne 1f
  jmp *%\register
1:
  pushq %\register
  jmp elsewhere
  .endm
  .irp register, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
  thunk \register
  .endr

  # Both may use what no caller and no callee counts on: r10, r11 and the flags.
  .globl __fentry__
  .hidden __fentry__
  .type __fentry__, @function
__fentry__:                     # above the address that it returns to itself lies the function's
  movq tilewise_simt_return_key@GOTTPOFF(%rip), %r11
  movq %fs:(%r11), %r11
  testq %r11, %r11
  je 1f
  xorq 8(%rsp), %r11
  addq %rsp, %r11
  movq %r11, 8+)" TILEWISE_KEPT_RETURNS R"((%rsp)
  movq %rbp, )" TILEWISE_KEPT_RETURNS R"((%rsp)
1:
  ret

  .globl __x86_return_thunk
  .hidden __x86_return_thunk
  .type __x86_return_thunk, @function
__x86_return_thunk:
  movq tilewise_simt_return_key@GOTTPOFF(%rip), %r11
  movq %fs:(%r11), %r11
  testq %r11, %r11
  je 1f
  leaq -8(%rsp), %r10
  xorq (%rsp), %r11
  addq %r10, %r11
  cmpq %r11, )" TILEWISE_KEPT_RETURNS R"((%rsp)
  jne 2f
  cmpq %rbp, )" TILEWISE_KEPT_RETURNS R"((%r10)
  jne 2f
1:
  ret
2:
  leaq 1b(%rip), %rdi
  andq $-16, %rsp
  call tilewise_simt_refuse_return@PLT
  ud2
  .section .note.GNU-stack, "", @progbits
  .text
)");

#endif
