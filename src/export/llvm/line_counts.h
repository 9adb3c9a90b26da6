/* SPDX-License-Identifier: MIT */
/* line_counts.h - counts of a program by function and line, where lines count from the first one of the function */
#ifndef EXPORT_LLVM_LINE_COUNTS_H
#define EXPORT_LLVM_LINE_COUNTS_H

#include "export/export.h"
#include "symbol/source_lines.h"

#define NO_LINE UINT32_MAX
#define NO_CALLEE UINT32_MAX

/* A line, or with a callee what it calls. */
struct line_count {
	uint32_t function;           /* number of its name */
	uint32_t line;               /* from the first line of the function; NO_LINE: not known */
	uint32_t callee;             /* number of its name, or NO_CALLEE */
	uint64_t count;
};

struct line_counts {
	const struct sonde_profile *p;
	struct strpool names;        /* of functions, as the compiler knows them */
	VEC(struct line_count) list;
	struct hash_index index;
	struct u64map first_lines;   /* by symbol of the binary; 0: not known */
	struct u64map heads;         /* by function: index in head_counts */
	VEC(uint64_t) head_counts;   /* how often functions were called */
};

/* A function of the binary. */
struct code_function {
	const struct binary *binary;
	struct symtab *table;
	uint32_t symbol;
};

/* The number of a function's name; UINT32_MAX when out of memory. */
uint32_t line_counts_function(struct line_counts *c, const struct code_function *f);

/* The number of a source line in a function; NO_LINE: before it or far behind it. *number: 0 or -SONDE_NOMEM. */
int line_counts_line(struct line_counts *c, const struct code_function *f, uint32_t line, uint32_t *number);

/* The source line at an address of the function, that of the call where code was inlined; 0: not known. */
uint32_t line_counts_source(const struct line_counts *c, const struct code_function *f, uint64_t addr);

/* The count of a line, 0 at first: to be changed; NULL when out of memory. Void after the next call. */
uint64_t *line_counts_at(struct line_counts *c, uint32_t function, uint32_t line, uint32_t callee);

/* 0 or -SONDE_NOMEM. */
int line_counts_called(struct line_counts *c, uint32_t function, uint64_t count);

/* Writes the profile. */
void line_counts_put(struct line_counts *c, struct buf *out);

void line_counts_free(struct line_counts *c);

#endif
