/* SPDX-License-Identifier: MIT */
/*
 * sframe.h - .sframe: the CFA, the return address and the frame pointer of each function, in rows that need no
 * instructions
 *
 * Versions 2 and 3; the sections of other versions, of other machines and with flags that nobody knows are passed over.
 * Layout: The SFrame Format (GNU binutils). The other registers of a caller are not known above such a frame.
 */
#ifndef UNWIND_SFRAME_H
#define UNWIND_SFRAME_H

#include "unwind/program.h"

struct sframe {
	struct cfi_section section;
	uint8_t version;
	bool from_field;             /* starts of functions count from their field, not from the section */
	int8_t fixed_fp, fixed_ra;   /* places from the CFA on; 0: each row has its own */
	const struct sframe_abi *abi;
	uint32_t nr_functions;
	struct cfi_span functions, rows;
};

struct sframe_function {
	uint64_t start;
	uint32_t size;
	uint32_t repeat;             /* the rows are those of each so many bytes; 0: of the whole function */
	uint32_t rows_at, nr_rows;   /* rows_at: in the section */
	uint8_t offset_bytes;        /* of the start of a row */
	bool flexible;               /* a row names its registers */
	bool signal;
};

/* @section: bytes that were found as .sframe; @machine: EM_*. False for one that cannot be understood. */
bool sframe_open(struct sframe *x, const struct cfi_section *section, uint16_t machine);

/* False if it cannot be understood. */
bool sframe_function(const struct sframe *x, uint32_t index, struct sframe_function *out);

/* The DWARF number of the register by which rows give the return address. */
uint8_t sframe_return_register(const struct sframe *x);

/*
 * Gives the rows of a function, or of its first repetition, in the order of their addresses. 0, what @fn returned, or
 * -SONDE_CORRUPT for a row that makes no sense: the rows before it are sound.
 */
int sframe_rows(const struct sframe *x, const struct sframe_function *f, cfi_row_fn *fn, void *ctx);

#endif
