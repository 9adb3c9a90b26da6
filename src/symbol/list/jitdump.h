/* SPDX-License-Identifier: MIT */
/*
 * jitdump.h - jit-PID.dump: the code that a just-in-time compiler has made, function by function
 *
 * Each function has a record LOAD with its name, the bytes of its code, its address and the time at which it came
 * there. MOVE puts it to another address. DEBUG_INFO (its lines) and UNWINDING_INFO (.eh_frame) stand before the LOAD.
 * Layout: tools/perf/Documentation/jitdump-specification.txt of Linux. Here a function is known by the offset of its
 * code in the file, which is different for each. The file stays open: lines and code are read when they are asked for.
 */
#ifndef SYMBOL_LIST_JITDUMP_H
#define SYMBOL_LIST_JITDUMP_H

#include "base/u64map.h"
#include "base/vec.h"
#include "io/input.h"
#include "symbol/table/symtab.h"
#include "threads/jit_code.h"

struct jitdump_function {
	uint64_t offset, size;       /* of the code in the file */
	uint64_t start;              /* its address, before any MOVE */
	uint32_t name;               /* offset into the names */
	uint32_t lines_size;         /* bytes of the entries at lines_at; 0: no lines */
	uint64_t lines_at, nr_lines;
	uint64_t unwind_at;
	uint32_t unwind_size;        /* bytes of .eh_frame and .eh_frame_hdr; 0: none */
	uint32_t hdr_size;           /* of these, those of .eh_frame_hdr */
};

struct jitdump {
	struct input in;
	bool swap;
	uint16_t machine;            /* EM_* of the code */
	uint32_t pid;
	uint64_t nr_bad;             /* records that make no sense */
	VEC(struct jitdump_function) functions;  /* by offset */
	VEC(struct jit_change) list;
	VEC(char) names;
	struct jit_changes changes;

	/* of a dump that grows */
	uint64_t read_to;            /* the first record that has not been read */
	bool ended;                  /* it makes no sense from there on */
	struct jitdump_function next;   /* what DEBUG_INFO and UNWINDING_INFO say of the LOAD that comes */
	uint64_t lines_of;           /* address of the function that next has lines of */
	struct u64map by_index;      /* code_index -> function */
};

/**
 * jitdump_read - read the records of a dump, which takes @in over whatever the outcome is
 * A dump whose end is missing has the functions before it. 0, or negative for what is not a dump, with a message.
 */
int jitdump_read(struct jitdump *d, struct input in, struct sonde_error *err);

/*
 * Reads the records that the writer has added since. 1: there were some, which come behind those before them in each
 * table; 0: there were none, or -SONDE_NOMEM.
 */
int jitdump_read_on(struct jitdump *d);
void jitdump_close(struct jitdump *d);

/* The functions as symbols, by the offset of their code. */
void jitdump_add(const struct jitdump *d, struct symtab_builder *b);

/* Whether an address had several functions, one after the other: 1 or 0, or -SONDE_NOMEM. */
int jitdump_reuses(const struct jitdump *d);

/* The function whose code holds @offset, or NULL. */
const struct jitdump_function *jitdump_find(const struct jitdump *d, uint64_t offset);

/* Reads bytes of the file, of code or of unwind information; false if they are not there any more. */
bool jitdump_bytes(const struct jitdump *d, uint64_t offset, void *out, size_t size);

#endif
