/* SPDX-License-Identifier: MIT */
/* bits.h - names of branch filters and registers as bits of perf_event_open(2) */
#ifndef CLI_RECORD_BITS_H
#define CLI_RECORD_BITS_H

#include <stdint.h>

/* Adds "any_call,u" to *out; levels alone mean any branch. -SONDE_USAGE after a message that lists the names. */
int branch_bits(const char *option, const char *arg, uint64_t *out);

/* Adds "AX,SP" to *out; all registers of this machine if arg is NULL. */
int register_bits(const char *option, const char *arg, uint64_t *out);

/* "AX BX CX ..." */
const char *register_list(void);

#endif
