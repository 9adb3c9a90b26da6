/* SPDX-License-Identifier: MIT */
/**
 * bundle.h - one file with a recording and with all that its samples need: names, lines, tables for unwinding
 *
 *	struct sonde_error err = { .sz = sizeof(err) };
 *
 *	if (sonde_bundle_write("perf.data", "perf.bundle", NULL, &err) < 0)
 *		puts(err.text);
 *
 * The recording comes first and its bytes stay as they are, so every reader of recordings reads the bundle, too.
 * A bundle that is opened by its path is used before the files of this machine. docs/bundle.md has the layout.
 */
#ifndef SONDE_BUNDLE_H
#define SONDE_BUNDLE_H

#include <sonde/symbol.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_bundle_opts {
	size_t sz;
	const struct sonde_symbols_opts *symbols;  /* where binaries are looked for */
	bool code;                          /* add the machine code of functions that were interrupted */
	bool source;                        /* add the text of source files, as annotate shows it */
	/* Directories whose source files may be added beside those of the programs' builds: docs/embedded-sources.md */
	const char *const *source_dirs;     size_t nr_source_dirs;
};

/**
 * sonde_bundle_write - write a copy of the recording at @from, and behind it what it needs, to @to
 * @to: replaced when all is written; not @from itself
 * A bundle that @from has already is used and replaced. Of a directory, the copy is the file that sonde_convert() makes
 * with SONDE_FORM_FILE. Returns 0 or the failure: -SONDE_UNSUPPORTED for a stream.
 */
SONDE_API int sonde_bundle_write(const char *from, const char *to, const struct sonde_bundle_opts *opts,
				 struct sonde_error *err);

/** sonde_bundle_strip - write the recording at @from without its bundle to @to; returns 0 or the failure */
SONDE_API int sonde_bundle_strip(const char *from, const char *to, struct sonde_error *err);

struct sonde_bundle;

/** sonde_bundle_new - a bundle to look into; NULL only when out of memory */
SONDE_API struct sonde_bundle *sonde_bundle_new(void);
SONDE_API void sonde_bundle_free(struct sonde_bundle *b);

/**
 * sonde_bundle_open - read the list of what is in the bundle of the file at @path
 * Returns 0; -SONDE_MISSING: the file has no bundle; -SONDE_CORRUPT: it is damaged, but its recording can be read.
 */
SONDE_API int sonde_bundle_open(struct sonde_bundle *b, const char *path);

/** sonde_bundle_error - why the last call failed; never NULL, lives as long as @b */
SONDE_API const struct sonde_error *sonde_bundle_error(const struct sonde_bundle *b);

/** sonde_bundle_recording - bytes of the recording, which is at the begin of the file */
SONDE_API uint64_t sonde_bundle_recording(const struct sonde_bundle *b);

struct sonde_bundle_member {
	/* "symbols", "functions", "lines", "elf", "debug elf", "file", "source"; "unknown" */
	const char *kind;
	const char *name;                   /* of the binary, as recorded; of a source file its path */
	const uint8_t *build_id;            /* build_id_size bytes; 0 if not known */
	uint8_t build_id_size;
	uint64_t size, raw_size;            /* bytes in the file, and unpacked */
};
/** sonde_bundle_member_at - the i-th member, NULL beyond the last; valid until the next call */
SONDE_API const struct sonde_bundle_member *sonde_bundle_member_at(struct sonde_bundle *b, size_t i);

/**
 * sonde_bundle_verify - compare every member with its hash, without unpacking it: sonde_trace_check() unpacks them
 * Returns 0, or -SONDE_CORRUPT for the first member that is damaged.
 */
SONDE_API int sonde_bundle_verify(struct sonde_bundle *b);

#ifdef __cplusplus
}
#endif
#endif
