/* SPDX-License-Identifier: MIT */
/* keys.h - which CPUs and threads share a line: by the topology of /sys, and the names of /proc. */
#ifndef STAT_KEYS_H
#define STAT_KEYS_H

#include "stat/table.h"

/* The key of a cell in t->keys, which is added if it is new; or -SONDE_NOMEM. */
int stat_key_of(struct stat_table *t, enum sonde_stat_by by, const struct sonde_counter_value *cell);

/* Are these two CPUs of one core? */
bool stat_is_one_core(const char *sysfs, int32_t cpu, int32_t other);

/* A number of the CPU's topology on this machine, as "core_id"; 0 where the machine does not say. */
int stat_topology(const char *sysfs, int32_t cpu, const char *what);

/* Does the recording say which core, die, socket or node a CPU belongs to? */
bool stat_keys_are_recorded(const struct meta *m, enum sonde_stat_by by);

/* Puts the keys in the order of CPUs, cores or sockets; before there are cells. 0 or -SONDE_NOMEM. */
int stat_keys_sort(struct stat_table *t);

#endif
