/* SPDX-License-Identifier: MIT */
/* hypercall.h - names of the calls of a Xen guest: xen_hypercall_name() of print formats */
#ifndef TRACEFMT_HYPERCALL_H
#define TRACEFMT_HYPERCALL_H

#include <stdint.h>

/* "(mmu_update)", or "" for a number that is not known. */
const char *hypercall_name(uint64_t number);

#endif
