/* SPDX-License-Identifier: MIT */
/*
 * find_file.h - the files that belong to a binary of a recording: the one that ran, and separate ones with its
 * symbols.
 */
#ifndef SYMBOL_FIND_FILE_H
#define SYMBOL_FIND_FILE_H

#include <limits.h>

#include <sonde/symbol.h>

#include "base/buf.h"
#include "symbol/elf/file.h"
#include "threads/mapping.h"

struct archives;
struct bundles;
struct fetcher;

/* Where to look; every one may be "". */
struct find_paths {
	const char *sysroot;             /* a first place to look below, symfs is the second one */
	const char *symfs;
	const char *buildid_dir;
	const char *const *debug_dirs;   /* ends with NULL */
	const char *release;             /* of the recorded kernel */
	struct archives *archives;       /* of `perf archive`; NULL: none */
	const struct bundles *bundles;   /* of the recordings */
	struct fetcher *fetcher;         /* of files that are not here; NULL: none */
	bool fetch_kernel;               /* also the debug file of a kernel */
	bool *out_of_memory;             /* set where a file could not be looked into for want of memory; atomic */
};

/* Whether the user says where better files are than those that a recording or its bundle has. */
static inline bool find_paths_given(const struct find_paths *p)
{
	return p->symfs[0] || p->sysroot[0];
}

/* An ELF file that was found. */
struct found {
	struct elf_file elf;
	char path[PATH_MAX];
	enum sonde_symbols_place place;
	enum sonde_symbols_lack lack;    /* where none was found */
};

/* The directories of perf's cache of binaries, and the files of debug packages, named by build id. */
bool find_buildid_path(char path[PATH_MAX], const struct find_paths *p, const struct binary *b, const char *member);

/*
 * The file that ran: at `path` below sysroot and symfs, in the cache of binaries, or below a debug directory by its
 * build id. A file whose build id is not the recorded one is not taken: `reason` and f->lack say so. 0 or
 * -SONDE_MISSING.
 */
int find_running_file(struct found *f, const struct find_paths *p, const struct binary *b, const char *path,
		      struct buf *reason);

/*
 * A file with a .symtab for the binary: by build id, by the name in .gnu_debuglink, beside the cached binary, at the
 * places that distributions use. running: the file that ran, NULL if it was not found.
 */
int find_debug_file(struct found *f, const struct find_paths *p, const struct binary *b, const struct found *running);

/* The same without asking a server. */
int find_local_debug_file(struct found *f, const struct find_paths *p, const struct binary *b,
			  const struct found *running);

/* The parts of the debug file that a bundle has, which are for unwinding only. */
int find_bundled_debug_file(struct found *f, const struct find_paths *p, const struct binary *b);

/*
 * The uncompressed image of the kernel, where a build or a package of its release leaves it. One of another build id
 * is not taken; without a recorded id only files that have the release in their path are.
 */
int find_vmlinux(struct found *f, const struct find_paths *p, const struct binary *b);

/* The image of a vdso: the running kernel's, or that of the cache of binaries. 0 or -SONDE_MISSING. */
int find_vdso(struct found *f, const struct find_paths *p, const struct binary *b, struct buf *reason);

#endif
