/* SPDX-License-Identifier: MIT */
/*
 * cpu_map.h - a set of CPUs as CPU_MAP and EVENT_UPDATE records have it: listed, as words of bits, or from one to
 * another.
 */
#ifndef PERFDATA_FORMAT_CPU_MAP_H
#define PERFDATA_FORMAT_CPU_MAP_H

#include <sonde/event.h>

#include "base/arena.h"
#include "base/cursor.h"

/*
 * At the u16 type with which the set begins. The ranges are those of the record, in its order, neighbours as one; a
 * part that is cut is left out. Returns 0, -SONDE_CORRUPT if the set is of no known type, -SONDE_NOMEM.
 */
int cpu_map_decode(struct cursor *c, struct arena *arena, const struct sonde_cpu_range **out, size_t *nr);

#endif
