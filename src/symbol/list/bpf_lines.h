/* SPDX-License-Identifier: MIT */
/*
 * bpf_lines.h - the source lines of BPF programs, from what a recording says of them
 *
 * A recording has the struct bpf_prog_info of each program, with its arrays, and the types of programs (BTF), whose
 * strings have the names of files. Layouts: <linux/bpf.h>, <linux/btf.h>.
 */
#ifndef SYMBOL_LIST_BPF_LINES_H
#define SYMBOL_LIST_BPF_LINES_H

#include "model/meta.h"

#include "base/arena.h"
#include "base/strpool.h"
#include "base/vec.h"

/* From an address on: a line of a program. */
struct bpf_line {
	uint64_t start, end;         /* of its function */
	uint64_t addr;
	const char *file;
	const char *text;            /* of the line, from the types of the program; "" if it is not there */
	uint32_t line, column;
};

struct bpf_lines {
	struct strpool texts;
	VEC(struct bpf_line) list;   /* by function, then by address */
};

/* Copies the lines of all programs; a program that makes no sense has none. 0 or -SONDE_NOMEM. */
int bpf_lines_add(struct bpf_lines *l, const struct meta *meta);

/*
 * The line of an address in the function that begins at @start; NULL if none is known. The memory of a program that was
 * unloaded may have become that of another one.
 */
const struct bpf_line *bpf_lines_find(const struct bpf_lines *l, uint64_t start, uint64_t addr);

void bpf_lines_free(struct bpf_lines *l);

#endif
