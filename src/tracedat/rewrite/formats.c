/* SPDX-License-Identifier: MIT */
#include "tracedat/rewrite/formats.h"

#include "tracedat/format/metadata.h"

static int add_format(void *ctx, const char *system, struct sonde_str text, uint64_t at)
{
	(void)at;
	return tracefmt_add_format(ctx, system, text, NULL) == -SONDE_NOMEM ? -SONDE_NOMEM : 0;
}

static int read_section(struct dat_rewrite *w, struct tracefmt *t, uint16_t id)
{
	const struct dat_part *part = dat_file_section(&w->in, id);
	uint8_t *p = NULL;
	size_t n;
	int r = part ? dat_part_load(&w->in, part, &p, &n, &w->handle->err) : 0;

	if (r == 0 && p && id == SECTION_CMDLINES)
		r = tracefmt_add_cmdlines(t, dat_metadata_text(id, p, n));
	else if (r == 0 && p && id != SECTION_CMDLINES)
		r = dat_metadata_formats(p, n, id, w->in.swap, add_format, t);
	free(p);
	return r;
}

int dat_rewrite_formats(struct dat_rewrite *w, struct tracefmt **out)
{
	const struct dat_header *h = &w->in.header;
	int r;

	*out = tracefmt_new(h->big_endian, h->long_size);
	r = *out ? read_section(w, *out, SECTION_FTRACE_FORMATS) : -SONDE_NOMEM;
	if (r == 0)
		r = read_section(w, *out, SECTION_EVENT_FORMATS);
	if (r == 0)
		r = read_section(w, *out, SECTION_CMDLINES);
	return r == -SONDE_NOMEM ? err_nomem(&w->handle->err) : r;
}
