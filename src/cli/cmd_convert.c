/* SPDX-License-Identifier: MIT */
/* cmd_convert.c - writes a trace in another form */
#include <sonde/rewrite.h>

#include <stdlib.h>
#include <string.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/read_progress.h"
#include "cli/base/rewriting.h"

static const char *to, *endian, *compression, *level, *build_ids;
static uint64_t attr_size, version;
static bool no_compress, redact, aligned, rebuild, unwind;

static bool is_number(const char *word)
{
	return *word >= '0' && *word <= '9';
}

static const struct option_row convert_options[] = {
	{ "to", 0, OPTION_STRING, &to, .arg = "FORM",
	  .help = "write a perf.data (file, pipe, dir) or a trace.dat (v6, v7); default: as the input. A change of "
		  "format keeps tracepoints only",
	  .values = { .words = WORDS("file", "pipe", "dir", "v6", "v7") } },
	{ "endian", 0, OPTION_STRING, &endian, .arg = "ORDER",
	  .help = "byte order: little or big (default: unchanged)",
	  .values = { .words = WORDS("little", "big") } },
	{ "file-version", 0, OPTION_U64, &version, .arg = "N",
	  .help = "version of a trace.dat: 6 or 7 (default: unchanged)",
	  .values = { .words = WORDS("6", "7") } },
	{ "compression", 0, OPTION_STRING, &compression, .arg = "NAME",
	  .help = "none, zstd or, for a trace.dat, zlib (default: unchanged)",
	  .values = { .words = WORDS("none", "zlib", "zstd") } },
	{ "compression-level", 'z', OPTION_STRING, &level, .arg = "LEVEL", .optional = true, .takes = is_number,
	  .help = "compress, also compressed data, with zstd or the compression of the trace.dat; 1 is fastest" },
	{ "no-compress", 0, OPTION_FLAG, &no_compress, .help = "the same as --compression none" },
	{ "aligned", 0, OPTION_FLAG, &aligned,
	  .help = "perf.data: make compressed records a multiple of 8 bytes, for perf 6.16 and later" },
	{ "rebuild", 0, OPTION_FLAG, &rebuild,
	  .help = "perf.data: write the file anew even if nothing changes" },
	{ "attr-size", 0, OPTION_U64, &attr_size, .arg = "N",
	  .help = "size of each attr in bytes, for older readers, which refuse larger ones" },
	{ "build-ids", 0, OPTION_STRING, &build_ids, .arg = "WHERE", .optional = true,
	  .help = "add build ids of the files on this machine: to the header (feature, the default) or to the "
		  "mappings (mmap2)",
	  .values = { .words = WORDS("feature", "mmap2") } },
	{ "redact", 0, OPTION_FLAG, &redact,
	  .help = "replace private names: paths, hosts, texts, commands; remove stacks (docs/redact.md)" },
	{ "unwind", 0, OPTION_FLAG, &unwind,
	  .help = "perf.data: write the callchains that copies of stacks (--call-graph dwarf) and branches (lbr) "
		  "give; remove the copies" },
	{ "symfs", 0, OPTION_STRING, &symbol_options.symfs, .arg = "DIR",
	  .help = "for --unwind: look for binaries below this directory" },
	QUIET_ROW,
	{ 0 },
};

/* The index + 1 of `word` in a list that ends with NULL; 0 if word is NULL, -1 if it is not in the list. */
static int choose(const char *word, const char *const *names)
{
	for (int i = 0; word && names[i]; i++)
		if (strcmp(word, names[i]) == 0)
			return i + 1;
	return word ? -1 : 0;
}

static int parse_compression(struct sonde_convert_opts *opts)
{
	static const char *const names[] = { "none", "zlib", "zstd", NULL };
	int chosen = choose(no_compress ? "none" : compression, names);
	char *end = NULL;

	opts->aligned = aligned;
	if (aligned && chosen == 1)
		return say_usage("--aligned needs compressed records");
	if (chosen < 0)
		return say_usage("--compression takes none, zlib or zstd, not '%s'", compression);
	opts->compression = (enum sonde_compression)chosen;
	if (!level)
		return 0;
	if (chosen == SONDE_COMPRESSION_NONE)
		return say_usage("-z excludes --no-compress and --compression none");
	opts->level = *level ? (uint32_t)strtoul(level, &end, 10) : 0;
	if (end && (*end || opts->level == 0 || opts->level > 100))
		return say_usage("-z takes a level from 1 on, not '%s'", level);
	opts->pack = true;
	return 0;
}

static int parse(struct sonde_convert_opts *opts)
{
	static const char *const forms[] = { "file", "pipe", "dir", "v6", "v7", NULL },
				 *const orders[] = { "little", "big", NULL };
	int form = choose(to, forms), order = choose(endian, orders);

	if (form < 0)
		return say_usage("--to takes file, pipe, dir, v6 or v7, not '%s'", to);
	if (order < 0)
		return say_usage("--endian takes little or big, not '%s'", endian);
	if (attr_size > 4096)
		return say_usage("--attr-size takes 64 to 4096");
	if (version && version != 6 && version != 7)
		return say_usage("--file-version takes 6 or 7");
	opts->to = form <= 3 ? (enum sonde_rewrite_form)form : SONDE_FORM_SAME;
	opts->version = form > 3 ? (uint32_t)form + 2 : (uint32_t)version;
	opts->endian = (enum sonde_rewrite_endian)order;
	opts->attr_size = (uint32_t)attr_size;
	opts->redact = redact;
	opts->rebuild = rebuild;
	opts->unwind = unwind;
	opts->symbols = &symbol_options;
	if (unwind && (opts->version || endian || redact || build_ids))
		return say_usage("--unwind excludes --redact, --endian, --build-ids and forms of trace.dat");
	if (build_ids && *build_ids && strcmp(build_ids, "feature") != 0 && strcmp(build_ids, "mmap2") != 0)
		return say_usage("--build-ids takes feature or mmap2, not '%s'", build_ids);
	if (build_ids)
		opts->build_ids = strcmp(build_ids, "mmap2") == 0 ? SONDE_BUILD_IDS_MMAP2 : SONDE_BUILD_IDS_FEATURE;
	return parse_compression(opts);
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
	w = rewriting_begin();
	if (w)
		status = sonde_convert(w, argv[0], argv[1], &opts);
	if (w && status == 0)
		say_bundle_left_out(argv[0]);
	return rewriting_end(w, argv[0], status, false);
}

static const struct example convert_examples[] = {
	{ "sonde convert -z perf.data small.data", "compress a recording" },
	{ "sonde convert --to v6 trace.dat old.dat", "make a trace.dat that older trace-cmd reads" },
	{ "sonde convert --redact perf.data public.data", "leave names and stacks out before a file is given away" },
	{ 0 },
};

const struct command cmd_convert = {
	.name = "convert",
	.args = "INPUT OUTPUT",
	.help = "write a trace in another form",
	.details = "A perf.data file has its events and features in tables, a pipe (-) in records; a directory has "
		   "such a file, data, and a file of samples for each CPU. A trace.dat has version 6, or 7, which can "
		   "be compressed. Everything that has no place in the new form is named. Without options, or if the "
		   "trace has that form already, the output has the same bytes as the input.\n"
		   "With --endian everything in a perf.data keeps its offset, so that the way back gives the same "
		   "bytes again; compressed records are compressed anew. Texts, stacks, hardware trace and raw data "
		   "of tracepoints keep the order of the recorder; so do unknown fields, which are named.",
	.options = convert_options,
	.examples = convert_examples,
	.run = convert_run,
};
