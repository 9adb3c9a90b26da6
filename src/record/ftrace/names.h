/* SPDX-License-Identifier: MIT */
/*
 * names.h - what threads are called
 *
 * The kernel's own list, saved_cmdlines, has a few thousand places and is told late. We ask /proc at the start, are
 * told by perf's side band of every fork and every change of a name, and take from the kernel's list only what is still
 * missing then.
 */
#ifndef RECORD_FTRACE_NAMES_H
#define RECORD_FTRACE_NAMES_H

#include "base/buf.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "record/host/sysfile.h"

struct thread_name {
	int32_t tid;
	char comm[16];
	uint64_t time;               /* of the last change; 0: from the start */
};

struct name_ring {
	void *map;
	int fd;
};

struct thread_names {
	VEC(struct thread_name) all;
	struct u64map index;         /* by tid, into all */
	struct buf fresh;            /* lines that are new since names_take() */
	struct name_ring *rings;     /* one per CPU; NULL: no side band */
	size_t nr_rings, ring_bytes;
	size_t too_many; /* files that would have had to be open for a side band; 0: that was not why there is none */
};

#define THREAD_NAMES_NONE ((struct thread_names){ .fresh = BUF_MEMORY })

/**
 * names_start - open the side band where that is permitted, then ask /proc
 * @spare: files that the caller is going to open. The side band needs one per CPU: where so many may not be open there
 * is none,
 *	because one that misses some CPUs would miss names without a word.
 * Returns 0 or -SONDE_NOMEM; n->too_many is set to the number of files that would have to be permitted.
 */
int names_start(struct thread_names *n, const char *sysfs, size_t spare);
/* Takes the names that the side band has told since. */
int names_poll(struct thread_names *n);
/* Fills the gaps from the text of saved_cmdlines, which has a NUL after it. */
int names_fill(struct thread_names *n, struct sonde_str saved);
/* The last news, and the gaps; from /proc too where there is no side band. */
int names_complete(struct thread_names *n, struct sonde_str saved);
/* All, as lines of saved_cmdlines. */
void names_text(const struct thread_names *n, struct buf *out);
void names_free(struct thread_names *n);

/* One record of the side band, for tests. */
int names_record(struct thread_names *n, const uint8_t *p, size_t size);

#endif
