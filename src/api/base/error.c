/* SPDX-License-Identifier: MIT */
#include "api/base/error.h"

#include "base/opts.h"

enum { SZ_MAX = 65536 };  /* a larger struct is one whose sz was never set */

int error_begin(struct sonde_error *own, const struct sonde_error *to)
{
	*own = (struct sonde_error){ .sz = sizeof(*own), .file_offset = SONDE_NONE };
	return to && (to->sz < sizeof(to->sz) || to->sz > SZ_MAX) ? -SONDE_USAGE : 0;
}

int error_end(struct sonde_error *to, const struct sonde_error *own, int r)
{
	opts_give(to, own, sizeof(*own));
	return r;
}
