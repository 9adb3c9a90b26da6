/* SPDX-License-Identifier: MIT */
/**
 * perf_writer.h - write a perf.data
 *
 *	struct sonde_attr attr = { .type = 1, .sample_period = 1, .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };
 *	struct sonde_sample sample = { .ip = 0x401000, .pid = 7, .tid = 7 };
 *	struct sonde_perf_writer *w = sonde_perf_writer_new();
 *
 *	sonde_perf_writer_open(w, "new.data", NULL);
 *	sonde_perf_writer_add_event(w, &attr, sizeof(attr), "my-clock", NULL, 0);
 *	sonde_perf_writer_sample(w, NULL, &sample, sizeof(sample));
 *	if (sonde_perf_writer_finish(w) < 0)
 *		puts(sonde_perf_writer_error(w)->text);
 *	sonde_perf_writer_free(w);
 *
 * Events and features come first, then records. Once the writer is open, a call that fails makes every further call
 * fail with the same error, so that it is enough to look at the result of the last one. The file is created for its
 * owner only and gets its name when it is finished; nothing is written through a symbolic link.
 */
#ifndef SONDE_PERF_WRITER_H
#define SONDE_PERF_WRITER_H

#include <sonde/event.h>
#include <sonde/meta.h>
#include <sonde/rewrite.h>
#include <sonde/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_perf_writer;

struct sonde_perf_writer_opts {
	size_t sz;
	enum sonde_rewrite_form form;      /* SONDE_FORM_SAME: a file */
	enum sonde_rewrite_endian endian;  /* of the file; SONDE_ENDIAN_SAME: the host's */
	uint32_t attr_size;                /* of each attr; 0: of the largest */
	/* SONDE_COMPRESSION_ZSTD: of the kernel's records, as perf does; else none */
	enum sonde_compression compression;
	uint32_t level;                    /* of compression, 1 to 19; 0: 1 */
	bool aligned;                      /* COMPRESSED2, which perf reads since 6.16 */
};

/** sonde_perf_writer_new - NULL only when out of memory */
SONDE_API struct sonde_perf_writer *sonde_perf_writer_new(void);

/** sonde_perf_writer_free - removes a file that is not finished; NULL is accepted */
SONDE_API void sonde_perf_writer_free(struct sonde_perf_writer *w);

/** sonde_perf_writer_error - why the last call on @w failed; never NULL, lives as long as @w */
SONDE_API const struct sonde_error *sonde_perf_writer_error(const struct sonde_perf_writer *w);

/**
 * sonde_perf_writer_open - begin a new perf.data at @path; "-" is the standard output, for streams only
 * @opts: may be NULL
 * A directory must not exist yet, or be empty. A writer that could not be opened can be opened again.
 */
SONDE_API int sonde_perf_writer_open(struct sonde_perf_writer *w, const char *path,
				     const struct sonde_perf_writer_opts *opts);

/**
 * sonde_perf_writer_add_event - one more event; its number is 0 for the first, 1 for the next; all is copied
 * @attr: says which fields the records of the event have. An attr.size of 0 is filled in; -SONDE_USAGE if it is too
 *	small for a field that is not 0.
 * @size: sizeof(*attr) in the program's build
 * @name: for the feature EVENT_DESC, which is made of the names unless it is set; NULL: no name. A stream has each name
 *	in an EVENT_UPDATE record too.
 * @ids: tell the records of several events apart, with PERF_SAMPLE_IDENTIFIER or PERF_SAMPLE_ID in each attr
 */
SONDE_API int sonde_perf_writer_add_event(struct sonde_perf_writer *w, const struct sonde_attr *attr, size_t size,
					  const char *name, const uint64_t *ids, size_t nr_ids);

/**
 * sonde_perf_writer_set_feature - the payload of a header feature, as it is to lie in the file
 * Copied; replaces the payload that was set before.
 */
SONDE_API int sonde_perf_writer_set_feature(struct sonde_perf_writer *w, uint32_t feature, const void *payload,
					    size_t n);

/**
 * sonde_perf_writer_set_meta - the features whose bits are set in meta->features, from the members of @meta; copied
 *
 *	struct sonde_meta meta = { .sz = sizeof(meta), .hostname = "box" };
 *
 *	meta.features[0] = UINT64_C(1) << SONDE_FEAT_HOSTNAME;
 *	sonde_perf_writer_set_meta(w, &meta);
 *
 * Features that are lists or have no members are left out; so are those about the file itself: AUXTRACE, COMPRESSED,
 * DIR_FORMAT.
 */
SONDE_API int sonde_perf_writer_set_meta(struct sonde_perf_writer *w, const struct sonde_meta *meta);

/**
 * sonde_perf_writer_set_list - a feature that is a list
 * @feature: SONDE_FEAT_BUILD_ID, NUMA_TOPOLOGY, PMU_MAPPINGS, GROUP_DESC, CACHE, BPF_PROG_INFO, BPF_BTF, CPU_PMU_CAPS
 *	or HYBRID_TOPOLOGY; the comments of the structs in meta.h name their feature
 * @items: @nr structs, with all that they point to; copied
 * @size: the size of such a struct in the program's build
 */
SONDE_API int sonde_perf_writer_set_list(struct sonde_perf_writer *w, uint32_t feature, const void *items, size_t nr,
					 size_t size);

/**
 * sonde_perf_writer_copy_meta - every feature of @t, except those about the file: AUXTRACE, COMPRESSED, DIR_FORMAT
 * Features that this version does not know keep their bytes, so the new file must have the byte order of @t.
 */
SONDE_API int sonde_perf_writer_copy_meta(struct sonde_perf_writer *w, const struct sonde_trace *t);

/** Where a record belongs. Fields left 0 are the defaults. */
struct sonde_perf_record {
	size_t sz;
	uint32_t event;           /* number of the event whose record it is */
	uint32_t file;            /* of a directory, as in sonde_perf_writer_write_to() */
	/* PERF_RECORD_MISC_*. Cpumode 0 becomes 2, user code, in samples and mappings, and 1, the kernel, in a mapping
	 * of pid -1. */
	uint16_t misc;
	/* Of records that are no samples, if the attr has SONDE_ATTR_SAMPLE_ID_ALL: */
	int32_t cpu;
	uint64_t time;            /* ns */
	uint64_t id;              /* one of the event's ids; 0: the first */
	/* Of samples: sample->nr_values counts, if the attr has PERF_SAMPLE_READ, and sample->nr_branches branches. */
	const struct sonde_read_value *values;
	const struct sonde_branch *branches;
};

/**
 * sonde_perf_writer_sample - write a sample with the fields that the attr of its event has
 * @rec: NULL: all defaults
 * @sample: in host order, whatever the file has; `present` and fields that the attr does not have are not looked at. An
 *	id, identifier or stream_id of 0 becomes the first id of the event. user_regs and intr_regs may be NULL: no
 *	registers.
 * @size: sizeof(*sample) in the program's build
 * Returns 0; -SONDE_USAGE if a field has another shape than the attr demands, or the sample is too long for a record.
 */
SONDE_API int sonde_perf_writer_sample(struct sonde_perf_writer *w, const struct sonde_perf_record *rec,
				       const struct sonde_sample *sample, size_t size);

/**
 * sonde_perf_writer_mmap - write a mapping: an MMAP2 record, or an MMAP if the fields that only MMAP2 has are 0
 * Arguments and results of this and of the next functions are those of sonde_perf_writer_sample().
 */
SONDE_API int sonde_perf_writer_mmap(struct sonde_perf_writer *w, const struct sonde_perf_record *rec,
				     const struct sonde_mmap *mmap, size_t size);

/** sonde_perf_writer_comm - write the name of a thread */
SONDE_API int sonde_perf_writer_comm(struct sonde_perf_writer *w, const struct sonde_perf_record *rec,
				     const struct sonde_comm *comm, size_t size);

/** sonde_perf_writer_fork - write that a thread or process began */
SONDE_API int sonde_perf_writer_fork(struct sonde_perf_writer *w, const struct sonde_perf_record *rec,
				     const struct sonde_task *task, size_t size);

/** sonde_perf_writer_exit - write that a thread ended */
SONDE_API int sonde_perf_writer_exit(struct sonde_perf_writer *w, const struct sonde_perf_record *rec,
				     const struct sonde_task *task, size_t size);

/**
 * sonde_perf_writer_write - write @n bytes of whole records, in the byte order of the file
 *
 *	while (sonde_iter_next(it, &ev) > 0)
 *		sonde_perf_writer_write(w, ev->raw, ev->raw_size);
 *
 * Bytes that follow a record, such as the trace after an AUXTRACE, may come with further calls, in pieces of any size.
 * Compressed records are passed over: an iterator gives their contents after them. Records that describe events and
 * features, as a stream has them, must be left out: the writer makes its own.
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
