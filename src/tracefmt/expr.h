/* SPDX-License-Identifier: MIT */
/* expr.h - the expressions of a print format as a typed tree */
#ifndef TRACEFMT_EXPR_H
#define TRACEFMT_EXPR_H

#include "base/vec.h"
#include "tracefmt/ctype.h"
#include "tracefmt/token.h"
#include "tracefmt/tracefmt.h"

enum node_kind {
	NODE_NUMBER,      /* number */
	NODE_STRING,      /* text */
	NODE_FIELD,       /* the integer in a field */
	NODE_BYTES,       /* the bytes of a field, of a dynamic one those it points to */
	NODE_LENGTH,      /* how many bytes a dynamic field points to */
	NODE_UNARY,       /* op a: '-', '~', '!' */
	NODE_BINARY,      /* a op b */
	NODE_COND,        /* a ? b : c */
	NODE_CAST,        /* a as an integer of size and sign, or as bytes of another element */
	NODE_ELEMENT,     /* a[b] of bytes */
	NODE_ADVANCE,     /* bytes a from element b on */
	NODE_SWAP,        /* bytes of integer a in reverse order */
	NODE_CALL,        /* call: prints text */
	NODE_RECORD,      /* REC, on the way to a field */
};

enum call {
	CALL_FLAGS,    /* a: value; text: delimiter; names */
	CALL_SYMBOLIC, /* a: value; names */
	CALL_HEX,      /* a: bytes; b: count; number: separator or 0 */
	CALL_ARRAY,    /* a: bytes; b: count; c: size of an element */
	CALL_HEX_DUMP, /* a: bytes; b: count; text: prefix; number: row | group << 8 | ascii << 16 | kind << 24 */
	CALL_BITMASK,  /* a: bytes; in hex */
	CALL_CPULIST,  /* a: bytes; as a list of ranges */
	CALL_SOCKADDR, /* a: bytes */
	CALL_DEVICE,   /* a: number of a device, as major:minor */
	CALL_HYPERCALL, /* a: number of a call of Xen */
	CALL_SCSI,     /* a: bytes; b: count */
};

enum value_kind { VALUE_INT, VALUE_BYTES, VALUE_TEXT };

#define NO_NODE UINT32_MAX
#define LEAF .a = NO_NODE, .b = NO_NODE, .c = NO_NODE   /* in the initializer of a node */

struct node {
	uint8_t kind, call;
	uint8_t value;               /* enum value_kind */
	uint8_t size;                /* VALUE_INT: 1, 2, 4 or 8; VALUE_BYTES: of an element */
	bool is_signed;
	bool is_pointer;             /* an integer that is an address in the kernel */
	uint16_t depth;
	uint32_t op;                 /* OPERATOR() */
	uint32_t a, b, c;            /* numbers of nodes, or NO_NODE */
	uint64_t number;
	struct sonde_str text;
	const struct sonde_tracepoint_field *field;
	uint32_t names, nr_names;    /* range of struct exprs.names */
};

/* {value, "name"} of __print_flags and __print_symbolic */
struct value_name {
	uint64_t value;
	struct sonde_str name;
};

/* A variable of a statement expression: another name of a node. */
struct local {
	struct sonde_str name;
	uint32_t node;
};

struct exprs {
	const struct tracefmt_event *event;
	struct lexer lexer;
	VEC(struct node) nodes;
	VEC(struct value_name) names;
	VEC(struct local) locals;
	unsigned depth;
	bool in_names;               /* an unknown constant costs only the entry that it is the value of ... */
	bool unknown;                /* ... there was one */
	char reason[160];            /* why parsing failed */
};

/* Parses one expression at the lexer's token. Returns its number, or NO_NODE after setting reason. */
uint32_t expr_parse(struct exprs *x);

/* NO_NODE; notes the first reason. */
uint32_t expr_fail(struct exprs *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What the parser of calls (call.c) needs; each notes a reason when it does not succeed. */
uint32_t expr_unexpected(struct exprs *x, const char *wanted);
bool expr_at(const struct exprs *x, uint32_t op);              /* the current token is this operator */
bool expr_take(struct exprs *x, uint32_t op);                  /* and steps over it; no reason */
bool expr_expect(struct exprs *x, char c);
bool expr_take_string(struct exprs *x, struct sonde_str *out); /* a string, or several that C joins */
bool expr_take_type(struct exprs *x, struct ctype *type); /* a type name and ')'; no reason, nothing taken if not */

#endif
