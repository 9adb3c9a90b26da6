/* SPDX-License-Identifier: MIT */
#include "base/opts.h"

#include <string.h>

static int check(const uint8_t *p, size_t known, size_t size, const char *name, struct sonde_error *err)
{
	if (size < sizeof(size))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "sz of %s is %zu: set it to the size of the struct", name,
			       size);
	for (size_t i = known; i < size; i++)
		if (p[i])
			return err_set(err, SONDE_USAGE, SONDE_NONE,
				       "%s sets a member that this version of libsonde does not know", name);
	return 0;
}

int opts_check(const void *opts, size_t known, const char *name, struct sonde_error *err)
{
	size_t sz;

	if (!opts)
		return 0;
	memcpy(&sz, opts, sizeof(sz));
	return check(opts, known, sz, name, err);
}

int opts_take(void *to, size_t known, const void *from, size_t size, const char *name, struct sonde_error *err)
{
	int r = from ? check(from, known, size, name, err) : 0;

	memset(to, 0, known);
	if (r == 0 && from)
		memcpy(to, from, size < known ? size : known);
	return r;
}

void opts_give(void *to, const void *from, size_t known)
{
	size_t sz, n;

	if (!to)
		return;
	memcpy(&sz, to, sizeof(sz));
	n = sz < known ? sz : known;
	memcpy((uint8_t *)to + sizeof(sz), (const uint8_t *)from + sizeof(sz), n - sizeof(sz));
	memset((uint8_t *)to + n, 0, sz - n);
}
