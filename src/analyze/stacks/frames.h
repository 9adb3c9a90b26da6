/* SPDX-License-Identifier: MIT */
/*
 * frames.h - functions by number: each (binary, symbol), each function inlined there, and each address without symbol
 * once; with lines each of these once for each line
 */
#ifndef ANALYZE_STACKS_FRAMES_H
#define ANALYZE_STACKS_FRAMES_H

#include "base/hash_index.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "resolve/addr_location.h"
#include "resolve/source_names.h"

struct frame {
	const struct binary *binary; /* NULL: nothing is mapped there */
	struct symtab *table;        /* of `symbol`; NULL if that is SYMTAB_NONE */
	uint32_t symbol;
	uint8_t cpumode;
	uint64_t mapping_size;       /* where it was first seen */
	uint64_t addr;               /* without symbol: in the binary, of a function its start; else 0 */
	uint32_t size;               /* without symbol: of the function at addr; 0 if addr is in none that is known */
	const char *name;            /* of a function that the trace itself names; NULL: none */
	const char *inlined;         /* the function that was inlined into the symbol; NULL: the symbol itself */
	/* With lines: where the function was, NULL and 0 if no line is known. Interned. */
	const char *file;
	uint32_t line;
	const char *srcline;         /* "file.c:12"; else "function+34", "program[113a]" */
	uint64_t place;              /* by_place: the address in the binary; else 0 */
	uint32_t branch;             /* number of the end of a branch + 1, see frames_of_branch(); 0: none */
};

/* Facts that one end of a branch adds to its node in a tree. */
struct branch_end {
	bool is_target;
	bool predicted, aborted;     /* of a target */
	uint32_t cycles;             /* of a source, and the loop it ended: see analyze/branches/branch_history.h */
	uint32_t iterations;
	uint32_t iteration_cycles;
};

struct frames {
	struct locator locator;      /* its kernel is that of the trace at hand */
	struct source_lines *lines;  /* borrowed; NULL: nobody asks for inlined functions and lines */
	bool inlined, by_line, full_paths;
	bool callers;                /* stacks are walked, which asks for is_handler_entry: it takes the names */
	bool by_place;               /* each address is a frame */
	bool by_branch;              /* so is each end of a branch with what it adds to its node */
	VEC(struct branch_end) branch_ends;      /* each once */
	struct hash_index branch_index;
	struct source_names source_names;
	struct strpool names;
	VEC(struct frame) list;
	struct hash_index index;
	struct frame_slot {          /* addresses seen lately; a full slot is replaced; NULL: no trace is being read */
		maps_root root;
		uint64_t ip;
		uint64_t offset;     /* addr_location_offset() */
		uint32_t frame;      /* as a caller: where its innermost inlined call is, if there is one */
		uint32_t interrupted;   /* the same function where the address itself is */
		uint32_t nr_inlined; /* into frame: see frames_inlined() */
		uint8_t cpumode;
		bool is_caller, is_handler_entry;  /* see resolve/addr_location.h */
		bool used;
	} *recent;
	VEC(uint32_t) *inlined_of_slot;  /* of recent */
};

/* Inlined functions and lines are wanted if the caller sets `inlined` or `by_line`, and `lines`. */
void frames_init(struct frames *f, struct symbols *symbols);
void frames_free(struct frames *f);

/* A trace begins, whose kernel is known by @kernel, or not: NULL. 0 or -SONDE_NOMEM. */
int frames_begin(struct frames *f, const struct tracefmt *kernel);

/* Addresses have to be looked up anew; between frames_begin() and frames_end(). */
void frames_forget(struct frames *f);

/* The trace has ended: nothing is looked up until the next one begins. */
void frames_end(struct frames *f);

#define FRAMES_GONE UINT32_MAX

/* Gives frames the numbers @numbers, which ascend; those of FRAMES_GONE are left out. 0 or -SONDE_NOMEM. */
int frames_renumber(struct frames *f, const uint32_t *numbers);

enum { FRAMES_RECENT = 1 << 12 };

/* The facts of an ip, with the number of its frame; NULL when out of memory. A view until the next call. */
const struct frame_slot *frames_look_up(struct frames *f, maps_root root, uint8_t cpumode, uint64_t ip, bool is_caller);

static inline struct frame_slot *frames_slot(const struct frames *f, maps_root root, uint64_t ip)
{
	return &f->recent[(ip * UINT64_C(0x9e3779b97f4a7c15) ^ (uintptr_t)root >> 4) >> 20 & (FRAMES_RECENT - 1)];
}

static inline const struct frame_slot *frames_get(struct frames *f, maps_root root, uint8_t cpumode, uint64_t ip,
						  bool is_caller)
{
	const struct frame_slot *s = frames_slot(f, root, ip);

	if (s->used && s->ip == ip && s->root == root && s->cpumode == cpumode && s->is_caller == is_caller)
		return s;
	return frames_look_up(f, root, cpumode, ip, is_caller);
}

/* The functions inlined at the address of a slot: s->nr_inlined frames, innermost first. */
static inline const uint32_t *frames_inlined(const struct frames *f, const struct frame_slot *s)
{
	return f->inlined_of_slot[s - f->recent].at;
}

/* The frame as an end of a branch; HASH_INDEX_NONE when out of memory. */
uint32_t frames_of_branch(struct frames *f, uint32_t frame, const struct branch_end *end);

/* A function that another program has looked up. Texts are copied. */
struct named_frame {
	struct sonde_str name;       /* none: the address stands for it */
	const struct binary *binary; /* or NULL */
	uint64_t addr;               /* without a name */
	bool is_offset;              /* addr is an offset in the file of the binary, which may have a name for it */
	uint8_t cpumode;
	bool inlined;
	struct sonde_str file;       /* of its source; none: not known */
	uint32_t line;
};

/* The number of its frame; HASH_INDEX_NONE when out of memory. */
uint32_t frames_add_named(struct frames *f, const struct named_frame *n);

/* The function of frame @outer at the line of frame @inner, which is inlined there. HASH_INDEX_NONE: out of memory. */
uint32_t frames_add_at_line(struct frames *f, uint32_t outer, uint32_t inner);

/* The name of a frame's function, NULL if it has none. */
const char *frame_symbol(const struct frame *f);

/* Bytes of its function, 0 if they are not known. */
uint32_t frame_size(const struct frame *f);

/* '.' user, 'k' kernel, 'g' guest kernel, 'u' guest user, 'H' hypervisor */
char frame_level(const struct frame *f);

/* The name of a binary in perf's tables: the last part of the path, "[module]", "[JIT] tid PID". */
void binary_short_name(const struct binary *b, char *text, size_t size);

#endif
