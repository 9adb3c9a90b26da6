/* SPDX-License-Identifier: MIT */
/*
 * repair_formats.c - the formats of tracepoints, which perf writes last: a recorder that was killed has not written
 * them
 *
 * Without them perf refuses the file. Numbers of tracepoints and their formats are those of one boot of one kernel, so
 * they are taken from the running one only if it made the recording; docs/repair.md says by what that is known.
 */
#include "perfdata/rewrite/repair_formats.h"

#include <linux/perf_event.h>
#include <sys/stat.h>
#include <time.h>

#include "perfdata/format/attr.h"
#include "perfdata/format/record_body.h"
#include "perfdata/scan/record_check.h"

#define KERNEL_NAME "[kernel.kallsyms]"
#define NS 1000000000
#define APART_MAX_S 60  /* between the last record and the last write of the file, and for clocks that drift */

static const struct sonde_attr *attr_at(const struct layout *l, size_t i)
{
	return &evlist_at(&l->evlist, i)->attr;
}

static bool is_tracepoint(const struct layout *l, size_t i)
{
	return attr_at(l, i)->type == PERF_TYPE_TRACEPOINT;
}

static size_t count_tracepoints(const struct layout *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->events.n; i++)
		n += is_tracepoint(l, i);
	return n;
}

/* The kernel that made the records, by what they say. */
struct traces_of_kernel {
	char symbol[16];             /* by which it tells where the kernel lies; "": not said */
	uint64_t address;
	uint64_t newest;             /* time of a record; 0: none */
	bool has_formats;            /* simpleperf, and streams, have them in a record */
};

static void look_at(struct traces_of_kernel *t, struct rewrite *w, const struct scanned *s)
{
	struct record rec = { s->p, s->h.size, s->h.type, s->h.misc, w->in.header.swap };
	uint64_t time = s->h.type < RECORD_USER ? record_time(&w->in.evlist, s->p, rec.swap) : SONDE_NONE;
	size_t n = strlen(KERNEL_NAME);
	struct sonde_mmap m;

	if (time != SONDE_NONE && time > t->newest)
		t->newest = time;
	t->has_formats |= s->h.type == RECORD_HEADER_TRACING_DATA;
	if (t->symbol[0] || (s->h.type != RECORD_MMAP && s->h.type != RECORD_MMAP2) ||
	    record_body(&rec, BODY_MMAP, &m) < 0 || m.pid != -1 || m.filename.len <= n ||
	    m.filename.len - n >= sizeof(t->symbol) || memcmp(m.filename.p, KERNEL_NAME, n) != 0)
		return;
	memcpy(t->symbol, m.filename.p + n, m.filename.len - n);
	t->address = m.pgoff;
}

static int look_at_records(struct traces_of_kernel *t, struct rewrite *w)
{
	struct record_source source;
	struct record_step got = { .step = SCAN_RECORD };
	int r = record_source_open(&source, &w->in, w->image.dir_fd, true, &w->handle->err);

	*t = (struct traces_of_kernel){ .symbol = "" };
	while (r == 0 && (r = record_source_next(&source, &got)) == 0 && got.step != SCAN_END)
		if (got.step == SCAN_RECORD)
			look_at(t, w, &got.record);
	record_source_close(&source);
	return r;
}

static bool counts_from_boot(const struct layout *l)
{
	for (size_t i = 0; i < l->events.n; i++) {
		const struct sonde_attr *a = attr_at(l, i);

		if (a->flags & SONDE_ATTR_USE_CLOCKID && a->clockid != CLOCK_MONOTONIC &&
		    a->clockid != CLOCK_MONOTONIC_RAW && a->clockid != CLOCK_BOOTTIME)
			return false;
	}
	return true;
}

static int64_t ns_of(clockid_t clock)
{
	struct timespec ts = { 0 };

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * NS + ts.tv_nsec;
}

/* NULL, or why the recording is not known to be of this boot of this kernel. */
static const char *why_not_this_boot(const struct rewrite *w, const struct traces_of_kernel *t)
{
	uint64_t here = t->symbol[0] && w->handle->kernel ? w->handle->kernel->address_of(t->symbol) : 0;
	int64_t boot = ns_of(CLOCK_REALTIME) - ns_of(CLOCK_MONOTONIC), apart_s;
	struct stat st;

	if (w->in.header.swap)
		return "it is of a machine of the other byte order";
	if (!t->symbol[0] || !t->address)
		return "it does not say where its kernel lay";
	if (!here)
		return "where this kernel lies is hidden (needs root)";
	if (here != t->address)
		return "its kernel lay elsewhere than the running one";
	if (!counts_from_boot(&w->in) || !t->newest || t->newest > INT64_MAX / 2)
		return "its times do not count from a boot";
	if (w->image.fd < 0 || fstat(w->image.fd, &st) < 0)
		return "it is no file, whose time could be looked at";
	apart_s = (st.st_mtim.tv_sec * (int64_t)NS + st.st_mtim.tv_nsec - boot - (int64_t)t->newest) / NS;
	if (apart_s >= -APART_MAX_S && apart_s <= APART_MAX_S)
		return NULL;
	return "its last record is not of the time at which the file was written, counted from this boot";
}

/* Takes them from the kernel: 0, 1 if it has them not (@why says so), or negative. */
static int take_formats(struct rewrite *w, struct lost_formats *f, struct sonde_error *why)
{
	const struct layout *l = &w->in;
	VEC(uint64_t) ids = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->events.n; i++)
		if (is_tracepoint(l, i))
			r = vec_push(&ids, attr_at(l, i)->config);
	if (r == 0)
		r = w->handle->kernel->formats(ids.at, ids.n, &f->blob, why);
	vec_free(&ids);
	return r == -SONDE_NOMEM ? err_nomem(&w->handle->err) : r < 0;
}

/* "308, 310" */
static void put_numbers(const struct layout *l, struct buf *out)
{
	for (size_t i = 0, n = 0; i < l->events.n; i++)
		if (is_tracepoint(l, i))
			buf_printf(out, "%s%" PRIu64, n++ ? ", " : "", attr_at(l, i)->config);
	buf_char(out, '\0');
}

/*
 * Leaves the tracepoints out. Records of tasks and mappings carry the id of any event: those that have one that goes
 * are given to the first that stays.
 */
static int drop_tracepoints(struct rewrite *w, struct lost_formats *f)
{
	struct layout *l = &w->in;
	bool *keep = calloc(l->events.n + 1, sizeof(*keep));
	size_t stays = l->events.n;
	int r = keep ? 0 : -SONDE_NOMEM;

	for (size_t i = l->events.n; r == 0 && i-- > 0;) {
		keep[i] = !is_tracepoint(l, i);
		stays = keep[i] ? i : stays;
	}
	for (size_t i = 0; r == 0 && i < l->events.n; i++)
		for (size_t k = 0; r == 0 && !keep[i] && k < evlist_at(&l->evlist, i)->ids.n; k++)
			r = u64map_set(&f->dropped, evlist_at(&l->evlist, i)->ids.at[k],
				       evlist_at(&l->evlist, i)->layout.trailer_bytes ==
					       evlist_at(&l->evlist, stays)->layout.trailer_bytes);
	l->has[SONDE_FEAT_EVENT_DESC] = l->has[SONDE_FEAT_GROUP_DESC] = false;
	if (r == 0)
		r = layout_keep_events(l, keep);
	for (size_t i = 0; r == 0 && i < f->dropped.entries.n; i++)
		if (f->dropped.entries.at[i].value)
			r = evlist_add_id(&l->evlist, evlist_at(&l->evlist, 0), f->dropped.entries.at[i].key);
	free(keep);
	return r < 0 ? err_nomem(&w->handle->err) : 0;
}

bool lost_formats_drop(struct lost_formats *f, struct rewrite *w, const struct scanned *s)
{
	uint64_t id;

	if (!f->dropped.entries.n || s->h.type != RECORD_SAMPLE)
		return false;
	evlist_find(&w->in.evlist, s->p, s->h.size, true, w->in.header.swap, &id);
	return u64map_get(&f->dropped, id) != U64MAP_NONE;
}

static int mend(struct rewrite *w, struct lost_formats *f, size_t nr)
{
	struct traces_of_kernel t;
	struct sonde_error why = { 0 };
	struct buf numbers = BUF_MEMORY;
	const char *reason;
	int r = look_at_records(&t, w);

	if (r < 0 || t.has_formats)
		return r;
	reason = why_not_this_boot(w, &t);
	r = reason ? 1 : take_formats(w, f, &why);
	if (r <= 0) {
		if (r == 0)
			rewrite_lose(w, SONDE_LOSS_FEATURE, nr, SONDE_NONE,
				     nr == 1 ? "format of a tracepoint was lost, and was taken from the running "
					       "kernel, which made the recording" :
					       "formats of tracepoints were lost, and were taken from the running "
					       "kernel, which made the recording");
		return r;
	}
	reason = reason ? reason : why.text;
	put_numbers(&w->in, &numbers);
	if (numbers.failed)
		r = err_nomem(&w->handle->err);
	else if (!w->handle->drop_tracepoints)
		ledger_add(&w->handle->ledger, SONDE_LOSS_FEATURE, nr, SONDE_NONE, SONDE_NONE, -1,
			   "%s lost (%.80s), and perf refuses the file: "
			   "--drop-tracepoints leaves out the event%s; not taken from the running kernel: %s",
			   nr == 1 ? "format of a tracepoint is" : "formats of tracepoints are", numbers.p,
			   nr == 1 ? "" : "s", reason);
	else if (nr == w->in.events.n)
		r = err_set(&w->handle->err, SONDE_MISSING, SONDE_NONE,
			    "all events are tracepoints: nothing would be left without them");
	else
		ledger_add(&w->handle->ledger, SONDE_LOSS_FEATURE, nr, SONDE_NONE, SONDE_NONE, -1, "%s left out: %s",
			   nr == 1 ? "tracepoint whose format is lost was" : "tracepoints whose formats are lost were",
			   numbers.p);
	buf_free(&numbers);
	if (r < 0)
		return r;
	return w->handle->drop_tracepoints ? drop_tracepoints(w, f) : 0;
}

int lost_formats_mend(struct lost_formats *f, struct rewrite *w)
{
	size_t nr = count_tracepoints(&w->in);

	*f = (struct lost_formats){ .blob = BUF_MEMORY };
	return nr && !w->in.has[SONDE_FEAT_TRACING_DATA] ? mend(w, f, nr) : 0;
}

void lost_formats_free(struct lost_formats *f)
{
	buf_free(&f->blob);
	u64map_free(&f->dropped);
}
