/* SPDX-License-Identifier: MIT */
#include "cli/rows/snapshot.h"

#include <stdio.h>
#include <string.h>

static const struct { const char *end, *format; } formats[] = {
	{ ".html", "html" }, { ".folded", "folded" }, { ".json", "json" }, { ".txt", "report" },
};

static const char *format_of(const char *name)
{
	size_t n = strlen(name), m;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		m = strlen(formats[i].end);
		if (n > m && !strcmp(name + n - m, formats[i].end))
			return formats[i].format;
	}
	return NULL;
}

void snapshot_write(struct sonde_profile *p, const struct sonde_export_opts *opts, const char *name, char *told,
		    size_t size)
{
	const char *format = format_of(name);
	struct sonde_report_opts report = *opts->report;
	struct sonde_export_opts whole = *opts;
	struct sonde_error err = { .sz = sizeof(err) };

	if (!format) {
		snprintf(told, size, "%s: the name has to end in .html, .folded, .json or .txt", name);
		return;
	}
	report.no_header = false;
	report.separator = 0;
	report.max_rows = 0;
	report.graph_later = false;
	whole.report = &report;
	if (sonde_export_file(p, format, name, &whole, &err) < 0)
		snprintf(told, size, "%s: %s", name, err.text);
	else
		snprintf(told, size, "%s is written", name);
}
