/* SPDX-License-Identifier: MIT */
/* cmd_fleet.c - the data set to which many machines add their profiles */
#include <sonde/fleet.h>

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cli/base/command.h"
#include "cli/base/message.h"

static const char *date;
static bool remove_files;

static const struct option_row fleet_options[] = {
	{ "date", 0, OPTION_STRING, &date, .arg = "DATE", .help = "only this date: 2026-11-22; default: all dates" },
	{ "remove", 0, OPTION_FLAG, &remove_files, .help = "remove files of machines whose rows have been compacted" },
	{ 0 },
};

static void say_left_out(void *ctx, const char *path, const struct sonde_error *err)
{
	(void)ctx;
	say_error(path, err);
}

static bool is_date(const char *text)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);

	return end && *end == '\0' && strlen(text) == strlen("2026-11-22");
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void say_result(const struct sonde_fleet_compacted *done)
{
	uint64_t read = done->files - done->left_out;

	if (read == 0 && done->left_out == 0)
		say_done("no new file");
	else
		say_done("%" PRIu64 " file%s became part of %" PRIu64 " file%s with %" PRIu64 " row%s", read,
			 plural(read), done->written, plural(done->written), done->rows, plural(done->rows));
	if (done->removed)
		say_done("removed %" PRIu64 " file%s of machines", done->removed, plural(done->removed));
	if (done->left_out)
		say("%" PRIu64 " file%s left out", done->left_out, done->left_out == 1 ? " was" : "s were");
}

static int compact(const char *dir)
{
	const struct sonde_fleet_compact_opts opts = { .sz = sizeof(opts), .date = date, .remove = remove_files,
						       .left_out = say_left_out };
	struct sonde_fleet_compacted done = { .sz = sizeof(done) };
	struct sonde_error err = { .sz = sizeof(err) };

	if (sonde_fleet_compact(dir, &opts, &done, &err) < 0)
		return say_error(dir, &err);
	say_result(&done);
	return done.left_out ? 1 : 0;
}

static int fleet_run(int argc, char **argv)
{
	static const char *const words[] = { "compact", NULL };

	if (argc == 0)
		return say_usage("fleet expects a command and a directory: sonde fleet compact DIR");
	if (strcmp(argv[0], "compact") != 0)
		return say_unknown("command of fleet", argv[0], words);
	if (argc != 2)
		return say_usage("compact expects one directory, that of a data set");
	if (date && !is_date(date))
		return say_usage("--date expects a date like 2026-11-22, not '%s'", date);
	return compact(argv[1]);
}

static const struct example fleet_examples[] = {
	{ "sonde fleet compact profiles", "compact the files that machines have added" },
	{ 0 },
};

const struct command cmd_fleet = {
	.name = "fleet",
	.args = "compact DIR",
	.help = "compact a data set of profiles: few large files replace many small ones",
	.details = "DIR is a data set to which machines add samples with sonde export --to parquet. `compact` writes "
		   "the rows of their files to DIR/v1/compact: samples by date and service, in the order of time; "
		   "stacks, functions, binaries and runs of a date, each once. A file is compacted once; machines may "
		   "add files meanwhile, and the next compaction adds their rows. Queries read v1/compact/samples "
		   "instead of v1/samples; with --remove they read both.\n"
		   "A damaged file is reported and left out, with exit status 1. So is a symbolic link below DIR/v1: "
		   "only files of the data set are read and removed. While one process compacts a data set, others "
		   "are refused.",
	.options = fleet_options,
	.reads_no_trace = true,
	.examples = fleet_examples,
	.run = fleet_run,
};
