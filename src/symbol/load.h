/* SPDX-License-Identifier: MIT */
/* load.h - a table of symbols while it is made, and where it is made from */
#ifndef SYMBOL_LOAD_H
#define SYMBOL_LOAD_H

#include "symbol/bundles.h"
#include "symbol/find_file.h"
#include "symbol/jitdumps.h"
#include "symbol/list/bpf_code.h"
#include "symbol/list/bpf_lines.h"
#include "symbol/list/carried.h"
#include "symbol/list/kallsyms.h"
#include "symbol/symbols.h"
#include "symbol/table/cache.h"

struct slot;

struct symbols {
	struct symbols_opts opts;        /* its strings lie in texts */
	struct find_paths paths;
	const char *map_dir, *cache_dir;
	const char *recording;           /* its path; "": not known */
	/* a moment by the clock of the samples, and the time of day then; 0: not known */
	uint64_t clock_ns, clock_tod_ns;
	int64_t recorded_s;              /* when it was last written; 0: not known */
	uint8_t recorded_kernel_id[20];  /* of the host */
	uint8_t recorded_kernel_id_size;
	struct arena texts;

	pthread_mutex_t lock;            /* of slots, notes and their texts */
	VEC(struct slot *) slots;        /* by index of the binary */
	VEC(struct kept_note {
		struct sonde_symbol_note pub;
		const struct slot *of;       /* whose addresses are counted; NULL: nobody counts */
	}) notes;
	uint64_t nr_interrupted;         /* atomic */
	struct arena note_texts;
	bool out_of_memory;              /* a table is not what it could be; atomic */
	struct carried carried;
	struct bundles bundles;          /* of the recordings */
	VEC(struct symtab *) retired;    /* before a bundle came */
	struct jitdumps dumps;
	struct bpf_lines bpf;
	struct bpf_code bpf_code;
	struct symtab nothing;           /* what is given out when there is no memory for a table */

	pthread_mutex_t kernel_lock;     /* of what follows: read when the first kernel or module symbol is asked for */
	bool kernel_id_read, kernel_read;
	struct fmap kernel_text;
	struct kallsyms kernel;          /* opts.kallsyms, or /proc/kallsyms */
	int kernel_failed;               /* 0 or why it could not be read */
	struct sonde_error kernel_err;
	uint8_t kernel_id[20];           /* build id of the running kernel */
	uint8_t kernel_id_size;
};

/* The table that a loader makes. */
struct load {
	struct symbols *s;
	const struct binary *binary;
	struct symtab_builder builder;
	enum symtab_same same;
	uint64_t bias;
	struct buf source, reason, doubt;

	struct cache_key key;        /* the loader fills it in when what it adds may be kept on disk */
	uint64_t refs[2];            /* to be kept with it */
	bool keep_small;             /* however few its symbols are */
	struct symtab *cached;       /* found on disk: the loader added nothing */
};

#endif
