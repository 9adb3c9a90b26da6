/* SPDX-License-Identifier: MIT */
#include "record/perf/tracing_data.h"

#include <stdio.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fmap.h"
#include "base/put.h"

#define FILE_MAX (64u << 20)

/* A file of tracefs after its size in 4 or 8 bytes. If @may_miss, a missing file counts as empty. */
static int put_file(struct buf *b, const char *path, size_t size_bytes, bool may_miss, struct sonde_error *err)
{
	struct fmap f = { 0 };
	int r = fmap_path(&f, path, FILE_MAX, may_miss ? NULL : err);

	if (r < 0 && !may_miss)
		return r;
	if (r < 0)
		f = (struct fmap){ 0 };
	if (size_bytes == 4)
		put_u32(b, (uint32_t)f.size, false);
	else
		put_u64(b, f.size, false);
	buf_put(b, f.data, f.size);
	fmap_close(&f);
	return 0;
}

static bool first_of_system(const struct events *list, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (list->at[k].system && !strcmp(list->at[k].system, list->at[i].system))
			return false;
	return true;
}

static bool first_of_point(const struct events *list, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (list->at[k].system && list->at[k].attr.config == list->at[i].attr.config)
			return false;
	return true;
}

static int put_system(struct buf *b, const struct events *list, size_t first, const char *tracefs,
		      struct sonde_error *err)
{
	const char *system = list->at[first].system;
	size_t nr = 0;
	int r = 0;

	for (size_t i = first; i < list->n; i++)
		nr += list->at[i].system && !strcmp(list->at[i].system, system) && first_of_point(list, i);
	put_strz(b, system);
	put_u32(b, (uint32_t)nr, false);
	for (size_t i = first; r == 0 && i < list->n; i++) {
		char path[800];

		if (!list->at[i].system || strcmp(list->at[i].system, system) != 0 || !first_of_point(list, i))
			continue;
		snprintf(path, sizeof(path), "%s/events/%.255s/%.255s/format", tracefs, system, list->at[i].tracepoint);
		r = put_file(b, path, 8, false, err);
	}
	return r;
}

int tracing_data_make(struct buf *out, const struct events *list, const char *tracefs, struct sonde_error *err)
{
	static const char *const pages[] = { "header_page", "header_event" };
	char path[512];
	size_t nr = 0;
	int r = 0;

	buf_put(out, "\x17\x08\x44tracing", 10);
	put_strz(out, "0.6");
	buf_char(out, (char)host_is_big_endian());
	buf_char(out, sizeof(long));
	put_u32(out, (uint32_t)sysconf(_SC_PAGESIZE), false);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(pages); i++) {
		put_strz(out, pages[i]);
		snprintf(path, sizeof(path), "%s/events/%s", tracefs, pages[i]);
		r = put_file(out, path, 8, false, err);
	}
	put_u32(out, 0, false);             /* formats of the ftrace system: none is recorded through perf events */
	for (size_t i = 0; i < list->n; i++)
		nr += list->at[i].system && first_of_system(list, i);
	put_u32(out, (uint32_t)nr, false);
	for (size_t i = 0; r == 0 && i < list->n; i++)
		if (list->at[i].system && first_of_system(list, i))
			r = put_system(out, list, i, tracefs, err);
	put_u32(out, 0, false);             /* kallsyms */
	if (r == 0) {
		snprintf(path, sizeof(path), "%s/printk_formats", tracefs);
		r = put_file(out, path, 4, true, err);
	}
	if (r == 0) {
		snprintf(path, sizeof(path), "%s/saved_cmdlines", tracefs);
		r = put_file(out, path, 8, true, err);
	}
	return r < 0 ? r : out->failed;
}
