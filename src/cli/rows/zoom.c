/* SPDX-License-Identifier: MIT */
#include "cli/rows/zoom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const titles[] = {
	[ZOOM_NAME] = "name", [ZOOM_THREAD] = "thread", [ZOOM_COMMAND] = "command", [ZOOM_DSO] = "binary",
	[ZOOM_FUNCTION] = "function", [ZOOM_TIME] = "time",
};

void zoom_drop(struct zoom *z, enum zoom_kind kind)
{
	size_t kept = 0;

	for (size_t i = 0; i < z->n; i++)
		if (z->steps[i].kind == kind)
			free(z->steps[i].text);
		else
			z->steps[kept++] = z->steps[i];
	z->n = kept;
}

int zoom_add(struct zoom *z, enum zoom_kind kind, const char *text, int32_t tid)
{
	char *copy = strdup(text);

	if (!copy)
		return -SONDE_NOMEM;
	zoom_drop(z, kind);
	z->steps[z->n++] = (struct zoom_step){ kind, copy, tid };
	return 0;
}

int zoom_copy(struct zoom *to, const struct zoom *from)
{
	int r = 0;

	*to = (struct zoom){ 0 };
	for (size_t i = 0; i < from->n && r == 0; i++)
		r = zoom_add(to, from->steps[i].kind, from->steps[i].text, from->steps[i].tid);
	return r;
}

const struct zoom_step *zoom_find(const struct zoom *z, enum zoom_kind kind)
{
	for (size_t i = 0; i < z->n; i++)
		if (z->steps[i].kind == kind)
			return &z->steps[i];
	return NULL;
}

void zoom_apply(const struct zoom *z, struct sonde_export_opts *opts, struct sonde_report_opts *report)
{
	for (size_t i = 0; i < z->n; i++) {
		const struct zoom_step *s = &z->steps[i];
		const char *const *name = (const char *const *)&s->text;

		switch (s->kind) {
		case ZOOM_NAME:
			report->symbol_part = s->text;
			break;
		case ZOOM_THREAD:
			opts->tids = &s->tid;
			opts->nr_tids = 1;
			break;
		case ZOOM_COMMAND:
			opts->comms = name;
			opts->nr_comms = 1;
			break;
		case ZOOM_DSO:
			opts->dsos = name;
			opts->nr_dsos = 1;
			break;
		case ZOOM_FUNCTION:
			report->symbols = name;
			report->nr_symbols = 1;
			break;
		case ZOOM_TIME:
		case NR_ZOOM_KINDS:
			break;
		}
	}
}

void zoom_describe(const struct zoom *z, char *text, size_t size)
{
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < z->n && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "  %s: %s", titles[z->steps[i].kind], z->steps[i].text);
}

void zoom_free(struct zoom *z)
{
	while (z->n)
		free(z->steps[--z->n].text);
}
