/* SPDX-License-Identifier: MIT */
/*
 * parquet_files.c FOLDER - Parquet files of every column type, and for each a line of JSON by which a reader is checked
 *
 * A line is {"file", "rows", "int32", "int64", "delta", "texts" (bytes), "lists" (elements), "list_sum"}.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "parquet/parquet_writer.h"

enum { INT32, INT64, DELTA, TEXT, LIST };

static const struct parquet_column columns[] = {
	[INT32] = { "int32", PARQUET_INT32 },
	[INT64] = { "int64", PARQUET_INT64 },
	[DELTA] = { "delta", PARQUET_INT64, .delta = true },
	[TEXT] = { "text", PARQUET_STRING },
	[LIST] = { "list", PARQUET_INT64_LIST },
};

enum { LONG_TEXT = 65536, LIST_MAX = 40 };

struct sums {
	int64_t int32, int64, delta, texts, lists, list_sum;
};

/* How the values of row i are chosen. */
struct kind {
	const char *name;
	uint64_t rows;
	bool distinct;               /* no dictionary holds the numbers and the texts */
	bool long_texts;             /* of 64 kB, now and then */
	bool empty_lists;            /* no others */
};

static const struct kind kinds[] = {
	{ "none", 0 },
	{ "one", 1 },
	{ "two", 2 },
	{ "alike", 300000 },
	{ "distinct", 300000, .distinct = true },
	{ "long", 2000, .long_texts = true },
	{ "long_distinct", 500, .long_texts = true, .distinct = true },
	{ "empty_lists", 5000, .empty_lists = true },
	{ "groups", 1100000, .empty_lists = true },
};

static size_t make_text(const struct kind *kind, uint64_t i, char *text)
{
	uint64_t number = kind->distinct ? i : i % 1000;

	if (kind->long_texts && i % 4 == 1) {
		memset(text, 'x', LONG_TEXT);
		memcpy(text, &(char[]){ (char)('a' + number % 26), (char)('a' + number / 26 % 26) }, 2);
		return LONG_TEXT;
	}
	if (i % 10 == 3)
		return 0;
	return (size_t)snprintf(text, LONG_TEXT, "\"name\" %" PRIu64 " \xc3\xa4", number);
}

static size_t make_list(const struct kind *kind, uint64_t i, int64_t *list)
{
	size_t n = kind->empty_lists ? 0 : (size_t)(i * 7 % LIST_MAX);

	for (size_t j = 0; j < n; j++)
		list[j] = (int64_t)((kind->distinct ? i * LIST_MAX + j : j * j) * UINT64_C(0x9e3779b97f4a7c15)) >> 20;
	return n;
}

static int put_row(struct parquet_writer *w, const struct kind *kind, uint64_t i, char *text, struct sums *s)
{
	int64_t list[LIST_MAX];
	int32_t int32 = (int32_t)(i % 2 ? i * 1000 : -i);
	int64_t int64 = (int64_t)((kind->distinct ? i : i % 100) * UINT64_C(0x9e3779b97f4a7c15)) >> 20;
	int64_t delta = (int64_t)(1700000000000000000 + i * 1000 + i % 7);
	size_t len = make_text(kind, i, text), n = make_list(kind, i, list);

	parquet_put_int(w, INT32, int32);
	parquet_put_int(w, INT64, int64);
	parquet_put_int(w, DELTA, delta);
	parquet_put_text(w, TEXT, text, len);
	parquet_put_list(w, LIST, list, n);
	s->int32 += int32;
	s->int64 += int64;
	s->delta += delta - 1700000000000000000;
	s->texts += (int64_t)len;
	s->lists += (int64_t)n;
	for (size_t j = 0; j < n; j++)
		s->list_sum += list[j];
	return parquet_end_row(w);
}

static void write_file(const char *folder, const struct kind *kind, char *text)
{
	static const size_t order[] = { DELTA, INT32 };
	struct sonde_error err = { .sz = sizeof(err) };
	struct sums s = { 0 };
	struct buf out = BUF_MEMORY;
	struct parquet_writer *w;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.parquet", folder, kind->name);
	out.err = &err;
	out.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	w = parquet_writer_new(&out, columns, ARRAY_SIZE(columns));
	if (out.fd < 0 || !w)
		abort();
	parquet_sorted_by(w, order, ARRAY_SIZE(order));
	for (uint64_t i = 0; i < kind->rows; i++)
		if (put_row(w, kind, i, text, &s) < 0)
			break;
	if (parquet_writer_end(w) < 0 || buf_flush(&out) < 0) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		exit(1);
	}
	printf("{\"file\":\"%s\",\"rows\":%" PRIu64 ",\"int32\":%" PRId64 ",\"int64\":%" PRId64 ",\"delta\":%" PRId64
	       ",\"texts\":%" PRId64 ",\"lists\":%" PRId64 ",\"list_sum\":%" PRId64 "}\n",
	       path, kind->rows, s.int32, s.int64, s.delta, s.texts, s.lists, s.list_sum);
	parquet_writer_free(w);
	buf_free(&out);
	close(out.fd);
}

int main(int argc, char **argv)
{
	char *text = malloc(LONG_TEXT);

	if (argc != 2 || !text)
		return 2;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		write_file(argv[1], &kinds[i], text);
	free(text);
	return 0;
}
