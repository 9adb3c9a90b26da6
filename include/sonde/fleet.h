/* SPDX-License-Identifier: MIT */
/**
 * fleet.h - compaction of a data set of profiles of many machines: few large files replace many small ones
 *
 *	struct sonde_fleet_compact_opts opts = { .sz = sizeof(opts), .remove = true };
 *	struct sonde_error err = { .sz = sizeof(err) };
 *
 *	if (sonde_fleet_compact("profiles", &opts, NULL, &err) < 0)
 *		puts(err.text);
 *
 * Machines add files to a data set by themselves: sonde_export_file() with the format "parquet". A query reads the
 * footer of each file, so thousands of small files take longer than their rows. docs/fleet.md has the layout,
 * docs/fleet-growth.md that of compacted files.
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
	/* Called for each damaged file, which is left out: @err says where the damage is. NULL: they are counted. */
	void (*left_out)(void *ctx, const char *path, const struct sonde_error *err);
	void *ctx;
};

/** struct sonde_fleet_compacted - what a compaction has done; the caller's */
struct sonde_fleet_compacted {
	size_t sz;
	uint64_t files;         /* of hosts, that were read */
	uint64_t left_out;      /* of these files, because they are damaged */
	uint64_t removed;       /* files of hosts */
	uint64_t written;       /* files */
	uint64_t rows;          /* in the files that were written */
};

/**
 * sonde_fleet_compact - write the rows of the files of hosts, sorted, to few large files
 * @dir: the data set, with its directory v1
 * @done: may be NULL; filled also when the call fails
 * Equal rows of stacks, frames, modules and runs become one. A date without new files is not read again. A file of a
 * host is compacted once, whether or not it still exists. Machines may add files meanwhile. The files of a table and
 * date are replaced in one step: after a failure, each table and date has either its older files or the new ones.
 * Symbolic links below the directory v1 are not followed, but left out.
 * Returns 0 or the failure: -SONDE_DENIED while another process compacts the data set, of which nothing is changed.
 */
SONDE_API int sonde_fleet_compact(const char *dir, const struct sonde_fleet_compact_opts *opts,
				  struct sonde_fleet_compacted *done, struct sonde_error *err);

#ifdef __cplusplus
}
#endif
#endif
