/* SPDX-License-Identifier: MIT */
/* profile_binaries.c - writes the binaries that a profile needs */
#include <sonde/export.h>

#include "analyze/tables/profile.h"
#include "api/base/error.h"
#include "api/base/text_output.h"
#include "base/vec.h"
#include "export/summary/binaries.h"

/* Returns the number of rows that lack something. */
static int choose_rows(const struct sonde_profile *p, bool missing, const struct sonde_profile_binary **rows, size_t *n)
{
	int lacking = 0;

	*n = 0;
	for (size_t i = 0; i < p->found.binaries.n; i++) {
		const struct sonde_profile_binary *b = &p->found.binaries.at[i];

		lacking += b->lack != SONDE_LACK_NOTHING;
		if (!missing || b->lack != SONDE_LACK_NOTHING)
			rows[(*n)++] = b;
	}
	return lacking;
}

static int print_binaries(struct sonde_profile *p, const struct sonde_output *to,
			  const struct sonde_binaries_opts *opts, struct sonde_error *err)
{
	const char *separator = OPT(opts, separator, NULL);
	const struct sonde_profile_binary **rows;
	struct buf out = text_output(to, err);
	int r = OPTS_CHECK(sonde_binaries_opts, opts, err), lacking, w;
	size_t n;

	if (r < 0)
		return r;
	r = sonde_profile_find_binaries(p, OPT(opts, all, false));
	rows = r == 0 ? calloc(p->found.binaries.n + 1, sizeof(*rows)) : NULL;
	if (!rows)
		return err_nomem(err);
	lacking = choose_rows(p, OPT(opts, missing, false), rows, &n);
	if (OPT(opts, json, false))
		summary_binaries_json(rows, n, &out);
	else if (separator)
		summary_binaries_separated(rows, n, separator, &out);
	else
		summary_binaries_text(rows, n, &out);
	w = buf_flush(&out);
	buf_free(&out);
	free(rows);
	return w < 0 ? w : lacking;
}

int sonde_profile_print_binaries(struct sonde_profile *p, const struct sonde_output *to,
				 const struct sonde_binaries_opts *opts, struct sonde_error *err)
{
	WITH_ERROR(err, own, print_binaries(p, to, opts, &own));
}
