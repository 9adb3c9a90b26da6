/* SPDX-License-Identifier: MIT */
/*
 * cpu.h - the registers of an architecture, as perf samples them and as DWARF numbers them
 *
 * Registers are known by their DWARF numbers here. The numbers of the program counter and of registers that no
 * architecture saves for its caller are left out.
 */
#ifndef UNWIND_CPU_H
#define UNWIND_CPU_H

#include <stdbool.h>
#include <stdint.h>

enum { UNWIND_REGS = 72, CPU_NO_REG = 0xff };

struct unwind_cpu {
	const char *name;
	uint16_t machine;            /* EM_* */
	uint8_t word;                /* bytes of an address */
	bool big_endian;             /* stacks and binaries, whatever the order of the recording */
	uint8_t nr_perf;             /* of perf_to_dwarf */
	const uint8_t *perf_to_dwarf; /* by bit of sample_regs_user; CPU_NO_REG: not needed */
	uint8_t perf_pc;             /* bit of the program counter */
	uint8_t sp, fp;              /* DWARF numbers */
	uint8_t pc;                  /* DWARF number of the program counter; CPU_NO_REG: it has none */
	uint8_t link;                /* the register that holds the return address of a leaf; CPU_NO_REG: none */
	uint16_t cfa_above_sp;       /* of the caller's stack pointer: CFA minus this */
	/* frame records: the return address and the caller's frame pointer, from the frame pointer on */
	int8_t record_return, record_fp;
	bool has_records;
	uint64_t address_mask;       /* of return addresses; other bits are signatures */
	/* perf gives -1 for registers that entering the kernel does not save */
	uint64_t unsaved_in_kernel;  /* DWARF numbers, as bits */
};

/*
 * By the name of the recording machine (`uname -m`) and the abi of a sample: PERF_SAMPLE_REGS_ABI_32 (1) or _64 (2).
 * NULL: registers of that machine are not known.
 */
const struct unwind_cpu *unwind_cpu_find(const char *arch, uint64_t abi);

#endif
