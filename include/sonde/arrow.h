/* SPDX-License-Identifier: MIT */
/**
 * arrow.h - the events of a trace and the tables of a profile as columns, by the C data interface of Apache Arrow
 *
 *	struct ArrowArrayStream stream;
 *	struct ArrowArray batch;
 *
 *	if (sonde_arrow_events(t, NULL, NULL, &stream, NULL) == 0) {
 *		while (stream.get_next(&stream, &batch) == 0 && batch.release) {
 *			printf("%lld rows\n", (long long)batch.length);
 *			batch.release(&batch);
 *		}
 *		stream.release(&stream);
 *	}
 *
 * Programs that know Arrow (DuckDB, polars, pyarrow) take such a stream without a copy. The three structs are those of
 * https://arrow.apache.org/docs/format/CDataInterface.html; a stream has no state outside of them. docs/arrow.md lists
 * the columns. Text is UTF-8: each byte of the trace that is none becomes U+FFFD.
 */
#ifndef SONDE_ARROW_H
#define SONDE_ARROW_H

#include <sonde/export.h>
#include <sonde/table.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/** The type of a column, or of a batch, which is a struct of columns. */
struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *schema);
	void *private_data;
};

/** The values of a column or of a batch. */
struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *array);
	void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/** Batches of one type, one after the other. */
struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *stream);
	void (*release)(struct ArrowArrayStream *stream);
	void *private_data;
};

#endif

struct sonde_arrow_opts {
	size_t sz;
	uint32_t batch_rows;                /* most rows of a batch; 0: 65536 */
	uint64_t batch_bytes;               /* a batch ends when its columns take so many bytes; 0: 64 MiB */
	bool records;                       /* of events: also rows of records that are no samples */
	/* Of events: a column `fields` with the fields of the tracepoint that the choice of events names. */
	bool fields;
};

/**
 * sonde_arrow_events - the samples of a trace as a stream of batches, in order of time
 * @t: opened, and not yet iterated if it is a stream; not used otherwise, and not freed, until the stream is released
 * @which: as for sonde_export_events(): event, tids, comms, query, symbol_opts, max_stack, inlined, stitch_lbr; may be
 *         NULL
 * @opts, @err: may be NULL
 * @out: set when 0 is returned. Batches are the caller's and outlive the stream and the trace.
 * A call of get_next reads one batch. If the trace cannot be read further, the events before are delivered first; the
 * call after that returns an errno, and get_last_error says why, with the offset in the file.
 * Returns 0, -SONDE_USAGE, -SONDE_MISSING if @opts->fields is set and there is no tracepoint of that name, the failure
 * of reading, or -SONDE_NOMEM.
 */
SONDE_API int sonde_arrow_events(struct sonde_trace *t, const struct sonde_events_opts *which,
				 const struct sonde_arrow_opts *opts, struct ArrowArrayStream *out,
				 struct sonde_error *err);

/** The tables of a profile. Columns that are numbers of rows of another table count from 0. */
enum sonde_arrow_table {
	SONDE_ARROW_EVENTS,
	SONDE_ARROW_TASKS,
	SONDE_ARROW_FUNCTIONS,
	SONDE_ARROW_STACKS,
	SONDE_ARROW_CELLS,
	SONDE_ARROW_SAMPLES,                /* of a profile with `timed` */
};

/**
 * sonde_arrow_profile - a table of a profile as a stream of batches
 * @p: neither changes nor is freed before the stream is released
 * @opts, @err: may be NULL
 * @out: as above
 * Returns 0, -SONDE_USAGE for a table that is not known, or -SONDE_NOMEM.
 */
SONDE_API int sonde_arrow_profile(struct sonde_profile *p, enum sonde_arrow_table table,
				  const struct sonde_arrow_opts *opts, struct ArrowArrayStream *out,
				  struct sonde_error *err);

/**
 * sonde_arrow_rows - the rows of a typed table (sonde/table.h) as a stream of batches
 * @t: lives until the stream is released
 * Other arguments and results are those of sonde_arrow_profile(). docs/arrow.md has the types.
 */
SONDE_API int sonde_arrow_rows(struct sonde_table *t, const struct sonde_arrow_opts *opts, struct ArrowArrayStream *out,
			       struct sonde_error *err);


#ifdef __cplusplus
}
#endif
#endif
