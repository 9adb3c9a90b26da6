/* SPDX-License-Identifier: MIT */
/*
 * capstone.h - the functions of libcapstone, which is loaded when it is needed first
 *
 * Its tables have so many addresses to relocate that every command would start a millisecond later if it were linked.
 */
#ifndef DISASM_CAPSTONE_H
#define DISASM_CAPSTONE_H

#include <stdbool.h>

#ifdef HAVE_CAPSTONE

#include <capstone/capstone.h>

struct capstone {
	bool (*support)(int query);
	cs_err (*open)(cs_arch arch, cs_mode mode, csh *handle);
	cs_err (*close)(csh *handle);
	cs_err (*option)(csh handle, cs_opt_type type, size_t value);
	cs_insn *(*malloc)(csh handle);
	void (*free)(cs_insn *insn, size_t count);
	bool (*disasm_iter)(csh handle, const uint8_t **code, size_t *size, uint64_t *address, cs_insn *insn);
};

/* NULL if it is not installed. Several threads may ask. */
const struct capstone *capstone_get(void);

#endif

/* Is there a disassembler, in this build and on this machine? */
bool capstone_is_there(void);

#endif
