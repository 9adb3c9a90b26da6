/* SPDX-License-Identifier: MIT */
/* cmd_bundle.c - one file with a recording and with the names, lines and tables that it needs */
#include <sonde/bundle.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/code_options.h"
#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/ledger.h"
#include "cli/base/memory.h"
#include "cli/base/message.h"
#include "cli/base/symbol_notes.h"

static const char *input, *output;
static bool list, strip, code, source;

static const struct option_row bundle_options[] = {
	{ "input", 'i', OPTION_STRING, &input, .arg = "FILE", .help = "the trace" },
	{ "output", 'o', OPTION_STRING, &output, .arg = "FILE",
	  .help = "write this file; default: the name of the trace and .bundle" },
	{ "code", 0, OPTION_FLAG, &code, .help = "add the machine code of functions with samples" },
	{ "source", 0, OPTION_FLAG, &source, .help = "add the text of the source files, for annotate" },
	SOURCE_DIR_ROW,
	{ "list", 0, OPTION_FLAG, &list, .help = "list what is in a bundle, write nothing" },
	{ "strip", 0, OPTION_FLAG, &strip, .help = "write the recording without its bundle" },
	{ .kind = OPTION_HEADING, .help = "Symbols" },
	SYMBOL_ROWS,
	FORCE_ROW,
	ACCEPTED_VERBOSE_ROW,
	{ 0 },
};

static void print_member(const struct sonde_bundle_member *m)
{
	char id[41] = "-";

	for (size_t i = 0; i < m->build_id_size; i++)
		snprintf(id + 2 * i, 3, "%02x", m->build_id[i]);
	printf("%-10s %10" PRIu64 " %10" PRIu64 "  %-40s  ", m->kind, m->size, m->raw_size, id);
	print_trace_text(m->name);
	putchar('\n');
}

static int print_list(const char *path)
{
	struct sonde_bundle *b = sonde_bundle_new();
	const struct sonde_bundle_member *m;
	int status = 0;

	if (!b)
		return say_out_of_memory();
	if (sonde_bundle_open(b, path) < 0) {
		status = say_error(path, sonde_bundle_error(b));
	} else {
		printf("%-10s %10s %10s  %-40s  %s\n", "Kind", "Bytes", "Unpacked", "Build id", "Binary");
		for (size_t i = 0; (m = sonde_bundle_member_at(b, i)); i++)
			print_member(m);
		if (sonde_bundle_verify(b) < 0)
			status = say_error(path, sonde_bundle_error(b));
	}
	sonde_bundle_free(b);
	return status;
}

static uint64_t count_members(struct sonde_bundle *b, uint64_t *bytes)
{
	const struct sonde_bundle_member *m;
	uint64_t n = 0;

	*bytes = 0;
	for (; (m = sonde_bundle_member_at(b, n)); n++)
		*bytes += m->size;
	return n;
}

/* The user should know the contents of a file that he gives away. */
static void say_content(const char *to)
{
	struct sonde_bundle *b = sonde_bundle_new();
	uint64_t bytes, n;

	if (b && sonde_bundle_open(b, to) == 0) {
		n = count_members(b, &bytes);
		say_done("%s: a recording of %" PRIu64 " bytes, %" PRIu64 " %s of %" PRIu64 " bytes behind it; besides "
			 "the recording itself it gives away names of functions, paths of binaries and of their "
			 "sources%s%s", to, sonde_bundle_recording(b), n, n == 1 ? "member" : "members", bytes,
			 code ? ", machine code" : "", source ? ", the text of sources" : "");
	}
	sonde_bundle_free(b);
}

static int write_output(const char *from, const char *to)
{
	const struct sonde_bundle_opts opts = { .sz = sizeof(opts), .symbols = &symbol_options, .code = code,
						.source = source, .source_dirs = code_words.source_dirs.at,
						.nr_source_dirs = code_words.source_dirs.n };
	struct sonde_error err = { .sz = sizeof(err) };
	int r = strip ? sonde_bundle_strip(from, to, &err) : sonde_bundle_write(from, to, &opts, &err);

	if (r < 0)
		return say_error(from, &err);
	if (!strip)
		say_content(to);
	return 0;
}

static int bundle_run(int argc, char **argv)
{
	const char *path = input_path(input, argc, argv);
	char *usual = NULL;
	int status;

	if (!path)
		return 2;
	if (list && (strip || output || code || source))
		return say_usage("--list writes nothing: it excludes --strip, --code, --source and -o");
	if (strip && (code || source || !output))
		return say_usage(output ? "--strip excludes --code and --source" : "--strip needs -o FILE");
	if (list)
		return print_list(path);
	if (!output && asprintf(&usual, "%s.bundle", path) < 0)
		return say_out_of_memory();
	symbol_notes_warn_of_lines(&symbol_options);
	status = write_output(path, output ? output : usual);
	free(usual);
	return status;
}

static const struct example bundle_examples[] = {
	{ "sonde bundle perf.data -o whole.data", "write a recording that shows its names on any machine" },
	{ 0 },
};

const struct command cmd_bundle = {
	.name = "bundle",
	.args = "[FILE]",
	.help = "write one file with a recording and all names and lines that it needs, to be read anywhere",
	.details = "The recording is copied as it is, so perf and trace-cmd read the file as the recording. Behind it "
		   "are the functions, inlined functions and source lines of the addresses that occur, and tables for "
		   "unwinding where stacks were copied. report, script and export take them from there before they "
		   "look for binaries on their machine.\n"
		   "The file gives away names of functions, paths of binaries and of their sources, and with --code "
		   "the machine code of functions with samples, with --source the text of their sources.",
	.options = bundle_options,
	.examples = bundle_examples,
	.run = bundle_run,
};
