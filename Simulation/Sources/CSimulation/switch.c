// One thread of libc's goes on with another one's stack and thread-local storage.

#include "kernel.h"

#include <sys/auxv.h>

/// Whether a program may set the register of its thread-local storage itself.
__attribute__((visibility("hidden"))) bool sim_sets_storage;

#if defined(__x86_64__)
__attribute__((constructor)) static void look(void) { sim_sets_storage = (getauxval(AT_HWCAP2) & 2) != 0; }

// The registers that a function keeps for its caller.
#define SAVE \
  "  pushq %rbp\n" \
  "  pushq %rbx\n" \
  "  pushq %r12\n" \
  "  pushq %r13\n" \
  "  pushq %r14\n" \
  "  pushq %r15\n"
#define RESTORE \
  "  popq %r15\n" \
  "  popq %r14\n" \
  "  popq %r13\n" \
  "  popq %r12\n" \
  "  popq %rbx\n" \
  "  popq %rbp\n"
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".globl sim_switch\n"
    ".hidden sim_switch\n"
    ".type sim_switch, @function\n"
    "sim_switch:\n"
    SAVE
    "  movq %rsp, 0(%rdi)\n"
    "  movq 0(%rsi), %rdx\n"
    "  movq 8(%rsi), %rsi\n"
    "  movq %rdx, %rsp\n"
    "  cmpb $0, sim_sets_storage(%rip)\n"
    "  je 1f\n"
    "  wrfsbase %rsi\n"
    "2:\n"
    RESTORE
    "  ret\n"
    "1:\n"
    // arch_prctl(ARCH_SET_FS, storage)
    "  movl $158, %eax\n"
    "  movl $0x1002, %edi\n"
    "  syscall\n"
    "  jmp 2b\n"
    ".size sim_switch, .-sim_switch\n"

    // Registers on the stack, and all of the stack into the copy.
    ".globl sim_depart\n"
    ".hidden sim_depart\n"
    ".type sim_depart, @function\n"
    "sim_depart:\n"
    SAVE
    "  movq %rsp, 0(%rdi)\n"
    "  movq 24(%rdi), %rcx\n"
    "  subq %rsp, %rcx\n"
    "  movq %rcx, 16(%rdi)\n"
    "  movq %rsp, %rsi\n"
    "  movq 8(%rdi), %rdi\n"
    "  cld\n"
    "  rep movsb\n"
    "  addq $48, %rsp\n"
    "  xorl %eax, %eax\n"
    "  ret\n"
    ".size sim_depart, .-sim_depart\n"

    ".globl sim_rejoin\n"
    ".hidden sim_rejoin\n"
    ".type sim_rejoin, @function\n"
    "sim_rejoin:\n"
    "  movq 0(%rdi), %rsp\n"
    "  movq 8(%rdi), %rsi\n"
    "  movq 16(%rdi), %rcx\n"
    "  movq %rsp, %rdi\n"
    "  cld\n"
    "  rep movsb\n"
    RESTORE
    "  movl $1, %eax\n"
    "  ret\n"
    ".size sim_rejoin, .-sim_rejoin\n");

#elif defined(__aarch64__)
#define SAVE \
  "  stp x29, x30, [sp, #-160]!\n" \
  "  stp x19, x20, [sp, #16]\n" \
  "  stp x21, x22, [sp, #32]\n" \
  "  stp x23, x24, [sp, #48]\n" \
  "  stp x25, x26, [sp, #64]\n" \
  "  stp x27, x28, [sp, #80]\n" \
  "  stp d8, d9, [sp, #96]\n" \
  "  stp d10, d11, [sp, #112]\n" \
  "  stp d12, d13, [sp, #128]\n" \
  "  stp d14, d15, [sp, #144]\n"
#define RESTORE \
  "  ldp x19, x20, [sp, #16]\n" \
  "  ldp x21, x22, [sp, #32]\n" \
  "  ldp x23, x24, [sp, #48]\n" \
  "  ldp x25, x26, [sp, #64]\n" \
  "  ldp x27, x28, [sp, #80]\n" \
  "  ldp d8, d9, [sp, #96]\n" \
  "  ldp d10, d11, [sp, #112]\n" \
  "  ldp d12, d13, [sp, #128]\n" \
  "  ldp d14, d15, [sp, #144]\n" \
  "  ldp x29, x30, [sp], #160\n"
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".globl sim_switch\n"
    ".hidden sim_switch\n"
    ".type sim_switch, %function\n"
    "sim_switch:\n"
    SAVE
    "  mov x9, sp\n"
    "  str x9, [x0]\n"
    "  ldp x9, x10, [x1]\n"
    "  mov sp, x9\n"
    "  msr tpidr_el0, x10\n"
    RESTORE
    "  ret\n"
    ".size sim_switch, .-sim_switch\n"

    ".globl sim_depart\n"
    ".hidden sim_depart\n"
    ".type sim_depart, %function\n"
    "sim_depart:\n"
    SAVE
    "  mov x9, sp\n"
    "  str x9, [x0]\n"
    "  ldr x11, [x0, #24]\n"
    "  sub x11, x11, x9\n"
    "  str x11, [x0, #16]\n"
    "  ldr x12, [x0, #8]\n"
    "1:\n"
    "  ldp x13, x14, [x9], #16\n"
    "  stp x13, x14, [x12], #16\n"
    "  subs x11, x11, #16\n"
    "  b.gt 1b\n"
    "  add sp, sp, #160\n"
    "  mov w0, #0\n"
    "  ret\n"
    ".size sim_depart, .-sim_depart\n"

    ".globl sim_rejoin\n"
    ".hidden sim_rejoin\n"
    ".type sim_rejoin, %function\n"
    "sim_rejoin:\n"
    "  ldr x9, [x0]\n"
    "  ldr x12, [x0, #8]\n"
    "  ldr x11, [x0, #16]\n"
    "  mov sp, x9\n"
    "1:\n"
    "  ldp x13, x14, [x12], #16\n"
    "  stp x13, x14, [x9], #16\n"
    "  subs x11, x11, #16\n"
    "  b.gt 1b\n"
    RESTORE
    "  mov w0, #1\n"
    "  ret\n"
    ".size sim_rejoin, .-sim_rejoin\n");
#else
#error "UVSimulation runs on x86-64 and on ARM with 64 bits"
#endif
