/* SPDX-License-Identifier: MIT */
/* keys.h - which CPUs and threads share a line: by the topology of /sys, and the names of /proc. */
#ifndef CLI_STAT_KEYS_H
#define CLI_STAT_KEYS_H

#include "cli/stat/table.h"

/* The key of a cell in t->keys, which is added if it is new. Negative after a message. */
int stat_key_of(struct stat_table *t, const struct sonde_counter_value *cell, uint64_t cache_level);

/* Puts the keys in the order of CPUs, cores or sockets; before there are cells. */
void stat_keys_sort(struct stat_table *t);

#endif
