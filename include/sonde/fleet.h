/* SPDX-License-Identifier: MIT */
/**
 * fleet.h - a data set of profiles of many machines: its many small files become few
 *
 *	struct sonde_fleet_compact_opts opts = { .sz = sizeof(opts), .remove = true };
 *	struct sonde_error err = { .sz = sizeof(err) };
 *
 *	if (sonde_fleet_compact("profiles", &opts, NULL, &err) < 0)
 *		puts(err.text);
 *
 * Machines add files to a data set by themselves (sonde_export_parquet). A query reads the footer of each file, so that
 * thousands of small files take it longer than their rows. docs/fleet.md has the layout.
 */
#ifndef SONDE_FLEET_H
#define SONDE_FLEET_H

#include <sonde/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_fleet_compact_opts {
	size_t sz;
	const char *date;       /* only this one, "2026-11-22"; NULL: all dates */
	bool remove;            /* the files of hosts whose rows are in compacted ones */
	uint64_t memory;        /* bytes for rows that are sorted; beyond it, temporary files. 0: 256 MiB */
	/*
	 * A file that is damaged is told and left out: @path is its name, @err says where and why. NULL: such a file is
	 * only counted.
	 */
	void (*left_out)(void *ctx, const char *path, const struct sonde_error *err);
	void *ctx;
};

/** struct sonde_fleet_compacted - what a compaction has done; the caller's */
struct sonde_fleet_compacted {
	size_t sz;
	uint64_t files;         /* of hosts, that were read */
	uint64_t left_out;      /* of them, damaged ones */
	uint64_t removed;       /* files of hosts */
	uint64_t written;       /* files */
	uint64_t rows;          /* in the files that were written */
};

/**
 * sonde_fleet_compact - write the rows of the files of hosts to few large files, in order, equal rows of names once
 * @dir: the data set, with its directory v1
 * @done: may be NULL; filled also when the call fails
 * A date whose files have all been compacted is not read again. A file of a host is compacted once, whether or not it
 * is still there. Machines may add files meanwhile. The files of a date get their place in one step. Returns 0 or the
 * failure: -SONDE_DENIED while another process compacts the data set. Then the files that a query reads are what they
 * were before, or those of some tables and dates are new.
 */
SONDE_API int sonde_fleet_compact(const char *dir, const struct sonde_fleet_compact_opts *opts,
				  struct sonde_fleet_compacted *done, struct sonde_error *err);

#ifdef __cplusplus
}
#endif
#endif
