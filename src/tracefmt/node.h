/* SPDX-License-Identifier: MIT */
/* node.h - the nodes of an expression, made with the types that C gives them */
#ifndef TRACEFMT_NODE_H
#define TRACEFMT_NODE_H

#include "tracefmt/ctype.h"
#include "tracefmt/expr.h"

#define NODE_DEPTH_MAX 200

/*
 * Each returns the number of a node, or NO_NODE after setting the reason. What computes with constants alone is computed: the node is a
 * NODE_NUMBER then.
 */
uint32_t node_add(struct exprs *x, struct node n);
uint32_t node_number(struct exprs *x, uint64_t v, uint8_t size, bool is_signed);
/* What REC->field stands for: an integer, or bytes; and in any case the bytes. */
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
