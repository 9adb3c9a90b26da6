/* SPDX-License-Identifier: MIT */
/* feature_order.h - the other byte order of header features, in place; see byte_order.h */
#ifndef PERFDATA_REWRITE_FEATURE_ORDER_H
#define PERFDATA_REWRITE_FEATURE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * swap_feature - the payload of a feature
 * @swap: the order that it has now is not the host's
 * @nr_cpus: as the feature NRCPUS says: others have an entry for each
 * Returns NULL, or in a few words the part that could not be swapped.
 */
const char *swap_feature(uint32_t id, uint8_t *p, size_t n, bool swap, uint32_t nr_cpus);

#endif
