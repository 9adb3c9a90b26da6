/* SPDX-License-Identifier: MIT */
/*
 * context_markers.h - entries of a callchain that say in which mode the addresses after them were: the kernel's
 * PERF_CONTEXT_*, of which older headers of it lack some
 */
#ifndef MODEL_CONTEXT_MARKERS_H
#define MODEL_CONTEXT_MARKERS_H

#include <stdint.h>

#define CONTEXT_HV            ((uint64_t)-32)
#define CONTEXT_KERNEL        ((uint64_t)-128)
#define CONTEXT_USER          ((uint64_t)-512)
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)   /* a cookie follows */
#define CONTEXT_GUEST         ((uint64_t)-2048)
#define CONTEXT_GUEST_KERNEL  ((uint64_t)-2176)
#define CONTEXT_GUEST_USER    ((uint64_t)-2560)
#define CONTEXT_MAX           ((uint64_t)-4095)  /* values from here on are markers, not addresses */

#endif
