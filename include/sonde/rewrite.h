/* SPDX-License-Identifier: MIT */
/**
 * rewrite.h - make a new trace of an old one: convert it or repair it
 *
 *	struct sonde_rewrite *w = sonde_rewrite_new();
 *
 *	if (sonde_repair(w, "perf.data", "repaired.data") < 0)
 *		puts(sonde_rewrite_error(w)->text);
 *	sonde_rewrite_free(w);
 *
 * The input is read through a window of fixed size; "-" is the standard input, which is first copied to a file
 * without a name in $TMPDIR. The output is created for its owner only and gets its name when it is whole; it never
 * goes through a symbolic link, over the input, or over anything but a regular file. "-" is the standard output, for
 * streams only. The ledger lists the parts of the input that are not in the output.
 */
#ifndef SONDE_REWRITE_H
#define SONDE_REWRITE_H

#include <sonde/symbol.h>
#include <sonde/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_rewrite;

/** sonde_rewrite_new - NULL only when out of memory; each run clears the error, ledger and counts of the one before */
SONDE_API struct sonde_rewrite *sonde_rewrite_new(void);

/** sonde_rewrite_free - NULL is accepted */
SONDE_API void sonde_rewrite_free(struct sonde_rewrite *w);

/** sonde_rewrite_error - why the last run failed; never NULL, lives as long as @w */
SONDE_API const struct sonde_error *sonde_rewrite_error(const struct sonde_rewrite *w);

/** sonde_rewrite_loss_count - rows of the ledger: the parts of the input that are not in the output */
SONDE_API size_t sonde_rewrite_loss_count(const struct sonde_rewrite *w);

/** sonde_rewrite_loss_at - the i-th row, NULL beyond the last; a view until the next call that writes with @w */
SONDE_API const struct sonde_loss *sonde_rewrite_loss_at(const struct sonde_rewrite *w, size_t i);

/**
 * sonde_rewrite_set_progress - have @progress called with @ctx now and then, with the share of the input that was read
 * It is called on the calling thread, and with 1 at the end. An input that is read several times begins anew each time.
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

enum sonde_compression {
	SONDE_COMPRESSION_SAME, SONDE_COMPRESSION_NONE, SONDE_COMPRESSION_ZLIB, SONDE_COMPRESSION_ZSTD,
};

enum sonde_build_ids {
	SONDE_BUILD_IDS_SAME,
	/* In BUILD_ID, as after perf inject -b: the ids of mappings, and of files on this machine. */
	SONDE_BUILD_IDS_FEATURE,
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
	bool pack;            /* compress, also compressed records: with zstd unless `compression` is set */
	/* Pseudonyms for all names, no copies of stacks (docs/redact.md); fails if a name would be left. */
	bool redact;
	enum sonde_build_ids build_ids;
	/* perf.data: compressed records have a multiple of 8 bytes (COMPRESSED2), which perf reads since 6.16 */
	bool aligned;
	bool rebuild;         /* of a perf.data: write it anew from its parts even if nothing changes */
	/*
	 * perf.data: registers and copies of stacks become callchains, by the tables of the binaries. With `to`,
	 * attr_size, compression, level and aligned only. @symbols says where binaries are looked for; NULL: the
	 * default.
	 */
	bool unwind;
	const struct sonde_symbols_opts *symbols;
};

/**
 * sonde_convert - write the same trace in another form
 * If nothing changes, the output has the same bytes as the input. If only the byte order changes, everything stays at
 * its place, so that a second change gives the first bytes again; records that are decompressed for that are compressed
 * again. The ledger lists the parts that the new form cannot hold, and the parts that keep their
 * byte order because their fields are not known.
 */
SONDE_API int sonde_convert(struct sonde_rewrite *w, const char *in, const char *out,
			    const struct sonde_convert_opts *opts);

/**
 * sonde_repair - write a sound trace made of a damaged one
 * Repairs the file of a killed recorder (a size of 0, a cut end), lost headers, attrs and ids that other parts of the
 * file repeat, broken features, and bytes in the middle that are no records; in a trace.dat also lost options, tables,
 * sections and pages. If a trace.dat has no pages, the files of CPUs beside it (IN.cpu0), which a killed recorder
 * leaves, are taken in. sonde_check() finds no errors in the output. Returns 0 also if much was lost: see the ledger.
 * -SONDE_MISSING if nothing describes an event.
 */
SONDE_API int sonde_repair(struct sonde_rewrite *w, const char *in, const char *out);

/**
 * sonde_rewrite_set_drop_tracepoints - let sonde_repair() leave out tracepoints whose formats are lost
 * perf refuses a perf.data that has tracepoints without their formats, which a killed perf could not write. The
 * formats are taken from the running kernel only if it is known to be that of the recording (docs/repair.md). Without
 * them the events stay, unless this is set.
 */
SONDE_API void sonde_rewrite_set_drop_tracepoints(struct sonde_rewrite *w, bool drop);

/** sonde_repair_memory - as above, from @size bytes in memory */
SONDE_API int sonde_repair_memory(struct sonde_rewrite *w, const void *data, size_t size, const char *out);

#ifdef __cplusplus
}
#endif
#endif
