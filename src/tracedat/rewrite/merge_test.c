/* SPDX-License-Identifier: MIT */
#include "tracedat/read/walk.h"
#include "tracedat/rewrite/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tracedat/read/tracedat.h"
#include "tracedat/write/writer.h"

static char dir[] = "/tmp/sonde-merge-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(dir);
}

static void path_of(char *to, const char *name)
{
	snprintf(to, 80, "%s/%s", dir, name);
}

static void add_format(struct dat_writer *w, const char *name, unsigned id)
{
	char text[512];
	int n = snprintf(text, sizeof(text),
			 "name: %s\nID: %u\nformat:\n"
			 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			 "\tfield:u32 number;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"%%u\", REC->number\n",
			 name, id);

	assert_int_equal(dat_writer_add_format(w, "clock", text, (size_t)n, NULL), 0);
}

static void write_event(struct dat_writer *w, uint32_t buffer, uint16_t id, uint64_t time, uint32_t number)
{
	struct { uint16_t id, none; int32_t pid; uint32_t number; } event = { id, 0, 5, number };

	assert_int_equal(dat_writer_write(w, buffer, 1, time, &event, sizeof(event), NULL), 0);
}

/* A file of a session, with the given formats. */
static struct dat_writer *new_writer(uint64_t session)
{
	const struct sonde_dat_writer_opts opts = { .version = 7, .compression = SONDE_COMPRESSION_ZSTD, .long_size = 8,
						    .page_size = 4096, .clock = "local" };
	struct dat_writer *w = dat_writer_new(&opts);

	assert_non_null(w);
	if (session)
		assert_int_equal(dat_writer_add_option(w, 11, &session, sizeof(session), NULL), 0);
	return w;
}

static void finish(struct dat_writer *w, const char *path)
{
	struct sonde_error err = { .file_offset = SONDE_NONE };
	struct output to;

	assert_int_equal(output_open(&to, path, NULL, &err), 0);
	assert_int_equal(dat_writer_finish(w, &to, &err), 0);
	assert_int_equal(output_finish(&to, &err), 0);
	output_close(&to);
	dat_writer_free(w);
}

static struct reader *open_trace(const char *path)
{
	struct input in = INPUT_NONE;
	struct reader *r = NULL;
	struct stat st;

	in.path = path;
	in.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(in.fd >= 0 && fstat(in.fd, &st) == 0);
	in.size = (uint64_t)st.st_size;
	assert_int_equal(dat_format.open(&in, &r, NULL), 0);
	return r;
}

/* Names and times of all events in their order: "tick@1 tock@2 " */
static void describe(const char *path, char *to, size_t room, size_t *nr_buffers)
{
	struct reader *r = open_trace(path);
	struct tracedat *t = dat_of(r);
	struct record_ref ref;
	struct walk *walk;
	size_t n = 0;

	assert_int_equal(dat_walk_new_by_time(r, &walk, NULL), 0);
	while (dat_walk_next(walk, &ref, NULL) > 0) {
		struct page_event ev;

		if (ref.kind != DAT_EVENT)
			continue;
		ev = dat_page_event_at(&t->layout, ref.p);
		n += (size_t)snprintf(to + n, room - n, "%s@%u ",
				      tracefmt_event(t->formats, load_u16(ev.data, false))->name, (unsigned)ref.time);
	}
	*nr_buffers = t->buffers.n;
	dat_walk_free(walk);
	r->ops->free(r);
}

static void merge(const char *a, const char *b, const char *out, int64_t offset, size_t nr_losses)
{
	struct sonde_rewrite w = { .err.file_offset = SONDE_NONE };
	struct reader *in[] = { open_trace(a), open_trace(b) };
	const int64_t offsets[] = { 0, offset };
	const struct sonde_merge_opts opts = { .offsets_ns = offsets, .nr_offsets = offset ? 2 : 0 };

	assert_int_equal(dat_merge(&w, in, 2, out, &opts), 0);
	assert_int_equal(w.counts.written, 4);
	assert_int_equal(w.ledger.rows.n, nr_losses);
	ledger_free(&w.ledger);
	for (size_t i = 0; i < 2; i++)
		in[i]->ops->free(in[i]);
}

static void check(uint64_t session_a, uint64_t session_b, int64_t offset, size_t nr_losses, const char *want,
		  size_t want_buffers)
{
	struct dat_writer *w = new_writer(session_a);
	char a[80], b[80], out[80], got[256];
	size_t nr_buffers;

	path_of(a, "a.dat");
	path_of(b, "b.dat");
	path_of(out, "out.dat");
	add_format(w, "tick", 42);
	write_event(w, 0, 42, 10, 1);
	write_event(w, 0, 42, 30, 2);
	finish(w, a);
	/* the number belongs to another event, and the event has another number */
	w = new_writer(session_b);
	add_format(w, "tock", 42);
	add_format(w, "tick", 43);
	write_event(w, 0, 42, 20, 3);
	write_event(w, 0, 43, 40, 4);
	finish(w, b);
	merge(a, b, out, offset, nr_losses);
	describe(out, got, sizeof(got), &nr_buffers);
	assert_string_equal(got, want);
	assert_int_equal(nr_buffers, want_buffers);
	unlink(a);
	unlink(b);
	unlink(out);
}

static void files_of_one_session_share_their_buffers(void **state)
{
	(void)state;
	check(77, 77, 0, 0, "tick@10 tock@20 tick@30 tick@40 ", 1);
}

static void other_files_have_buffers_of_their_own(void **state)
{
	(void)state;
	check(77, 78, 0, 1, "tick@10 tock@20 tick@30 tick@40 ", 2);
	check(0, 0, 0, 1, "tick@10 tock@20 tick@30 tick@40 ", 2);
}

static void times_are_moved(void **state)
{
	(void)state;
	check(1, 2, 100, 0, "tick@10 tick@30 tock@120 tick@140 ", 2);
	check(1, 2, -15, 0, "tock@5 tick@10 tick@25 tick@30 ", 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_one_session_share_their_buffers),
		cmocka_unit_test(other_files_have_buffers_of_their_own),
		cmocka_unit_test(times_are_moved),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
