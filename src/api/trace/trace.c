/* SPDX-License-Identifier: MIT */
/* trace.c - opens a trace: recognises its format, and reads a file, a descriptor or memory */
#include "api/trace/architecture.h"
#include "api/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/trace/event.h"
#include "api/trace/unread_profile.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "bundle/bundle.h"
#include "io/trailer.h"
#include "perfdata/read/perfdata.h"
#include "tracedat/read/tracedat.h"

/* Formats that can be opened; to add one, add its row. */
static const struct input_format *const formats[] = { &perfdata_format, &dat_format };

static const struct input_format *format_of(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (formats[i]->probe(p, n))
			return formats[i];
	return NULL;
}

struct sonde_trace *sonde_trace_new(void)
{
	struct sonde_trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->views = event_views_new();
	if (!t->views) {
		free(t);
		return NULL;
	}
	err_clear(&t->err);
	return t;
}

void sonde_trace_free(struct sonde_trace *t)
{
	if (!t)
		return;
	if (t->reader)
		t->reader->ops->free(t->reader);
	event_views_free(t->views);
	tracefmt_free(t->formats);
	unread_profile_free(t->profile);
	free(t->path);
	free(t);
}

static void set_options(struct sonde_trace *t, const struct sonde_open_opts *opts)
{
	struct reader *r = t->reader;
	const struct sonde_open_opts all = { .sz = sizeof(all),
					     .raw_stamps = OPT(opts, raw_stamps, false),
					     .no_date = OPT(opts, no_date, false),
					     .stamps_per_second = OPT(opts, stamps_per_second, 0) };

	t->progress = OPT(opts, progress, NULL);
	t->progress_ctx = OPT(opts, progress_ctx, NULL);
	r->max_memory = OPT(opts, max_memory, 0);
	r->views = t->views;
	r->meta.sz = sizeof(struct sonde_meta);
	r->time_shift = r->given_shift = all.raw_stamps ? 0 : OPT(opts, offset_ns, 0);
	if (r->ops->set_clock)
		r->ops->set_clock(r, &all);
}

static bool are_zeros(const uint8_t *p, size_t n)
{
	while (n && *p == 0)
		p++, n--;
	return n == 0;
}

/* Closes @in in the end. */
static int open_input(struct sonde_trace *t, struct input *in, const struct sonde_open_opts *opts)
{
	const struct input_format *format = format_of(in->head, in->nr_head);
	bool empty = in->nr_head == 0, zeros = !empty && are_zeros(in->head, in->nr_head);
	int r;

	if (format) {
		r = format->open(in, &t->reader, &t->err);
		if (r == 0) {
			t->reader_formats = format == &dat_format ? dat_formats(t->reader) : NULL;
			set_options(t, opts);
			architecture_find(t->reader);
		}
		return r;
	}
	r = empty || zeros ? 0 : unread_profile_new(&t->profile, in, &t->err);
	if (r > 0)
		return err_set(&t->err, SONDE_FORMAT, SONDE_NONE,
			       "is a %s profile: its samples can be reported and exported, but it has no events",
			       t->profile->format->name);
	input_close(in);
	if (r < 0)
		return r;
	if (empty)
		return err_set(&t->err, SONDE_FORMAT, SONDE_NONE, "is empty");
	if (zeros)
		return err_set(
			&t->err, SONDE_FORMAT, 0,
			"begins with zeros: its recorder was killed before it wrote the header, or the disk was full");
	return err_set(
		&t->err, SONDE_FORMAT, 0,
		"is neither a perf.data nor a trace.dat: expected PERFILE2 or the magic of trace-cmd at its beginning");
}

static int begin(struct sonde_trace *t, const char *path, const struct sonde_open_opts *opts)
{
	int r;

	err_clear(&t->err);
	r = OPTS_CHECK(sonde_open_opts, opts, &t->err);
	if (r < 0)
		return r;
	if (t->reader)
		return err_set(&t->err, SONDE_USAGE, SONDE_NONE, "this trace has been opened before");
	unread_profile_free(t->profile);
	t->profile = NULL;
	free(t->path);
	t->nr_files = 0;
	t->path = strdup(path);
	return t->path ? 0 : err_nomem(&t->err);
}

static int check_size(struct sonde_trace *t, uint64_t size, const struct sonde_open_opts *opts)
{
	uint64_t max = OPT(opts, max_bytes, 0);

	if (max && size > max)
		return err_set(&t->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "has %" PRIu64 " bytes, more than the limit of %" PRIu64, size, max);
	return 0;
}

static int read_head(struct sonde_trace *t, struct input *in)
{
	ssize_t n;

	while (in->nr_head < sizeof(in->head)) {
		n = read(in->fd, in->head + in->nr_head, sizeof(in->head) - in->nr_head);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(&t->err, errno, "cannot read");
		if (n == 0)
			break;
		in->nr_head += (size_t)n;
	}
	return 0;
}

/* Reads a file that comes through a pipe but needs seeking into memory. */
static int slurp(struct sonde_trace *t, struct input *in, const struct sonde_open_opts *opts)
{
	uint64_t max = OPT(opts, max_bytes, 0);
	VEC(uint8_t) bytes = { 0 };
	ssize_t n = 1;

	do {
		if (vec_reserve(&bytes, 65536) < 0) {
			n = -1;
			errno = ENOMEM;
			break;
		}
		if (bytes.n == 0 && in->nr_head) {
			memcpy(bytes.at, in->head, in->nr_head);
			bytes.n = in->nr_head;
			continue;
		}
		n = read(in->fd, bytes.at + bytes.n, bytes.cap - bytes.n);
		if (n > 0)
			bytes.n += (size_t)n;
		if (max && bytes.n > max)
			break;
	} while (n > 0 || (n < 0 && errno == EINTR));
	in->map = (struct fmap){ .data = bytes.at, .size = bytes.n };
	input_take_map(in);
	close(in->fd);
	in->fd = -1;
	in->stream = false;
	if (n < 0)
		return err_sys(&t->err, errno, "cannot read");
	return check_size(t, bytes.n, opts);
}

/* Closes the descriptor of @in in the end. */
static int open_stream(struct sonde_trace *t, struct input *in, const struct sonde_open_opts *opts)
{
	const struct input_format *format;
	int r;

	in->stream = true;
	in->size = SONDE_NONE;
	r = read_head(t, in);
	format = format_of(in->head, in->nr_head);
	if (r == 0 && format && !format->can_stream(in->head, in->nr_head))
		r = slurp(t, in, opts);
	if (r < 0) {
		input_close(in);
		return r;
	}
	return open_input(t, in, opts);
}

/* Closes the descriptors of @in in the end. */
static int open_file(struct sonde_trace *t, struct input *in, uint64_t size, const struct sonde_open_opts *opts)
{
	int64_t n = check_size(t, size, opts);

	in->size = trailer_recording(in->fd, size);  /* a bundle may follow */
	if (n == 0)
		n = input_read(in->fd, 0, in->head, sizeof(in->head), &t->err);
	if (n < 0) {
		input_close(in);
		return (int)n;
	}
	in->nr_head = (size_t)n;
	return open_input(t, in, opts);
}

/* Notes the inputs, which no output may replace. */
static void note_file(struct sonde_trace *t, int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		t->files[t->nr_files++] = (struct file_id){ st.st_dev, st.st_ino };
}

static int open_descriptor(struct sonde_trace *t, int fd, const struct sonde_open_opts *opts)
{
	struct input in = INPUT_NONE;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(&t->err, errno, "cannot stat");
	note_file(t, fd);
	in.path = t->path;
	in.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (in.fd < 0)
		return err_sys(&t->err, errno, "cannot duplicate the descriptor");
	return S_ISREG(st.st_mode) ? open_file(t, &in, (uint64_t)st.st_size, opts) : open_stream(t, &in, opts);
}

/* Opens a directory by the file in it that has a header; the format finds the other files. */
static int open_directory(struct sonde_trace *t, int dir_fd, const struct sonde_open_opts *opts)
{
	struct input in = INPUT_NONE;
	struct stat st;

	in.path = t->path;
	in.fd = openat(dir_fd, "data", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (in.fd < 0 && errno == ENOENT)
		return err_set(&t->err, SONDE_FORMAT, SONDE_NONE,
			       "is a directory without a file 'data': not a recording");
	if (in.fd < 0)
		return err_sys(&t->err, errno, "cannot open its file data");
	if (fstat(in.fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		input_close(&in);
		return err_set(&t->err, SONDE_FORMAT, SONDE_NONE,
			       "is a directory whose 'data' is not a file: not a recording");
	}
	note_file(t, in.fd);
	note_file(t, dir_fd);
	in.dir_fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
	if (in.dir_fd < 0) {
		input_close(&in);
		return err_sys(&t->err, errno, "cannot duplicate the descriptor");
	}
	return open_file(t, &in, (uint64_t)st.st_size, opts);
}

/* A bundle whose list cannot be read is not used. */
static void note_damaged_bundle(struct sonde_trace *t)
{
	struct sonde_error err = { .sz = sizeof(err), .file_offset = SONDE_NONE };
	struct bundle *b;

	if (bundle_open(&b, t->path, &err) < 0) {
		ledger_add(&t->reader->ledger, SONDE_LOSS_CORRUPT, 1, err.file_offset, SONDE_NONE, -1,
			   "bundle {is|are} damaged: names and lines are looked for on this machine");
		ledger_mark_lasting(&t->reader->ledger);
	}
	bundle_free(b);
}

int sonde_trace_open(struct sonde_trace *t, const char *path, const struct sonde_open_opts *opts)
{
	struct stat st;
	int fd, r;

	if (strcmp(path, "-") == 0)
		return sonde_trace_open_fd(t, STDIN_FILENO, "-", opts);
	r = begin(t, path, opts);
	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(&t->err, errno, "cannot open");
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		r = open_directory(t, fd, opts);
	else
		r = open_descriptor(t, fd, opts);
	close(fd);
	if (r == 0)
		note_damaged_bundle(t);
	return r;
}

int sonde_trace_open_fd(struct sonde_trace *t, int fd, const char *name, const struct sonde_open_opts *opts)
{
	int r = begin(t, name, opts);

	return r < 0 ? r : open_descriptor(t, fd, opts);
}

/* The bytes stay the caller's: they are neither unmapped nor freed. */
int sonde_trace_open_memory(struct sonde_trace *t, const void *data, size_t size, const char *name,
			    const struct sonde_open_opts *opts)
{
	struct input in;
	int r = begin(t, name, opts);

	if (r == 0)
		r = check_size(t, size, opts);
	if (r < 0)
		return r;
	in = input_of_memory(t->path, data, size);
	return open_input(t, &in, opts);
}

const struct sonde_error *sonde_trace_error(const struct sonde_trace *t)
{
	return &t->err;
}

static const struct sonde_trace_info not_open = { .format = "", .path = "" };

const struct sonde_trace_info *sonde_trace_info(const struct sonde_trace *t)
{
	return t->reader ? &t->reader->info : t->profile ? &t->profile->info : &not_open;
}

size_t sonde_trace_evsel_count(const struct sonde_trace *t)
{
	return t->reader ? t->reader->evsels.n : 0;
}

const struct sonde_evsel *sonde_trace_evsel_at(const struct sonde_trace *t, size_t index)
{
	return index < sonde_trace_evsel_count(t) ? t->reader->evsels.at[index] : NULL;
}

size_t sonde_trace_loss_count(const struct sonde_trace *t)
{
	return t->reader ? t->reader->ledger.rows.n : 0;
}

const struct sonde_loss *sonde_trace_loss_at(const struct sonde_trace *t, size_t i)
{
	return i < sonde_trace_loss_count(t) ? &t->reader->ledger.rows.at[i] : NULL;
}
