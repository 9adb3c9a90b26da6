/* SPDX-License-Identifier: MIT */
/* record_bits.h - names of branch filters and registers to the bits that perf_event_open(2) takes. */
#ifndef CLI_RECORD_BITS_H
#define CLI_RECORD_BITS_H

#include <stdint.h>

/* "any_call,u", added to *out; levels alone mean any branch. -SONDE_USAGE after a message that lists the names. */
int branch_bits(const char *option, const char *arg, uint64_t *out);

/* "AX,SP", added to *out; all of this machine if arg is NULL. */
int register_bits(const char *option, const char *arg, uint64_t *out);

/* "AX BX CX ..." */
const char *register_list(void);

#endif
