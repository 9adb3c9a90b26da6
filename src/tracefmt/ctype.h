/* SPDX-License-Identifier: MIT */
/* ctype.h - C type names as they occur in event formats: how wide, signed or not, pointer or not. */
#ifndef TRACEFMT_CTYPE_H
#define TRACEFMT_CTYPE_H

#include <sonde/types.h>

struct ctype {
	uint8_t size;                /* 1, 2, 4, 8; 0: a type whose size its name does not tell */
	bool is_signed;
	bool is_pointer;             /* size and sign are those of what is pointed to */
	bool is_char;                /* the words contain "char" */
	bool is_long;                /* the words contain "long" */
	bool is_mask;                /* unsigned long or cpumask_t: what bit masks are made of */
};

/* The type that the words of `text` name; what is in brackets (attributes, array bounds) is passed over. */
struct ctype ctype_parse(struct sonde_str text, uint8_t long_size);

/* Whether a word can begin a type name that is no plain identifier: "unsigned", "struct", "u32", "gfp_t". */
bool ctype_word(struct sonde_str word);

#endif
