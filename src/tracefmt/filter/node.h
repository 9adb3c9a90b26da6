/* SPDX-License-Identifier: MIT */
/* node.h - the expression of a filter as a tree: parse.c makes it, filter.c evaluates it */
#ifndef TRACEFMT_FILTER_NODE_H
#define TRACEFMT_FILTER_NODE_H

#include <regex.h>

#include "base/vec.h"
#include "tracefmt/token.h"
#include "tracefmt/tracefmt.h"

#define FILTER_NONE UINT32_MAX

enum filter_kind {
	FILTER_NUMBER, FILTER_STRING, FILTER_FIELD, FILTER_COMM, FILTER_CPU,
	FILTER_UNARY,                /* op a */
	FILTER_BINARY,               /* a op b: a number */
	FILTER_COMPARE,              /* a op b: true or false */
	FILTER_AND, FILTER_OR,
};

/* Operators that C does not have. */
#define FILTER_LIKE OPERATOR('~', 0, 0)
#define FILTER_MATCHES OPERATOR('=', '~', 0)
#define FILTER_MATCHES_NOT OPERATOR('!', '~', 0)

struct filter_node {
	enum filter_kind kind;
	uint32_t op, a, b;
	uint64_t number;
	const char *text;            /* of a string, the name of a field */
	regex_t *regex;              /* of what an operator matches with */
	const struct tracefmt_event *of;              /* the event that the field was looked for in last, */
	const struct sonde_tracepoint_field *field;   /* and what was found */
};

struct filter_tree {
	VEC(struct filter_node) nodes;
	uint32_t root;               /* FILTER_NONE: there is no expression */
	struct arena arena;
};

/* 0, -SONDE_USAGE, -SONDE_NOMEM; filter_tree_free() in any case. */
int filter_parse(struct filter_tree *t, const char *text, struct sonde_error *err);
void filter_tree_free(struct filter_tree *t);

/* A regular expression for any case: 0, -SONDE_USAGE, -SONDE_NOMEM. */
int filter_regex(regex_t **out, const char *text, struct sonde_error *err);
void filter_regex_free(regex_t *r);

#endif
