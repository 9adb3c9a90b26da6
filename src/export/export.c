/* SPDX-License-Identifier: MIT */
#include "export/export.h"

#include "base/bytes.h"

#define FORMATS(row) \
	row("folded", export_folded, "one line a stack and its count, for flame graphs: comm;outer;...;inner 42") \
	row("html", export_html, "one page: a flame graph beside the table of functions, needs no network") \
	row("json", export_json, "the report for programs: docs/report-json.md") \
	row("report", export_report, "a table of functions, with call trees, as perf report --stdio shows it")

#define PUBLIC(name, write, help) { name, help },
#define WRITER(name, write, help) write,
const struct sonde_export_format export_formats[] = { FORMATS(PUBLIC) };
int (*const export_writers[])(struct export *x) = { FORMATS(WRITER) };
const size_t nr_export_formats = ARRAY_SIZE(export_formats);
