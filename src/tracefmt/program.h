/* SPDX-License-Identifier: MIT */
/*
 * program.h - a print format as a list of small steps over the raw bytes of a record
 *
 * Steps push and pop 64-bit integers and ranges of the record's bytes, or print. Jumps go forward only, so a program
 * ends after as many steps as it has.
 */
#ifndef TRACEFMT_PROGRAM_H
#define TRACEFMT_PROGRAM_H

#include "tracefmt/expr.h"
#include "tracefmt/seq_buf.h"

#define PROGRAM_STACK 64

enum op {
	OP_END,
	/* values; size, is_signed: of the integer that results, of an element of bytes */
	OP_NUMBER,        /* push v */
	OP_FIELD,         /* push the integer at offset a */
	OP_BYTES,         /* push the v bytes at offset a; v 0: up to the end of the record */
	OP_DYNAMIC,       /* push the bytes that the word of size bytes at offset a points to; v 1: __rel_loc */
	OP_LENGTH,        /* push the length in the word at offset a */
	OP_NEGATE, OP_INVERT, OP_NOT,
	OP_BINARY,        /* a: operator; v: its operands are signed */
	OP_CAST,
	OP_ELEMENT,       /* pop index, bytes; push an element */
	OP_ADVANCE,       /* pop index, bytes; push the bytes from there on */
	OP_SWAP,
	OP_JUMP_ZERO,     /* pop; to step a if it is 0 */
	OP_JUMP,
	OP_SET_WIDTH, OP_SET_PRECISION,   /* pop: the '*' of the next conversion */
	/* printing */
	OP_LITERAL,       /* v bytes at a of the literals */
	OP_DECIMAL, OP_UNSIGNED, OP_HEX,  /* pop; %d %u %x of size without flags; OP_HEX: v digits at least */
	OP_FIELD_DECIMAL, OP_FIELD_UNSIGNED, OP_FIELD_HEX,  /* the same of the integer at offset a */
	OP_FIELD_TEXT,    /* the text in the v bytes at offset a */
	OP_INTEGER,       /* pop; conversion a */
	OP_TEXT,          /* pop bytes; up to the first NUL */
	OP_CONSTANT,      /* pop; the string constant of the kernel at that address */
	OP_POINTER,       /* pop; %p */
	OP_SYMBOL,        /* pop; v 1: with offset */
	OP_MARK,          /* begins a text ... */
	OP_FIT,           /* ... that ends here: width and precision of conversion a */
	OP_EXTENSION,     /* pop bytes; extension a: %pM, %pI4, %pU, %*ph ... */
	OP_CALL,          /* pop what the call has; call a */
};

struct step {
	uint8_t op, size;
	bool is_signed;
	uint8_t nr_after;            /* of a step that prints an integer: bytes of the literal after it, 16 at most */
	uint32_t a;
	uint64_t v;
	uint32_t after;              /* where that literal begins in the literals */
};

/* A %p with bytes of the record: its letters, and the width that tells how many bytes or bits. */
struct extension {
	char letters[8];             /* "M", "I6c", "hC", "bl" */
	bool star_width;
	int32_t width;               /* 0: none */
};

/* A call that prints; enum call. */
struct program_call {
	uint8_t call;
	uint32_t names, nr_names;
	uint64_t number;
	struct sonde_str text;
};

struct tracefmt_program {
	const struct step *steps;
	size_t nr_steps;
	bool is_ascii;               /* nothing that the record names is printed: only integers and literals */
	const char *literals;
	const struct conversion *conversions;
	const struct extension *extensions;
	const struct program_call *calls;
	size_t nr_calls;
	const struct value_name *names;
};

/**
 * program_compile - the program of an event's print format
 * Sets *program, allocated in @arena, or *unprintable to why it cannot be compiled. Returns 0, or -SONDE_NOMEM.
 */
int program_compile(const struct tracefmt_event *e, struct arena *arena, const struct tracefmt_program **program,
		    const char **unprintable);

#endif
