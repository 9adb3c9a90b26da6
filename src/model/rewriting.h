/* SPDX-License-Identifier: MIT */
/*
 * rewriting.h - one row of functions for each format that can be rewritten
 *
 * A rewriting reads an image as it lies on disk, sound or not, and writes a new file that gets its name once it is
 * whole.
 */
#ifndef MODEL_REWRITING_H
#define MODEL_REWRITING_H

#include <sonde/cut.h>
#include <sonde/merge.h>

#include "base/buf.h"
#include "io/image.h"
#include "model/ledger.h"
#include "model/reader.h"

/* Build ids of binaries of this machine: each returns the size of the id, 0 if there is none. */
struct build_id_finder {
	uint8_t (*of_file)(const char *path, uint8_t id[20]);
	uint8_t (*of_kernel)(uint8_t id[20]);
	uint8_t (*of_module)(const char *name, uint8_t id[20]);
	uint8_t (*of_vdso)(uint8_t id[20]);
};

/* The kernel that runs here, for a recording of this machine that has lost its formats: see
 * record/perf/running_kernel.h. */
struct running_kernel {
	uint64_t (*address_of)(const char *symbol);
	int (*formats)(const uint64_t *ids, size_t nr, struct buf *out, struct sonde_error *err);
};

struct sonde_rewrite {
	struct sonde_error err;
	const struct build_id_finder *build_ids;
	const struct running_kernel *kernel;
	bool drop_tracepoints;       /* repair drops tracepoints whose formats are lost */
	struct image_progress progress;
	uint32_t untold;             /* records since progress was told last */
	struct ledger ledger;
	struct sonde_rewrite_counts counts;
};

/* True when progress is to be told: for inputs that are not one image. */
static inline bool rewriting_tells(struct sonde_rewrite *w)
{
	return w->progress.fn && ++w->untold % 4096 == 0;
}

/* Each takes the image over; @opts has all of its fields. */
struct rewriter {
	bool (*probe)(const uint8_t *p, size_t n);
	int (*convert)(struct sonde_rewrite *handle, struct image *im, const char *out,
		       const struct sonde_convert_opts *opts);
	/* opts->query is never NULL; NULL: the format cannot be cut */
	int (*cut)(struct sonde_rewrite *handle, struct image *im, const char *out, const struct sonde_cut_opts *opts);
	int (*repair)(struct sonde_rewrite *handle, struct image *im, const char *out);
	/* For repair, of a path that is no image: 1 when an image was made of the files that are left there, 0 when
	 * they are not of this format, negative when they cannot be used. NULL if the format is one file. */
	int (*open_dangling)(struct sonde_rewrite *handle, const char *path, struct image *im);
	/* @in: at least one reader, all of the format `merges`; they stay the caller's. NULL if the
	 * format cannot be merged. */
	int (*merge)(struct sonde_rewrite *handle, struct reader *const *in, size_t nr, const char *out,
		     const struct sonde_merge_opts *opts);
	const char *merges;          /* as in struct sonde_trace_info */
};

#endif
