/* SPDX-License-Identifier: MIT */
#include "base/opts.h"

#include <string.h>

int opts_check(const void *opts, size_t known, const char *name, struct sonde_error *err)
{
	const uint8_t *p = opts;
	size_t sz;

	if (!opts)
		return 0;
	memcpy(&sz, p, sizeof(sz));
	if (sz < sizeof(sz))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "sz of %s is %zu: set it to the size of the struct", name,
			       sz);
	for (size_t i = known; i < sz; i++)
		if (p[i])
			return err_set(err, SONDE_USAGE, SONDE_NONE,
				       "%s sets a member that this version of libsonde does not know", name);
	return 0;
}

void opts_give(void *to, const void *from, size_t known)
{
	size_t sz, n;

	memcpy(&sz, to, sizeof(sz));
	n = sz < known ? sz : known;
	memcpy((uint8_t *)to + sizeof(sz), (const uint8_t *)from + sizeof(sz), n - sizeof(sz));
	memset((uint8_t *)to + n, 0, sz - n);
}
