/* SPDX-License-Identifier: MIT */

#include "tracedat/rewrite/repair.h"
#include "tracedat/rewrite/repair_files.h"
#include "tracedat/rewrite/repair_find.h"
#include "tracedat/rewrite/repair_header.h"
#include "tracedat/rewrite/repair_metadata.h"
#include "tracedat/rewrite/repair_pages.h"
#include "tracedat/scan/check.h"

/* Nothing to repair: the file is copied. */
static int copy_sound(struct dat_rewrite *w, uint64_t records)
{
	int r = output_copy(&w->to, &w->image, 0, w->image.size, &w->handle->err);

	w->handle->counts.read = w->handle->counts.written = records;
	if (r == 0)
		r = image_shrunk(&w->image, &w->handle->err);
	return r < 0 ? r : output_finish(&w->to, &w->handle->err);
}

static bool has_data(const struct dat_file *f)
{
	if (dat_file_has_pages(f))
		return true;
	for (size_t i = 0; i < f->parts.n; i++)
		if (f->parts.at[i].kind == DAT_PART_TEXT && !f->parts.at[i].lost)
			return true;
	return false;
}

/* If the name of the compression is unknown, the sections tell it. */
static int read_by_content(struct dat_rewrite *w)
{
	const char *name = dat_repair_find_compression(&w->in, w->in.header.end);
	struct dat_header header = w->in.header;

	header.compression = (struct sonde_str){ name, strlen(name) };
	header.compression_version = (struct sonde_str){ "", 0 };
	dat_file_free(&w->in);
	dat_file_init(&w->in, &w->image);
	w->in.header = header;
	dat_rewrite_lose(w, SONDE_LOSS_CORRUPT, 1, 18, -1, "unknown {name|names} of a compression");
	return dat_layout_read_parts(&w->in, NULL, &w->handle->err);
}

static int read_layout(struct dat_rewrite *w)
{
	struct sonde_error why = { .file_offset = SONDE_NONE };
	int r = dat_layout_read(&w->in, &w->image, NULL, DAT_DEEP, &why);

	if (r == -SONDE_FORMAT || r == -SONDE_CORRUPT || r == -SONDE_TRUNCATED || r == -SONDE_UNSUPPORTED) {
		dat_file_free(&w->in);
		dat_file_init(&w->in, &w->image);
		r = dat_repair_find_header(&w->in, &w->handle->err);
		if (r < 0)
			return r;
		dat_rewrite_lose(w, SONDE_LOSS_CORRUPT, 1, 0, -1,
				 "unusable {header|headers}, made again from the bytes after {it|them}");
		r = dat_layout_read_parts(&w->in, NULL, &w->handle->err);
	} else if (r == 0 && w->in.header.version == 7 && !w->in.codec &&
		   strcmp(w->in.header.compression.p, "none") != 0) {
		r = read_by_content(w);
	}
	return r == -SONDE_NOMEM ? err_nomem(&w->handle->err) : r;
}

static void drop_unfinished(struct dat_rewrite *w)
{
	size_t item;
	struct dat_part *part = dat_file_unfinished(&w->in, &item);

	if (!part)
		return;
	dat_rewrite_lose(
		w, SONDE_LOSS_TRUNCATED, 1, part->at, -1,
		"recording was never finished: the last events, names of tasks and counts of lost events are missing");
	memmove(&part->items.at[item], &part->items.at[item + 1], (--part->items.n - item) * sizeof(*part->items.at));
}

static uint64_t page_bytes(const struct dat_file *f)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->buffers.n; i++)
		for (size_t k = 0; k < f->buffers.at[i].extents.n; k++)
			n += f->buffers.at[i].extents.at[k].bytes.n;
	return n;
}

/* @sound: the file breaks no rule but has no event: it changes only if there are pages that nothing refers to. */
static int mend(struct dat_rewrite *w, bool sound)
{
	struct repair_files others = { 0 };
	struct compose_how how;
	uint64_t known;
	int r = read_layout(w);

	if (r == 0)
		r = dat_repair_find_sections(w);
	if (r == 0)
		r = dat_repair_metadata(w);
	known = page_bytes(&w->in);
	if (r == 0)
		r = dat_repair_find_pages(w);
	if (r == 0 && !has_data(&w->in))
		r = dat_repair_find_files(w, &others);
	if (r == 0 && sound && page_bytes(&w->in) == known) {
		r = copy_sound(w, 0);
		dat_repair_files_free(&others);
		return r;
	}
	if (r == 0)
		r = dat_repair_pages(w);
	if (r == 0)
		drop_unfinished(w);
	if (r == 0)
		r = dat_version_convert(&w->in, w->in.header.version, &w->handle->ledger, &w->handle->err);
	how = dat_compose_same(&w->in);
	if (r == 0)
		r = dat_rewrite_finish(w, &w->in, &how);
	dat_repair_files_free(&others);
	return r;
}

int dat_repair(struct sonde_rewrite *handle, struct image *im, const char *out)
{
	struct findings found = { 0 };
	struct dat_rewrite w;
	uint64_t records;
	int r = dat_rewrite_open(&w, handle, im, out);

	if (r == 0)
		r = dat_check(&w.image, &found, &records, &handle->err);
	if (r == 0)
		r = finds_nothing_wrong(&found) && records ? copy_sound(&w, records) :
							     mend(&w, finds_nothing_wrong(&found));
	dat_rewrite_close(&w);
	return r;
}
