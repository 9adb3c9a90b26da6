/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/merge.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "perfdata/rewrite/byte_order.h"
#include "perfdata/rewrite/merge_events.h"
#include "perfdata/rewrite/merge_features.h"
#include "perfdata/rewrite/merge_input.h"
#include "perfdata/rewrite/merge_record.h"
#include "perfdata/rewrite/rewrite.h"

#define RECORD_ROOM (65536 + 64)     /* and an id more, and a trailer */
#define ROUND_RECORDS 8192           /* readers keep two rounds in order */
#define AUXTRACE_SIZE_AT 8
#define PID_SHARED (UINT32_MAX - 1)

/* ---- records ---- */

/*
 * A record in the byte order of the new file: the same, or a copy in m->turned. A record that a reader is to be asked
 * about needs the event as it was.
 */
static void turn(struct merge *m, const struct merge_input *in, struct sonde_event *ev)
{
	const char *stays;

	if (in->file->header.swap == m->swap)
		return;
	memcpy(m->turned, ev->raw, ev->raw_size);
	stays = swap_record(&in->file->evlist, m->turned, ev->raw_size, in->file->header.swap,
			    in->reader->meta.nr_cpus_available);
	if (stays)
		ledger_add(&m->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, ev->file_offset, SONDE_NONE, -1,
			   "in the byte order of the recorder: %s, in %s", stays, in->name);
	ev->raw = m->turned;
}

static int put(struct merge *m, const void *p, size_t n)
{
	m->handle->counts.written++;
	return compose_record(m->out, 0, p, n);
}

static int put_round(struct merge *m)
{
	uint8_t mark[RECORD_HEADER_BYTES] = { 0 };
	uint32_t type = m->swap ? bswap_32(RECORD_FINISHED_ROUND) : RECORD_FINISHED_ROUND;
	uint16_t size = m->swap ? bswap_16(sizeof(mark)) : sizeof(mark);

	memcpy(mark, &type, sizeof(type));
	memcpy(mark + 6, &size, sizeof(size));
	m->in_round = 0;
	return put(m, mark, sizeof(mark));
}

/* Readers act on a record without a time when they meet it: the second mark makes them hand out what came before. */
static int flush_readers(struct merge *m)
{
	int r = m->queued ? put_round(m) : 0;

	if (r == 0 && m->queued)
		r = put_round(m);
	m->queued = false;
	return r;
}

static int put_timed(struct merge *m, const struct sonde_event *ev, uint64_t key, struct sonde_bytes record)
{
	if (ev->type == RECORD_SAMPLE) {
		m->first = key < m->first ? key : m->first;
		m->last = key > m->last ? key : m->last;
	}
	m->queued = m->has_times = true;
	if (put(m, record.p, record.len) < 0)
		return m->to.buf.failed;
	return ++m->in_round >= ROUND_RECORDS ? put_round(m) : 0;
}

/* A file has the hardware trace of one recording: its decoder is told of one clock and of one set of buffers. */
static bool takes_trace(struct merge *m, const struct merge_input *in, uint32_t type)
{
	if (!m->aux)
		m->aux = in;
	if (m->aux == in)
		return true;
	if (type == RECORD_AUXTRACE)
		ledger_add(&m->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, SONDE_NONE, SONDE_NONE, -1,
			   "{piece|pieces} of hardware trace: a file has that of one recording, here of %s; in %s",
			   m->aux->name, in->name);
	return false;
}

static int put_trace(struct merge *m, struct merge_input *in, const struct sonde_event *ev)
{
	struct sonde_event turned = *ev;
	struct sonde_auxtrace trace;
	uint64_t size;

	if (!takes_trace(m, in, ev->type))
		return 0;
	if (in->reader->ops->auxtrace(in->reader, ev, &trace) < 0) {
		ledger_add(&m->handle->ledger, SONDE_LOSS_CORRUPT, 1, ev->file_offset, SONDE_NONE, -1,
			   "{piece|pieces} of hardware trace that cannot be read, in %s", in->name);
		return 0;
	}
	if (trace.payload.len < trace.size)
		ledger_add(&m->handle->ledger, SONDE_LOSS_TRUNCATED, trace.size - trace.payload.len, ev->file_offset,
			   SONDE_NONE, -1, "{byte|bytes} of hardware trace that {is|are} not there, in %s", in->name);
	turn(m, in, &turned);
	memcpy(m->room, turned.raw, ev->raw_size);
	size = m->swap ? bswap_64(trace.payload.len) : trace.payload.len;
	memcpy(m->room + AUXTRACE_SIZE_AT, &size, sizeof(size));
	if (put(m, m->room, ev->raw_size) < 0)
		return m->to.buf.failed;
	if (vec_push(&m->auxtrace, ((struct sonde_auxtrace_index){ compose_at(m->out) - ev->raw_size, ev->raw_size })) <
	    0)
		return err_nomem(&m->handle->err);
	return compose_payload(m->out, 0, trace.payload.p, trace.payload.len);
}

/*
 * Readers take the first THREAD_MAP and CPU_MAP and warn of others; outside of perf stat they say what was asked for.
 */
static bool takes_map(struct merge *m, const struct merge_input *in, const struct sonde_event *ev)
{
	struct buf *first = ev->type == RECORD_THREAD_MAP ? &m->thread_map : &m->cpu_map;

	if (first->n == 0) {
		buf_put(first, ev->raw, ev->raw_size);
		return true;
	}
	if (first->n != ev->raw_size || memcmp(first->p, ev->raw, first->n) != 0)
		ledger_add(&m->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, ev->file_offset, SONDE_NONE, -1,
			   "{list|lists} of recorded %s: a file has one, and another came first, in %s",
			   ev->type == RECORD_THREAD_MAP ? "threads" : "CPUs", in->name);
	return false;
}

static int pass_user_record(struct merge *m, struct merge_input *in, const struct sonde_event *ev)
{
	struct sonde_event turned = *ev;
	struct sonde_bytes record;
	int r;

	switch (ev->type) {
	case RECORD_HEADER_ATTR:            /* in the header now */
	case RECORD_HEADER_EVENT_TYPE:
	case RECORD_HEADER_TRACING_DATA:
	case RECORD_HEADER_BUILD_ID:
	case RECORD_HEADER_FEATURE:
	case RECORD_COMPRESSED:             /* what was in them comes by itself */
	case RECORD_COMPRESSED2:
	case RECORD_FINISHED_ROUND:         /* the inputs' rounds are not those of the new file */
		return 0;
	case RECORD_STAT:
		return err_set(&m->handle->err, SONDE_UNSUPPORTED, ev->file_offset,
			       "%s: counts of perf stat cannot be merged", in->name);
	case RECORD_AUXTRACE:
		return put_trace(m, in, ev);
	case RECORD_AUXTRACE_INFO:
		if (!takes_trace(m, in, ev->type))
			return 0;
	}
	turn(m, in, &turned);
	if ((ev->type == RECORD_THREAD_MAP || ev->type == RECORD_CPU_MAP) && !takes_map(m, in, &turned))
		return 0;
	r = merge_record(m, in, &turned, &record);
	return r > 0 ? put(m, record.p, record.len) : r;
}

static int note_pid(struct merge *m, const struct merge_input *in, int32_t pid)
{
	uint32_t before;

	if (pid <= 0)
		return 0;
	before = u64map_get(&m->pids, (uint32_t)pid);
	if (before == U64MAP_NONE)
		return u64map_set(&m->pids, (uint32_t)pid, (uint32_t)(in - m->in)) < 0 ? err_nomem(&m->handle->err) : 0;
	if (before == PID_SHARED || !clocks_hosts_differ(m->in[before].reader, in->reader))
		return 0;
	m->nr_shared_pids++;
	return u64map_set(&m->pids, (uint32_t)pid, PID_SHARED) < 0 ? err_nomem(&m->handle->err) : 0;
}

static int note_task(struct merge *m, struct merge_input *in, const struct sonde_event *ev)
{
	struct sonde_comm comm;
	struct sonde_mmap map;

	if (ev->type == RECORD_COMM && m->several_hosts && in->reader->ops->body(in->reader, ev, BODY_COMM, &comm) == 0)
		return note_pid(m, in, comm.pid);
	if ((ev->type != RECORD_MMAP && ev->type != RECORD_MMAP2) || in->kernel_at)
		return 0;
	if (in->reader->ops->body(in->reader, ev, BODY_MMAP, &map) == 0 && map.pid == -1)
		in->kernel_at = map.pgoff;
	return 0;
}

/*
 * Records of tasks that ran before the recorder began have a trailer of zeros, for the beginning. In the middle of the
 * new file readers that order by time take that for a violation of the order: there it gets the time at which its input
 * begins. False if it has no place for one.
 */
static bool give_time(struct merge *m, const struct merge_input *in, struct sonde_bytes *record)
{
	const struct sample_layout *l = &m->events.at[0].layout;
	size_t n = l->trailer_bytes;

	if (!m->has_times || !in->key || !l->trailer[AT_TIME] || record->len < RECORD_HEADER_BYTES + n ||
	    !bytes_are_zero(record->p + record->len - n, n))
		return false;
	if (record->p != m->room)
		memcpy(m->room, record->p, record->len);
	store_u64(m->room + record->len - l->trailer[AT_TIME], in->key, m->swap);
	record->p = m->room;
	return true;
}

static bool contradicts(const struct merge_input *in, const struct sonde_event *ev)
{
	bool swap = in->file->header.swap;
	struct record_header h = record_header(ev->raw, swap);

	return record_contradicts(&in->file->evlist, ev->raw, &h, swap);
}

static int lose_contradiction(struct merge *m, const struct sonde_event *ev)
{
	char text[RECORD_NAME_BYTES];

	ledger_add(&m->handle->ledger, SONDE_LOSS_CORRUPT, 1, ev->file_offset, SONDE_NONE, -1, REWRITE_CONTRADICTS,
		   record_name(ev->type, text));
	return 0;
}

static int pass_record(struct merge *m, struct merge_input *in)
{
	struct sonde_bytes record;
	struct loaded_event e;
	struct sonde_event *ev = &e.pub;
	bool bad;
	int r;

	m->handle->counts.read++;
	in->reader->ops->load(in->reader, &in->ref, &e);
	bad = contradicts(in, ev);
	if (ev->type >= RECORD_USER)
		return bad ? lose_contradiction(m, ev) : pass_user_record(m, in, ev);
	if (!ev->evsel)  /* the reader has counted it */
		return 0;
	if (ev->evsel->index >= in->nr_events) {
		ledger_add(&m->handle->ledger, SONDE_LOSS_UNKNOWN_ID, 1, ev->file_offset, SONDE_NONE, -1,
			   "{record|records} of events that are described too late, in %s", in->name);
		return 0;
	}
	r = note_task(m, in, ev);
	if (r < 0)
		return r;
	turn(m, in, ev);
	r = merge_record(m, in, ev, &record);  /* which may know better what is wrong */
	if (r <= 0 || bad)
		return r <= 0 ? r : lose_contradiction(m, ev);
	if ((in->ref.time != 0 && in->ref.time != SONDE_NONE) || give_time(m, in, &record))
		return put_timed(m, ev, in->key, record);
	r = flush_readers(m);
	return r < 0 ? r : put(m, record.p, record.len);
}

static void tell_progress(const struct merge *m)
{
	uint64_t passed = 0, bytes = 0;

	for (size_t i = 0; i < m->nr_in; i++) {
		const struct reader *r = m->in[i].reader;

		passed += order_passed(&m->in[i].order);
		bytes += r->nr_bytes == SONDE_NONE ? 0 : r->nr_bytes;
	}
	if (bytes && passed < bytes)
		m->handle->progress.fn(m->handle->progress.ctx, (double)passed / (double)bytes);
}

static int pass_records(struct merge *m)
{
	struct merge_input *in;
	uint64_t until;
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->nr_in; i++) {
		r = order_start(&m->in[i].order, m->in[i].reader, &m->handle->err);
		if (r == 0)
			r = merge_input_advance(m, &m->in[i]);
	}
	while (r == 0 && (in = merge_input_next(m, &until))) {
		do {
			r = pass_record(m, in);
			if (r == 0)
				r = merge_input_advance(m, in);
			if (rewriting_tells(m->handle))
				tell_progress(m);
		} while (r == 0 && !in->ended && in->key < until);
	}
	return r;
}

/* ---- the whole ---- */

static void tell_losses(struct merge *m)
{
	struct ledger *l = &m->handle->ledger;

	if (m->nr_shared_pids)
		ledger_add(l, SONDE_LOSS_UNSUPPORTED, m->nr_shared_pids, SONDE_NONE, SONDE_NONE, -1,
			   "{process|processes} of different machines {has|have} the same number and {is|are} not "
			   "told apart");
	for (size_t i = 0; i < m->nr_in; i++) {
		const struct ledger *from = &m->in[i].reader->ledger;

		if (m->in[0].kernel_at && m->in[i].kernel_at && m->in[i].kernel_at != m->in[0].kernel_at)
			ledger_add(l, SONDE_LOSS_UNSUPPORTED, 1, SONDE_NONE, SONDE_NONE, -1,
				   "kernel that lay at another address than that of %s, so that its functions may be "
				   "shown wrong, in %s",
				   m->in[0].name, m->in[i].name);
		for (size_t k = 0; k < from->rows.n; k++) {
			const struct sonde_loss *row = &from->rows.at[k];

			ledger_add(l, row->kind, row->count, row->file_offset, row->time_first, row->cpu, "%s, in %s",
				   row->text, m->in[i].name);
			if (row->first)
				ledger_describe_first(l, row->file_offset, row->first);
		}
	}
}

/* Nothing is written over what is read. */
static int check_output(struct merge *m, const char *out)
{
	struct stat to, from;

	if (stat(out, &to) < 0)
		return 0;
	for (size_t i = 0; i < m->nr_in; i++)
		if (m->in[i].file->input.fd >= 0 && fstat(m->in[i].file->input.fd, &from) == 0 &&
		    from.st_dev == to.st_dev && from.st_ino == to.st_ino)
			return err_set(&m->handle->err, SONDE_USAGE, SONDE_NONE,
				       "%s is an input: nothing is written over it", out);
	return 0;
}

static void lose_part(void *ctx, uint64_t count, const char *what)
{
	struct merge *m = ctx;

	ledger_add(&m->handle->ledger, SONDE_LOSS_UNSUPPORTED, count, SONDE_NONE, SONDE_NONE, -1, "%s", what);
}

static int begin_output(struct merge *m, const char *out)
{
	struct sonde_error *err = &m->handle->err;
	int r = output_open(&m->to, out, NULL, err);

	if (r < 0)
		return r;
	m->opts = (struct compose_opts){ .pipe = !output_can_seek(&m->to), .swap = m->swap, .names = true };
	m->room = malloc(RECORD_ROOM);
	m->turned = malloc(RECORD_ROOM);
	m->out = compose_new(&m->to, &m->opts, lose_part, m);
	if (!m->room || !m->turned || !m->out)
		return err_nomem(err);
	for (size_t i = 0; i < m->events.n; i++) {
		const struct merged_event *e = &m->events.at[i];

		if (compose_event(m->out, &e->attr, NULL, 0, e->ids.at, e->ids.n) < 0)
			return err_nomem(err);
	}
	r = merge_features(m);
	return r < 0 ? r : compose_begin(m->out, err);
}

static int merge(struct merge *m, const char *out)
{
	int r = check_output(m, out);

	if (r == 0)
		r = merge_events(m);
	if (r == 0)
		r = begin_output(m, out);
	if (r == 0)
		r = pass_records(m);
	for (size_t i = 0; r == 0 && i < m->nr_in; i++)
		r = input_shrunk(&m->in[i].file->input, &m->handle->err);
	if (r == 0)
		r = merge_late_features(m);
	if (r == 0)
		r = compose_finish(m->out, &m->handle->err);
	if (r == 0)
		tell_losses(m);
	return r < 0 ? r : output_finish(&m->to, &m->handle->err);
}

int perfdata_merge(struct sonde_rewrite *handle, struct reader *const *in, size_t nr, const char *out,
		   const struct sonde_merge_opts *opts)
{
	struct merge m = { .handle = handle,
			   .nr_in = nr,
			   .to.buf.fd = -1,
			   .first = UINT64_MAX,
			   .thread_map = BUF_MEMORY,
			   .cpu_map = BUF_MEMORY };
	int r = merge_inputs_open(&m, in, opts);

	if (r == 0)
		r = merge(&m, out);
	compose_free(m.out);
	output_close(&m.to);
	for (size_t i = 0; m.in && i < nr; i++)
		merge_input_end(&m.in[i]);
	for (size_t i = 0; i < m.events.n; i++)
		vec_free(&m.events.at[i].ids);
	vec_free(&m.events);
	vec_free(&m.auxtrace);
	u64map_free(&m.ids);
	u64map_free(&m.pids);
	buf_free(&m.thread_map);
	buf_free(&m.cpu_map);
	free(m.room);
	free(m.turned);
	free(m.in);
	return r;
}
