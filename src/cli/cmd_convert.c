/* SPDX-License-Identifier: MIT */
/* cmd_convert.c - the same trace in another form. */
#include <sonde/rewrite.h>

#include <string.h>

#include "cli/command.h"
#include "cli/rewriting.h"

static const char *to, *endian;
static uint64_t attr_size;

static const struct option_row convert_options[] = {
	{ "to", 0, OPTION_STRING, &to, .arg = "FORM", .help = "file or pipe; default: as it is" },
	{ "endian", 0, OPTION_STRING, &endian, .arg = "ORDER", .help = "little or big; default: as it is" },
	{ "attr-size", 0, OPTION_U64, &attr_size, .arg = "N", .help = "bytes of each attr: older readers refuse what is larger than theirs" },
	{ 0 },
};

static int parse(struct sonde_convert_opts *opts)
{
	if (to && strcmp(to, "file") != 0 && strcmp(to, "pipe") != 0)
		return say_usage("--to takes file or pipe, not '%s'", to);
	if (endian && strcmp(endian, "little") != 0 && strcmp(endian, "big") != 0)
		return say_usage("--endian takes little or big, not '%s'", endian);
	if (attr_size > 4096)
		return say_usage("--attr-size takes 64 to 4096");
	opts->to = !to ? SONDE_FORM_SAME : strcmp(to, "file") == 0 ? SONDE_FORM_FILE : SONDE_FORM_PIPE;
	opts->endian = !endian ? SONDE_ENDIAN_SAME : strcmp(endian, "big") == 0 ? SONDE_ENDIAN_BIG : SONDE_ENDIAN_LITTLE;
	opts->attr_size = (uint32_t)attr_size;
	return 0;
}

static int convert_run(int argc, char **argv)
{
	struct sonde_convert_opts opts = { .sz = sizeof(opts) };
	struct sonde_rewrite *w;
	int status = parse(&opts);

	if (status)
		return status;
	if (argc != 2)
		return say_usage("an input and an output are needed");
	w = sonde_rewrite_new();
	if (w)
		status = sonde_convert(w, argv[0], argv[1], &opts);
	return rewriting_end(w, argv[0], status, false);
}

const struct command cmd_convert = {
	.name = "convert",
	.args = "INPUT OUTPUT",
	.help = "write a perf.data in another form",
	.details = "A file has its events and features in tables, a pipe (-) in records. What has no place in the new form is named. "
		   "Without options, or when the trace has that form already, the output has the same bytes "
		   "as the input.",
	.options = convert_options,
	.run = convert_run,
};
