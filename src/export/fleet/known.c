/* SPDX-License-Identifier: MIT */
#include "export/fleet/known.h"

enum { KNOWN_MAX = 1 << 20 };

int known_add(struct sonde_export_known *k, int64_t date, int64_t id)
{
	if (k->date != date || k->ids.entries.n >= KNOWN_MAX)
		u64map_free(&k->ids);
	k->date = date;
	return u64map_set(&k->ids, (uint64_t)id, 0);
}
