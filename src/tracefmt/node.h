/* SPDX-License-Identifier: MIT */
/* node.h - the nodes of an expression, made with the types that C gives them */
#ifndef TRACEFMT_NODE_H
#define TRACEFMT_NODE_H

#include "base/vec.h"
#include "tracefmt/ctype.h"
#include "tracefmt/token.h"
#include "tracefmt/tracefmt.h"

#define NODE_DEPTH_MAX 200

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
	bool needs_kernel;           /* parsing failed at a name whose value only the kernel has */
	char reason[160];            /* why parsing failed */
	/* Parses the arguments of a call whose '(' has been taken, and its ')'. NO_NODE for an unknown function. */
	uint32_t (*call)(struct exprs *x, struct sonde_str name);
};

/* NO_NODE; notes the first reason. */
uint32_t node_fail(struct exprs *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Each returns the number of a node, or NO_NODE after setting the reason. What computes with constants alone is
 * computed: the node is a NODE_NUMBER then.
 */
uint32_t node_add(struct exprs *x, struct node n);
uint32_t node_number(struct exprs *x, uint64_t v, uint8_t size, bool is_signed);
/* The value of REC->field: an integer, or bytes; and in any case the bytes. */
uint32_t node_field(struct exprs *x, const struct sonde_tracepoint_field *f);
uint32_t node_bytes(struct exprs *x, const struct sonde_tracepoint_field *f);
/* n as an integer of another type. */
uint32_t node_convert(struct exprs *x, uint32_t n, uint8_t size, bool is_signed);
uint32_t node_cast(struct exprs *x, struct ctype type, uint32_t a);
uint32_t node_unary(struct exprs *x, uint32_t op, uint32_t a);
uint32_t node_binary(struct exprs *x, uint32_t op, uint32_t a, uint32_t b);
/* a ? b : c */
uint32_t node_cond(struct exprs *x, uint32_t a, uint32_t b, uint32_t c);
/* bytes[index] */
uint32_t node_element(struct exprs *x, uint32_t bytes, uint32_t index);
/* &REC->field, &REC->array[2] */
uint32_t node_address(struct exprs *x, uint32_t a);

bool node_is_int(const struct exprs *x, uint32_t n);

/* The field of that name; NULL after setting the reason. */
const struct sonde_tracepoint_field *node_find_field(struct exprs *x, struct sonde_str name);

#endif
