/* SPDX-License-Identifier: MIT */
/**
 * perf_writer.h - write a perf.data
 *
 *	struct sonde_perf_writer *w = sonde_perf_writer_new();
 *	sonde_perf_writer_open(w, "new.data", NULL);
 *	sonde_perf_writer_add_event(w, &attr, "cycles", ids, nr_ids);
 *	sonde_perf_writer_set_meta(w, sonde_trace_meta(old));
 *	while (sonde_iter_next(it, &ev) > 0)
 *		sonde_perf_writer_write(w, ev->raw, ev->raw_size);
 *	sonde_perf_writer_finish(w);
 *	sonde_perf_writer_free(w);
 *
 * Events and features come first, then records. After the first failure every further call fails with it. The file is created for
 * its owner only and has its name once it is finished; nothing is written through a symbolic link.
 */
#ifndef SONDE_PERF_WRITER_H
#define SONDE_PERF_WRITER_H

#include <sonde/meta.h>
#include <sonde/rewrite.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_perf_writer;

struct sonde_perf_writer_opts {
	size_t sz;
	enum sonde_rewrite_form form;      /* SONDE_FORM_SAME: a file */
	enum sonde_rewrite_endian
		endian; /* of the file and of the records that are given; SONDE_ENDIAN_SAME: the host's */
	uint32_t attr_size;                /* of each attr; 0: of the largest */
	enum sonde_compression
		compression; /* SONDE_COMPRESSION_ZSTD: of the records of the kernel, as perf does; else none */
	uint32_t level;                    /* of compression, 1 to 19; 0: 1 */
	bool aligned;                      /* COMPRESSED2, which perf reads since 6.16 */
};

/** sonde_perf_writer_new - NULL only when out of memory */
SONDE_API struct sonde_perf_writer *sonde_perf_writer_new(void);

/** sonde_perf_writer_free - a file that is not finished is removed */
SONDE_API void sonde_perf_writer_free(struct sonde_perf_writer *w);

/** sonde_perf_writer_error - why the last call on @w failed; never NULL, lives as long as @w */
SONDE_API const struct sonde_error *sonde_perf_writer_error(const struct sonde_perf_writer *w);

/**
 * sonde_perf_writer_open - begin a new perf.data at @path; "-" is the standard output, for streams only
 * A directory must not be there yet, or be empty.
 */
SONDE_API int sonde_perf_writer_open(struct sonde_perf_writer *w, const char *path,
				     const struct sonde_perf_writer_opts *opts);

/**
 * sonde_perf_writer_add_event - one more event; all is copied
 * @name: for the feature EVENT_DESC, which is made of the names unless it is set; NULL: none. In a stream each is in an EVENT_UPDATE
 *	record too.
 */
SONDE_API int sonde_perf_writer_add_event(struct sonde_perf_writer *w, const struct sonde_attr *attr, const char *name,
					  const uint64_t *ids, size_t nr_ids);

/** sonde_perf_writer_set_feature - the payload of a header feature as it will lie in the file; copied; replaces what was set before */
SONDE_API int sonde_perf_writer_set_feature(struct sonde_perf_writer *w, uint32_t feature, const void *payload,
					    size_t n);

/**
 * sonde_perf_writer_set_meta - every feature that @meta has, but for those about the file itself: AUXTRACE, COMPRESSED, DIR_FORMAT
 * Features of which nothing is known keep their bytes, which is right only if they have the byte order of the new file.
 */
SONDE_API int sonde_perf_writer_set_meta(struct sonde_perf_writer *w, const struct sonde_meta *meta);

/**
 * sonde_perf_writer_write - @n bytes of whole records, and of what follows some of them, in the byte order of the file
 * What follows a record (the trace behind an AUXTRACE) may come with further calls, in pieces of any size. Compressed records are
 * passed over: an iterator gives what is in them after them. Records that describe events and features are the writer's own.
 */
SONDE_API int sonde_perf_writer_write(struct sonde_perf_writer *w, const void *records, size_t n);

/** sonde_perf_writer_write_to - as above, into a file of a directory: 0 is `data`, k is data.(k - 1), up to 1023 */
SONDE_API int sonde_perf_writer_write_to(struct sonde_perf_writer *w, uint32_t file, const void *records, size_t n);

/** sonde_perf_writer_finish - complete the file and give it its name */
SONDE_API int sonde_perf_writer_finish(struct sonde_perf_writer *w);

#ifdef __cplusplus
}
#endif
#endif
