/* SPDX-License-Identifier: MIT */
/*
 * column_rows.c arrow TRACE | parquet FILE... - rows of columnar outputs as text, for tests without Arrow's libraries
 *
 * Of Arrow, each sample: its time, event and period, with tabs between. Of Parquet, each row of the samples of a fleet:
 * its event, samples and weight.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sonde/arrow.h>

#include "base/bytes.h"
#include "io/image.h"
#include "parquet/parquet_reader.h"

static int failed(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	return 1;
}

/* ---- Arrow ---- */

enum { TIME, EVENT, PERIOD, COLUMNS };

static const char *const names[] = { [TIME] = "time", [EVENT] = "event", [PERIOD] = "period" };

static int find_columns(struct ArrowArrayStream *stream, int64_t at[COLUMNS])
{
	static const char *const formats[] = { [TIME] = "l", [EVENT] = "i", [PERIOD] = "L" };
	struct ArrowSchema schema;
	int found = 0;

	if (stream->get_schema(stream, &schema) != 0)
		return 0;
	for (int64_t i = 0; i < schema.n_children; i++)
		for (size_t k = 0; k < COLUMNS; k++)
			if (strcmp(schema.children[i]->name, names[k]) == 0 &&
			    strcmp(schema.children[i]->format, formats[k]) == 0) {
				at[k] = i;
				found++;
			}
	schema.release(&schema);
	return found == COLUMNS;
}

static void print_batch(const struct ArrowArray *batch, const int64_t at[COLUMNS])
{
	const int64_t *times = batch->children[at[TIME]]->buffers[1];
	const uint64_t *periods = batch->children[at[PERIOD]]->buffers[1];
	const struct ArrowArray *events = batch->children[at[EVENT]];
	const int32_t *numbers = events->buffers[1], *ends = events->dictionary->buffers[1];
	const char *text = events->dictionary->buffers[2];

	for (int64_t i = 0; i < batch->length; i++) {
		int32_t n = numbers[i];

		printf("%" PRId64 "\t%.*s\t%" PRIu64 "\n", times[i], (int)(ends[n + 1] - ends[n]), text + ends[n],
		       periods[i]);
	}
}

static int print_arrow(const char *path)
{
	struct sonde_trace *t = sonde_trace_new();
	struct sonde_error err = { .sz = sizeof(err) };
	struct ArrowArrayStream stream;
	struct ArrowArray batch;
	int64_t at[COLUMNS];
	int r;

	if (!t || sonde_trace_open(t, path, NULL) < 0)
		return failed(path, t ? sonde_trace_error(t)->text : "out of memory");
	if (sonde_arrow_events(t, NULL, NULL, &stream, &err) < 0)
		return failed(path, err.text);
	if (!find_columns(&stream, at))
		return failed(path, "columns are missing, or have other types");
	while ((r = stream.get_next(&stream, &batch)) == 0 && batch.release) {
		print_batch(&batch, at);
		batch.release(&batch);
	}
	if (r != 0)
		return failed(path, stream.get_last_error(&stream));
	stream.release(&stream);
	sonde_trace_free(t);
	return 0;
}

/* ---- Parquet ---- */

static int print_parquet(const char *path)
{
	static const struct parquet_column columns[] = {
		{ "event", PARQUET_STRING }, { "samples", PARQUET_INT64 }, { "weight", PARQUET_INT64 },
	};
	struct sonde_error err = { .sz = sizeof(err) };
	struct parquet_reader *reader = parquet_reader_new(columns, ARRAY_SIZE(columns));
	struct image file;
	int r;

	if (!reader)
		return failed(path, "out of memory");
	if (image_open(&file, path, &err) < 0)
		return failed(path, err.text);
	r = parquet_reader_open(reader, &file, &err);
	while (r >= 0 && (r = parquet_reader_next(reader)) > 0) {
		struct sonde_str event = parquet_text(reader, 0);

		printf("%.*s\t%" PRId64 "\t%" PRId64 "\n", (int)event.len, event.p, parquet_int(reader, 1),
		       parquet_int(reader, 2));
	}
	parquet_reader_free(reader);
	image_close(&file);
	return r < 0 ? failed(path, err.text) : 0;
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc < 3)
		return failed(argv[0], "arrow TRACE | parquet FILE...");
	for (int i = 2; i < argc; i++)
		status |= strcmp(argv[1], "arrow") == 0 ? print_arrow(argv[i]) : print_parquet(argv[i]);
	return status;
}
