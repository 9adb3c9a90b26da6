/* SPDX-License-Identifier: MIT */
#include "api/convert/left_files.h"

#include <string.h>
#include <time.h>

#include "base/boot_time.h"
#include "record/event/event.h"
#include "record/ftrace/meta.h"
#include "record/host/tracefs.h"
#include "tracedat/rewrite/repair_files.h"
#include "tracedat/write/recording_parts.h"

#define USUAL_PAGE_BYTES 4096

static bool is_of_this_boot(time_t written)
{
	int64_t boot_s = boot_time_s();

	return boot_s >= 0 && written >= boot_s;
}

static int ask_kernel(struct ftrace_meta *meta, const char *tracefs, struct sonde_error *err)
{
	const struct messenger nobody = { 0 };
	struct ftrace_instance main_buffer = { .name = "", .dir = tracefs };
	struct buf names = BUF_MEMORY;
	int r = ftrace_instance_look(&main_buffer, NULL, err);

	if (r == 0)
		r = ftrace_meta_make(meta, &main_buffer, 1, tracefs, true, &nobody, err);
	if (r == 0 && tracefs_read(&names, tracefs, "saved_cmdlines") == 0) {
		meta->names = names;
		meta->page.cmdlines = (struct sonde_str){ names.p, names.n };
	} else {
		buf_free(&names);
	}
	if (r == 0) {
		meta->buffers->nr_cpus = 0;  /* the kernel's buffers of now; the pages of the files are older */
		meta->buffers->clock = arena_strndup(&meta->arena, main_buffer.clock, strlen(main_buffer.clock));
		r = meta->buffers->clock ? 0 : err_nomem(err);
	}
	vec_free(&main_buffer.cpus);
	return r;
}

/* Metadata of a file of which nothing is known. */
static void say_nothing(struct ftrace_meta *meta)
{
	static struct page_buffer buffer = { .name = "", .clock = "local", .page_size = USUAL_PAGE_BYTES };
	const struct sonde_str none = { "", 0 };

	meta->page = (struct page_meta){ .header_page = none,
					 .header_event = none,
					 .kallsyms = none,
					 .printk = none,
					 .modules = none,
					 .cmdlines = none,
					 .trace_clock = "[local]",
					 .uname = "",
					 .version = "sonde " SONDE_VERSION,
					 .nr_cpus = 1,
					 .buffers = &buffer,
					 .nr_buffers = 1 };
}

static int compose(const struct page_meta *meta, struct buf *made, struct sonde_error *err)
{
	struct dat_places p = { 0 };
	int r = dat_places_init(&p, meta->nr_buffers, err);

	if (r == 0) {
		dat_put_metadata(made, meta, NULL, &p);
		dat_put_tail(made, 0, meta, 0, 0, NULL, &p);
		dat_patch_u64(made, p.head_at, p.options_at);
		r = made->failed ? err_nomem(err) : 0;
	}
	dat_places_free(&p);
	return r;
}

int left_files_open(struct sonde_rewrite *w, const char *path, struct buf *made, struct image *im)
{
	struct ftrace_meta meta = { .names = BUF_MEMORY };
	const char *tracefs = tracefs_find();
	time_t oldest = 0;
	size_t nr = dat_repair_count_files(path, &oldest);
	bool known;
	int r = 0;

	if (!nr)
		return 0;
	err_clear(&w->err);          /* the error of opening the file itself */
	known = tracefs && is_of_this_boot(oldest) && ask_kernel(&meta, tracefs, NULL) == 0 && meta.page.nr_formats;
	if (!known)
		say_nothing(&meta);
	r = compose(&meta.page, made, &w->err);
	ftrace_meta_free(&meta);
	if (r < 0)
		return r;
	ledger_add(&w->ledger, SONDE_LOSS_FEATURE, 1, SONDE_NONE, SONDE_NONE, -1, "%s", known ?
		   "file of which only the pages are left: formats, symbols, "
		   "clock and names of tasks are the running kernel's" :
		   "file of which only the pages are left: its events have no "
		   "formats, because it is older than this boot or tracefs cannot be read");
	image_memory(im, made->p, made->n);
	im->path = path;             /* the files of the CPUs lie beside this path */
	return 1;
}
