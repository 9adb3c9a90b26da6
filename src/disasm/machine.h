/* SPDX-License-Identifier: MIT */
/* machine.h - the instruction sets that can be taken apart, by the machine that an ELF file names */
#ifndef DISASM_MACHINE_H
#define DISASM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "disasm/capstone.h"

/* Code of a machine, as the header of an ELF file tells it. */
struct machine_code {
	uint16_t machine;            /* EM_* */
	bool wide;                   /* ELFCLASS64 */
	bool big_endian;             /* the data of the file */
	uint32_t flags;              /* e_flags */
};

/* The name of a machine; "machine 123" in @text for one without a row. */
#define MACHINE_NAME 24
const char *machine_name(uint16_t machine, char text[MACHINE_NAME]);

/* EM_* of the machine of a recording, as uname says: "x86_64", "aarch64", ...; 0: not known. */
uint16_t machine_of_arch(const char *arch);

#ifdef HAVE_CAPSTONE

/* How capstone is asked for a machine. */
struct machine_mode {
	cs_arch arch;
	cs_mode mode;
	uint8_t step;                /* bytes to the next place where an instruction can begin */
};

/* 0, or -SONDE_UNSUPPORTED with the machine and what is missing for it. */
int machine_mode(const struct machine_code *code, struct machine_mode *out, struct sonde_error *err);

#endif
#endif
