/* SPDX-License-Identifier: MIT */
/**
 * writer.h - write a perf.data
 *
 *	struct sonde_writer *w = sonde_writer_new();
 *	sonde_writer_open(w, "new.data", NULL);
 *	sonde_writer_add_event(w, &attr, "cycles", ids, nr_ids);
 *	sonde_writer_set_meta(w, sonde_trace_meta(old));
 *	while (sonde_iter_next(it, &ev) > 0)
 *		sonde_writer_write(w, ev.raw, ev.raw_size);
 *	sonde_writer_finish(w);
 *	sonde_writer_free(w);
 *
 * Events and features come first, then records. After the first failure every further call fails with it. The file is created for
 * its owner only and has its name once it is finished; nothing is written through a symbolic link.
 */
#ifndef SONDE_WRITER_H
#define SONDE_WRITER_H

#include <sonde/meta.h>
#include <sonde/rewrite.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_writer;

struct sonde_writer_opts {
	size_t sz;
	enum sonde_rewrite_form form;      /* SONDE_FORM_SAME: a file */
	enum sonde_rewrite_endian endian;  /* of the file and of the records that are given; SONDE_ENDIAN_SAME: the host's */
	uint32_t attr_size;                /* of each attr; 0: of the largest */
};

/** sonde_writer_new - NULL only when out of memory */
SONDE_API struct sonde_writer *sonde_writer_new(void);

/** sonde_writer_free - a file that is not finished is removed */
SONDE_API void sonde_writer_free(struct sonde_writer *w);

/** sonde_writer_error - why the last call on @w failed; never NULL, lives as long as @w */
SONDE_API const struct sonde_error *sonde_writer_error(const struct sonde_writer *w);

/** sonde_writer_open - begin a new perf.data at @path; "-" is the standard output, for streams only */
SONDE_API int sonde_writer_open(struct sonde_writer *w, const char *path, const struct sonde_writer_opts *opts);

/**
 * sonde_writer_add_event - one more event; all is copied
 * @name: for the feature EVENT_DESC, which is made of the names unless it is set; NULL: none
 */
SONDE_API int sonde_writer_add_event(struct sonde_writer *w, const struct sonde_attr *attr, const char *name, const uint64_t *ids,
				     size_t nr_ids);

/** sonde_writer_set_feature - the payload of a header feature as it will lie in the file; copied; replaces what was set before */
SONDE_API int sonde_writer_set_feature(struct sonde_writer *w, uint32_t feature, const void *payload, size_t n);

/**
 * sonde_writer_set_meta - every feature that @meta has, but for AUXTRACE, an index of places in another file
 * Features of which nothing is known keep their bytes, which is right only if they have the byte order of the new file.
 */
SONDE_API int sonde_writer_set_meta(struct sonde_writer *w, const struct sonde_meta *meta);

/** sonde_writer_write - @n bytes of whole records, and of what follows some of them, in the byte order of the file */
SONDE_API int sonde_writer_write(struct sonde_writer *w, const void *records, size_t n);

/** sonde_writer_finish - complete the file and give it its name */
SONDE_API int sonde_writer_finish(struct sonde_writer *w);

#ifdef __cplusplus
}
#endif
#endif
