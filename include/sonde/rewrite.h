/* SPDX-License-Identifier: MIT */
/**
 * rewrite.h - a new trace from an old one: in another form, mended, or less of it
 *
 *	struct sonde_rewrite *w = sonde_rewrite_new();
 *	if (sonde_repair(w, "perf.data", "mended.data", NULL) < 0)
 *		puts(sonde_rewrite_error(w)->text);
 *	sonde_rewrite_free(w);
 *
 * The input is read through a window of fixed size; "-" is the standard input, which is first copied to a file without a name in
 * $TMPDIR. The output is created for its owner only and has its name only once it is whole; it never goes through a
 * symbolic link, over the input, or over anything but a regular file. "-" is the standard output, for streams only.
 * What could not be taken over is in the ledger.
 */
#ifndef SONDE_REWRITE_H
#define SONDE_REWRITE_H

#include <sonde/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_rewrite;

/** sonde_rewrite_new - for one run of one of the functions below; NULL only when out of memory */
SONDE_API struct sonde_rewrite *sonde_rewrite_new(void);
SONDE_API void sonde_rewrite_free(struct sonde_rewrite *w);

/** sonde_rewrite_error - why it failed; never NULL, lives as long as @w */
SONDE_API const struct sonde_error *sonde_rewrite_error(const struct sonde_rewrite *w);

/** sonde_rewrite_loss_count - rows of the ledger: the parts of the input that are not in the output */
SONDE_API size_t sonde_rewrite_loss_count(const struct sonde_rewrite *w);

/** sonde_rewrite_loss_at - the i-th row, NULL beyond the last; a view until the next call that writes with @w */
SONDE_API const struct sonde_loss *sonde_rewrite_loss_at(const struct sonde_rewrite *w, size_t i);

/**
 * sonde_rewrite_set_progress - have @progress called with @ctx now and then, with the share of the input that was read
 * On the calling thread, and with 1 at the end. An input that is read several times begins anew each time.
 */
SONDE_API void sonde_rewrite_set_progress(struct sonde_rewrite *w, void (*progress)(void *ctx, double share),
					  void *ctx);

struct sonde_rewrite_counts {
	uint64_t read;        /* whole records of the input */
	uint64_t written;     /* records of the output */
};

/** sonde_rewrite_counts - the numbers of records; a view that lives as long as @w */
SONDE_API const struct sonde_rewrite_counts *sonde_rewrite_counts(const struct sonde_rewrite *w);

enum sonde_rewrite_form { SONDE_FORM_SAME, SONDE_FORM_FILE, SONDE_FORM_PIPE, SONDE_FORM_DIRECTORY };
enum sonde_rewrite_endian { SONDE_ENDIAN_SAME, SONDE_ENDIAN_LITTLE, SONDE_ENDIAN_BIG };

enum sonde_compression { SONDE_COMPRESSION_SAME, SONDE_COMPRESSION_NONE, SONDE_COMPRESSION_ZLIB, SONDE_COMPRESSION_ZSTD };

enum sonde_build_ids {
	SONDE_BUILD_IDS_SAME,
	SONDE_BUILD_IDS_FEATURE,  /* those of mappings and of the files on this machine: in BUILD_ID, as after perf inject -b */
	SONDE_BUILD_IDS_MMAP2,    /* in the mappings themselves, and in BUILD_ID where they have no place for it */
};

struct sonde_convert_opts {
	size_t sz;
	enum sonde_rewrite_form to;
	enum sonde_rewrite_endian endian;
	uint32_t attr_size;   /* of each attr, for older readers; 0: as it is */
	uint32_t version;     /* of a trace.dat: 6 or 7; 0: as it is */
	enum sonde_compression compression;  /* of a trace.dat of version 7; of a perf.data none or zstd */
	uint32_t level;       /* of the compression; 0: the compressor's own, of a perf.data 1 */
	bool pack;            /* compress, also what is compressed already: with zstd if nothing says how */
	bool redact;          /* pseudonyms for all names, no copies of stacks (docs/redact.md); nothing may be left, or it fails */
	enum sonde_build_ids build_ids;
	bool aligned;         /* of a perf.data: compressed records of a size that is a multiple of 8 (COMPRESSED2), as perf reads since 6.16 */
	bool rebuild;         /* of a perf.data: put together from its parts even when nothing is to change */
};

/**
 * sonde_convert - the same trace in another form
 * When nothing is to change, the output has the same bytes as the input, whatever they are. When only the byte order is to change,
 * everything stays at its place, so that changing it again gives the first bytes; what has to be decompressed for that is compressed
 * again. What the new form cannot hold is in the ledger, and so is what keeps its byte order because nothing is known of its fields.
 */
SONDE_API int sonde_convert(struct sonde_rewrite *w, const char *in, const char *out, const struct sonde_convert_opts *opts);

/**
 * sonde_repair - a sound trace out of a damaged one
 * Mends what a killed recorder leaves (a size of 0, a cut end), headers, attrs and ids that are lost but can be rebuilt from other
 * parts of the file, broken features, and bytes in the middle that are no records; of a trace.dat lost options and tables, sections
 * and pages. Beside a trace.dat without pages its files of CPUs (IN.cpu0), which a killed recorder leaves, are taken in. What is
 * written has no errors by the rules of sonde_check(). Returns 0 also when much was lost: the ledger says what. -SONDE_MISSING when no
 * event is described anywhere.
 */
SONDE_API int sonde_repair(struct sonde_rewrite *w, const char *in, const char *out);

/**
 * sonde_rewrite_set_drop_tracepoints - sonde_repair() leaves out tracepoints whose formats are lost
 * perf refuses a perf.data that has tracepoints without their formats, which a killed perf has not written. Where the
 * running kernel is not known to be that of the recording (docs/repair.md), they stay lost: the events stay all the
 * same, unless this is set.
 */
SONDE_API void sonde_rewrite_set_drop_tracepoints(struct sonde_rewrite *w, bool drop);

/** sonde_repair_memory - as above, from @size bytes in memory */
SONDE_API int sonde_repair_memory(struct sonde_rewrite *w, const void *data, size_t size, const char *out);

#ifdef __cplusplus
}
#endif
#endif
