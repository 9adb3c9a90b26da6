/* SPDX-License-Identifier: MIT */
/* fleet.c - the data set of a fleet */
#include <sonde/fleet.h>

#include "api/base/error.h"
#include "base/opts.h"
#include "fleet/compact.h"

static int compact(const char *dir, const struct sonde_fleet_compact_opts *opts, struct sonde_fleet_compacted *done,
		   struct sonde_error *err)
{
	struct sonde_fleet_compacted result = { .sz = sizeof(result) };
	struct sonde_fleet_compact_opts known;
	int r = OPTS_TAKE(sonde_fleet_compact_opts, &known, opts, err);

	if (r == 0)
		r = opts_check(done, SIZE_MAX, "struct sonde_fleet_compacted", err);
	if (r < 0)
		return r;
	r = fleet_compact(dir, &known, &result, err);
	opts_give(done, &result, sizeof(result));
	return r;
}

int sonde_fleet_compact(const char *dir, const struct sonde_fleet_compact_opts *opts,
			struct sonde_fleet_compacted *done, struct sonde_error *err)
{
	WITH_ERROR(err, own, compact(dir, opts, done, &own));
}
