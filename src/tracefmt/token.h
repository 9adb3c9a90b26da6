/* SPDX-License-Identifier: MIT */
/* token.h - the words of a print format: C tokens */
#ifndef TRACEFMT_TOKEN_H
#define TRACEFMT_TOKEN_H

#include "base/arena.h"
#include <sonde/types.h>

enum token_kind {
	TOKEN_END, TOKEN_NUMBER, TOKEN_STRING, TOKEN_NAME, TOKEN_OPERATOR,
	TOKEN_BAD,                   /* no C token: an unterminated string, a stray character */
};

/* Operators are their characters, the first in the low byte: OPERATOR('<', '<', 0). */
#define OPERATOR(a, b, c) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16)

struct token {
	enum token_kind kind;
	struct sonde_str text;       /* of a string: with its escapes undone */
	uint32_t op;
	uint64_t number;
	uint8_t size;                /* of a number: 4 or 8 */
	bool is_signed;
};

struct lexer {
	const char *p, *end;
	uint8_t long_size;
	struct arena *arena;         /* for strings */
	struct token token;          /* the current one */
	bool no_memory;
};

/* Steps to the next token. A copy of a lexer taken before is a place to go back to. */
void lexer_next(struct lexer *l);

#endif
