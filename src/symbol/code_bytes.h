/* SPDX-License-Identifier: MIT */
/*
 * code_bytes.h - the machine code of a function, as it ran if that can be known
 *
 * From the recording itself (BPF programs, jitdumps), from the file that ran, known by its build id, or from the
 * kernel's own memory or image.
 */
#ifndef SYMBOL_CODE_BYTES_H
#define SYMBOL_CODE_BYTES_H

#include "base/buf.h"
#include "disasm/machine.h"
#include "symbol/symbols.h"

/* More bytes of a function than this are not read. */
#define CODE_BYTES_MOST (UINT64_C(1) << 20)

enum code_mode_kind { CODE_ARM, CODE_THUMB, CODE_DATA };

/* The kind of code from an address on. */
struct code_mode {
	uint64_t addr;
	enum code_mode_kind kind;
};

struct code_bytes {
	uint8_t *bytes;              /* owned */
	size_t size;
	uint64_t addr;               /* of the first byte, as its file states it */
	struct machine_code code;
	VEC(struct code_mode) modes; /* by address */
	int64_t file_s;              /* when the file was last written; 0: not known */
	struct buf source;           /* the file that the bytes are from */
	struct buf note;             /* why the bytes that ran may be others; or empty */
};

/*
 * The bytes from @start to @end, addresses as mapping_to_binary() gives them; CODE_BYTES_MOST at most. @arch: of the
 * recording machine. 0; -SONDE_MISSING with the reason, -SONDE_NOMEM. To be freed in either case.
 */
int code_bytes_find(struct code_bytes *c, struct symbols *s, const struct binary *b, uint64_t start, uint64_t end,
		    const char *arch, struct sonde_error *err);

void code_bytes_free(struct code_bytes *c);

#endif
