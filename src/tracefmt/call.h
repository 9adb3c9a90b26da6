/* SPDX-License-Identifier: MIT */
/* call.h - the functions that may be called in a print format */
#ifndef TRACEFMT_CALL_H
#define TRACEFMT_CALL_H

#include "tracefmt/expr.h"

/* Parses the arguments of a call whose '(' has been taken, and its ')'. NO_NODE for an unknown function. */
uint32_t call_parse(struct exprs *x, struct sonde_str name);

#endif
