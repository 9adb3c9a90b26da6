/* SPDX-License-Identifier: MIT */
/* export.c - a profile in another format. */
#include <sonde/export.h>

#include <string.h>

#include "base/bytes.h"
#include "export/export.h"

size_t sonde_export_formats(const struct sonde_export_format **out)
{
	*out = export_formats;
	return nr_export_formats;
}

/* Every option that the caller's header knows. */
static struct sonde_export_opts complete(const struct sonde_export_opts *opts)
{
	struct sonde_export_opts all = { .sz = sizeof(all) };
	size_t n = opts ? opts->sz : 0;

	if (n > sizeof(all.sz))
		memcpy((char *)&all + sizeof(all.sz), (const char *)opts + sizeof(all.sz),
		       (n < sizeof(all) ? n : sizeof(all)) - sizeof(all.sz));
	return all;
}

int sonde_export(const struct sonde_profile *p, const char *format, int fd, const struct sonde_export_opts *opts,
		 struct sonde_error *err)
{
	struct buf out = BUF_TO(fd, err);
	struct export x = { p, complete(opts), &out, err };
	int r;

	for (size_t i = 0; i < nr_export_formats; i++) {
		if (strcmp(export_formats[i].name, format) != 0)
			continue;
		r = export_writers[i](&x);
		if (r == -SONDE_NOMEM)
			err_nomem(err);
		else if (r == 0)
			r = buf_flush(&out);
		buf_free(&out);
		return r;
	}
	return err_set(err, SONDE_USAGE, SONDE_NONE, "there is no format '%s'", format);
}
