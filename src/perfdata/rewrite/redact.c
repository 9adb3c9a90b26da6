/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/redact.h"

#include <linux/perf_event.h>

#include "base/put.h"
#include "perfdata/format/feature.h"
#include "perfdata/rewrite/address_ranges.h"
#include "perfdata/rewrite/redact_verify.h"
#include "tracefmt/blob.h"
#include "tracefmt/format_list.h"
#include "tracefmt/redact/fields.h"
#include "tracefmt/redact/format.h"
#include "tracefmt/tracefmt.h"

#define KSYMBOL_TYPE_AT 20
#define KSYMBOL_BPF 1
#define COMM_BYTES 16
#define DEFERRED_NR_AT 16             /* of CALLCHAIN_DEFERRED: after the cookie the chain as in a sample */
#define EVERYWHERE (UINT64_C(1) << 57)  /* more than any address space: a mapping of that length says nothing */
#define KERNEL_HALF (UINT64_C(1) << 63)
#define EVENT_NAMES "event_type_info"
#define SIMPLEPERF_FEATURES 128       /* its own from here on */
#define INTEL_PT 1                    /* AUXTRACE_INFO of this type has a filter, as typed by the user */
#define INTEL_PT_FILTER_AT 152

#define UPDATE_UNIT 0                 /* EVENT_UPDATE of this type, and of that of a name, ends with a text */
#define UPDATE_NAME 2
#define UPDATE_TEXT_AT 24
#define TYPE_TEXT_AT 16               /* of HEADER_EVENT_TYPE: 64 bytes */

struct redact {
	struct rewrite *w;
	struct pseudonyms names;
	struct tracefmt *formats;    /* NULL: there are none */
	struct ranges mapped;
	struct buf out;              /* the record that is being changed */
};

/* Records that end with a text: the names that it has. */
static const uint8_t text_class[RECORD_HEADER_MAX] = {
	[RECORD_MMAP] = NAME_PATH, [RECORD_MMAP2] = NAME_PATH,   [RECORD_COMM] = NAME_COMM,
	[RECORD_CGROUP] = NAME_CGROUP, [RECORD_KSYMBOL] = NAME_BPF, [RECORD_HEADER_BUILD_ID] = NAME_PATH,
};

static bool swapped(const struct redact *r)
{
	return r->w->in.header.swap;
}

static int drop(struct redact *r, const struct rewrite_record *record, const char *what)
{
	rewrite_lose(r->w, SONDE_LOSS_UNSUPPORTED, 1, record->from->at, what);
	return REWRITE_DROP;
}

/* The gathered bytes become the record, once its size is right. */
static int replace(struct redact *r, struct rewrite_record *record)
{
	if (r->out.failed)
		return err_nomem(&r->w->handle->err);
	store_u16(r->out.p + 6, (uint16_t)r->out.n, swapped(r));
	record->p = (const uint8_t *)r->out.p;
	record->n = r->out.n;
	return REWRITE_KEEP;
}

static int copy(struct redact *r, const struct rewrite_record *record)
{
	r->out.n = 0;
	buf_put(&r->out, record->p, record->n);
	return r->out.failed ? err_nomem(&r->w->handle->err) : 0;
}

/* Functions of the kernel itself, and code that it makes for programs, have its own names. */
static size_t bpf_kept(const struct redact *r, const struct rewrite_record *record, const char *name, size_t len)
{
	return load_u16(record->p + KSYMBOL_TYPE_AT, swapped(r)) == KSYMBOL_BPF ? redact_bpf_kept(name, len) : len;
}

static bool is_of_kernel(uint16_t misc)
{
	uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;
}

static int change_text(struct redact *r, size_t at, const struct evsel *source, struct rewrite_record *record)
{
	size_t trailer = source ? source->layout.trailer_bytes : 0, room, len, kept;
	enum name_class class = text_class[record->from->h.type];
	bool is_mapping = record->from->h.type == RECORD_MMAP || record->from->h.type == RECORD_MMAP2;
	const char *name = (const char *)record->p + at;
	char other[PSEUDONYM_BYTES];

	if (record->n < at + trailer)
		return drop(r, record, "{record that is too short for what it is|"
				       "records that are too short for what they are}");
	room = record->n - at - trailer;
	len = strnlen(name, room);
	kept = class == NAME_BPF ? bpf_kept(r, record, name, len) : 0;
	if (kept == len || pseudonym_keeps(class, name, len) ||
	    (is_mapping && pseudonym_keeps_mapping(is_of_kernel(record->from->h.misc), name, len)))
		return REWRITE_KEEP;
	if (pseudonym_of(&r->names, class, name + kept, len - kept, other) < 0)
		return err_nomem(&r->w->handle->err);
	r->out.n = 0;
	buf_put(&r->out, record->p, at + kept);
	buf_put(&r->out, other, strlen(other) + 1);
	buf_pad(&r->out, 0, ALIGN_UP(r->out.n, (size_t)8) - r->out.n);
	buf_put(&r->out, record->p + record->n - trailer, trailer);
	return replace(r, record);
}

static int change_thread_map(struct redact *r, struct rewrite_record *record)
{
	int e = copy(r, record);

	for (size_t at = 16; e == 0 && at + 24 <= r->out.n; at += 24)
		e = pseudonym_overwrite(&r->names, NAME_COMM, r->out.p + at + 8, COMM_BYTES);
	return e < 0 ? err_nomem(&r->w->handle->err) : replace(r, record);
}

/*
 * Chains that follow frame pointers run into data where there are none, and registers hold anything: words at which
 * nothing was ever mapped may be text. Addresses of the kernel, and the marks between the parts of a chain, have bytes
 * that no text has. The first word of the field, which says how many follow or of what kind they are, stays.
 */
static void clear_data(const struct redact *r, uint8_t *p, size_t n)
{
	for (size_t at = 8; at + 8 <= n; at += 8) {
		uint64_t word = load_u64(p + at, swapped(r));

		if (word < KERNEL_HALF ? !ranges_have(&r->mapped, word) : word >> 48 != UINT16_MAX)
			memset(p + at, 0, 8);
	}
}

static int change_deferred_chain(struct redact *r, const struct evsel *source, struct rewrite_record *record)
{
	size_t trailer = source ? source->layout.trailer_bytes : 0;
	size_t end = record->n - (trailer < record->n ? trailer : 0);

	if (copy(r, record) < 0)
		return -SONDE_NOMEM;
	if (end > DEFERRED_NR_AT)
		clear_data(r, (uint8_t *)r->out.p + DEFERRED_NR_AT, end - DEFERRED_NR_AT);
	return replace(r, record);
}

static int change_auxtrace_info(struct redact *r, struct rewrite_record *record)
{
	if (record->n <= INTEL_PT_FILTER_AT || load_u32(record->p + 8, swapped(r)) != INTEL_PT ||
	    load_u64(record->p + INTEL_PT_FILTER_AT - 8, swapped(r)) == 0)
		return REWRITE_KEEP;
	if (copy(r, record) < 0)
		return -SONDE_NOMEM;
	memset(r->out.p + INTEL_PT_FILTER_AT, 0, r->out.n - INTEL_PT_FILTER_AT);
	return replace(r, record);
}

/* Raw data of a tracepoint, which is at @p in the new record as it was. */
static int change_fields(struct redact *r, const struct tracefmt_event *e, uint8_t *p, size_t n)
{
	uint8_t *old = n ? malloc(n) : NULL;
	int failed;

	if (n == 0)
		return 0;
	if (!old)
		return err_nomem(&r->w->handle->err);
	memcpy(old, p, n);
	failed = redact_fields(&r->names, e, (struct sonde_bytes){ old, n }, false, p);
	free(old);
	return failed < 0 ? err_nomem(&r->w->handle->err) : 0;
}

static const struct tracefmt_event *format_of(const struct redact *r, uint64_t id)
{
	return r->formats ? tracefmt_event(r->formats, id) : NULL;
}

static int change_raw(struct redact *r, const struct sonde_attr *attr, uint8_t *p, size_t n)
{
	/* perf inject puts the raw data of one event into samples of another: what lies where in it is not known */
	if (attr->type == PERF_TYPE_TRACEPOINT)
		return change_fields(r, n >= 2 && load_u16(p, swapped(r)) == attr->config ? format_of(r, attr->config) :
											    NULL, p, n);
	if (attr->type == PERF_TYPE_SOFTWARE)  /* bpf-output: bytes that a program wrote */
		memset(p, 0, n);
	return 0;
}

static int change_span(struct redact *r, const struct sonde_attr *attr, uint64_t field, uint8_t *p, size_t n)
{
	switch (field) {
	case SAMPLE_RAW:
		return change_raw(r, attr, p + 4, n - 4);
	case SAMPLE_CALLCHAIN:
	case SAMPLE_REGS_USER:
	case SAMPLE_REGS_INTR:
		clear_data(r, p, n);
	}
	return 0;
}

static int change_sample(struct redact *r, const struct sonde_attr *attr, struct rewrite_record *record)
{
	struct sample_field fields[SAMPLE_FIELDS_MAX];
	bool swap = swapped(r);
	size_t nr, from;
	int e = 0;

	if (!(attr->sample_type &
	      (SAMPLE_RAW | SAMPLE_STACK_USER | SAMPLE_CALLCHAIN | SAMPLE_REGS_USER | SAMPLE_REGS_INTR)))
		return REWRITE_KEEP;
	if (sample_fields(record->p, record->n, attr, swap, fields, &nr) < 0)
		return drop(r, record, "{sample|samples} whose lengths are wrong");
	r->out.n = 0;
	buf_put(&r->out, record->p, RECORD_HEADER_BYTES);
	for (size_t i = 0; e == 0 && i < nr; i++) {
		from = r->out.n;
		if (fields[i].bits == SAMPLE_STACK_USER)
			put_u64(&r->out, 0, swap);
		else
			buf_put(&r->out, record->p + fields[i].at, fields[i].bytes);
		if (!r->out.failed)
			e = change_span(r, attr, fields[i].bits, (uint8_t *)r->out.p + from, fields[i].bytes);
	}
	return e < 0 ? e : replace(r, record);
}

/* ---- bytes behind the end of a text, which nobody shows ---- */

static size_t text_room(enum field_kind kind)
{
	switch (kind) {
	case FIELD_CHARS16: return 16;
	case FIELD_CHARS64: return 64;
	case FIELD_CHARS256: return 256;
	case FIELD_CHARS:
	case FIELD_STRING: return SIZE_MAX;
	default: return 0;
	}
}

/* The text at @at, which has at most @room bytes of the @end of the body. */
static void clear_behind(char *p, size_t at, size_t room, size_t end)
{
	size_t n;

	if (at >= end)
		return;
	room = room < end - at ? room : end - at;
	n = strnlen(p + at, room);
	memset(p + at + n, 0, room - n);
}

static void clear_behind_fields(char *p, const struct record_field *fields, size_t base, size_t end)
{
	for (const struct record_field *f = fields; f && f->name; f++)
		if (text_room(f->kind))
			clear_behind(p, base + f->at, text_room(f->kind), end);
}

/* Texts that are there or not as a number of the record says, so that its row has no field for them. */
static void clear_behind_others(char *p, uint32_t type, size_t end, bool swap)
{
	uint64_t of_update = type == RECORD_EVENT_UPDATE ? load_u64(p + 8, swap) : 0;

	if (type == RECORD_AUXTRACE_ERROR)
		clear_behind(p, load_u32(p + 28, swap) ? 48 : 40, 64, end);
	else if (type == RECORD_EVENT_UPDATE && (of_update == UPDATE_UNIT || of_update == UPDATE_NAME))
		clear_behind(p, UPDATE_TEXT_AT, SIZE_MAX, end);
}

static bool has_text(const struct record_type *row, uint32_t type)
{
	if (type == RECORD_AUXTRACE_ERROR || type == RECORD_EVENT_UPDATE)
		return true;
	for (const struct record_field *f = row->fields; f && f->name; f++)
		if (text_room(f->kind))
			return true;
	for (const struct record_field *f = row->array.fields; f && f->name; f++)
		if (text_room(f->kind))
			return true;
	return false;
}

static int clear_slack(struct redact *r, const struct record_type *row, const struct evsel *source,
		       struct rewrite_record *record)
{
	uint32_t type = record->from->h.type;
	size_t trailer = source ? source->layout.trailer_bytes : 0, end;

	if (!has_text(row, type) || record->n < row->min_size + trailer)
		return REWRITE_KEEP;
	if (record->p != (const uint8_t *)r->out.p && copy(r, record) < 0)
		return -SONDE_NOMEM;
	end = r->out.n - trailer;
	clear_behind_fields(r->out.p, row->fields, 0, end);
	for (size_t at = row->array.at; row->array.size && at + row->array.size <= end; at += row->array.size)
		clear_behind_fields(r->out.p, row->array.fields, at, end);
	clear_behind_others(r->out.p, type, end, swapped(r));
	return replace(r, record);
}

/* Where a record has the name of an event, and up to where; 0: it has none. */
static size_t event_name_at(const struct redact *r, const struct rewrite_record *record)
{
	if (record->from->h.type == RECORD_HEADER_EVENT_TYPE)
		return record->n > TYPE_TEXT_AT ? TYPE_TEXT_AT : 0;
	return record->n > UPDATE_TEXT_AT && load_u64(record->p + 8, swapped(r)) == UPDATE_NAME ? UPDATE_TEXT_AT : 0;
}

static int change_event_name(struct redact *r, const struct record_type *row, const struct evsel *source,
			     struct rewrite_record *record)
{
	size_t at = event_name_at(r, record), n;
	char other[REDACTED_EVENT_BYTES];
	int e = at ? redact_event_name(&r->names, (const char *)record->p + at, record->n - at, other) : 0;

	if (e <= 0)
		return e < 0 ? err_nomem(&r->w->handle->err) : clear_slack(r, row, source, record);
	r->out.n = 0;
	buf_put(&r->out, record->p, at);
	n = strlen(other) + 1;
	buf_put(&r->out, other, n);
	n = record->from->h.type == RECORD_HEADER_EVENT_TYPE ? record->n : ALIGN_UP(at + n, (size_t)8);
	buf_pad(&r->out, 0, n > r->out.n ? n - r->out.n : 0);
	return replace(r, record);
}

int redact_record(struct redact *r, struct rewrite_record *record)
{
	int verdict;

	struct rewrite *w = r->w;
	uint32_t type = record->from->h.type;
	const struct record_type *row = record_type_find(type);
	const struct evsel *source;
	uint64_t id;

	if (!row || type >= SIMPLEPERF_FIRST)
		return drop(r, record, "{record|records} in layouts that are not known, and may hold names");
	source = type < RECORD_USER ?
		evlist_find(&w->in.evlist, record->p, record->n, type == RECORD_SAMPLE, w->in.header.swap, &id) :
		NULL;
	if (type < RECORD_USER && !source)  /* where its text ends is not known either */
		return drop(r, record, "{record|records} of events that are not described");
	switch (type) {
	case RECORD_SAMPLE:
		return change_sample(r, &source->attr, record);
	case RECORD_THREAD_MAP:  /* each is overwritten as a whole */
		return change_thread_map(r, record);
	case RECORD_CALLCHAIN_DEFERRED:
		return change_deferred_chain(r, source, record);
	case RECORD_AUXTRACE_INFO:
		return change_auxtrace_info(r, record);
	case RECORD_HEADER_FEATURE:
	case RECORD_HEADER_TRACING_DATA:  /* where they matter they are features, which are changed as such */
		return drop(r, record, "descriptions in the wrong place");
	case RECORD_BPF_METADATA:
		return drop(r, record, "what BPF programs say about themselves");
	case RECORD_EVENT_UPDATE:
	case RECORD_HEADER_EVENT_TYPE:
		return change_event_name(r, row, source, record);
	}
	verdict = record_text_at(row) ? change_text(r, record_text_at(row), source, record) : REWRITE_KEEP;
	return verdict == REWRITE_KEEP ? clear_slack(r, row, source, record) : verdict;
}

/* Texts of the metadata are views: each gets another one, which lives as long. */
static int change_name(struct redact *r, enum name_class class, const char **name)
{
	char other[PSEUDONYM_BYTES];

	if (!*name || pseudonym_keeps(class, *name, strlen(*name)))
		return 0;
	if (pseudonym_of(&r->names, class, *name, strlen(*name), other) < 0)
		return -SONDE_NOMEM;
	*name = arena_strndup(&r->w->in.holder.arena, other, strlen(other));
	return *name ? 0 : -SONDE_NOMEM;
}

int redact_build_ids(struct redact *r, struct sonde_build_id *ids, size_t n)
{
	int e = 0;

	for (size_t i = 0; e == 0 && i < n; i++)
		e = change_name(r, NAME_PATH, &ids[i].filename);
	return e;
}

/* The names of probes in EVENT_DESC. */
static int change_event_descs(struct redact *r, struct meta *m)
{
	char other[REDACTED_EVENT_BYTES];
	int e = 0;

	for (size_t i = 0; e >= 0 && i < m->nr_event_descs; i++) {
		const char **name = &m->event_descs[i].name;

		e = *name ? redact_event_name(&r->names, *name, strlen(*name), other) : 0;
		if (e > 0)
			*name = arena_strndup(&r->w->in.holder.arena, other, strlen(other));
		if (!*name && e > 0)
			return -SONDE_NOMEM;
	}
	return e < 0 ? e : 0;
}

static int change_meta(struct redact *r, struct meta *m)
{
	int e = change_name(r, NAME_HOST, &m->hostname);

	e = e < 0 ? e : change_event_descs(r, m);

	for (size_t i = 0; e == 0 && i < m->nr_cmdline; i++)
		e = change_name(r, NAME_ARGUMENT, &m->cmdline[i]);
	return e < 0 ? e : redact_build_ids(r, m->build_ids, m->nr_build_ids);
}

/* Lines of "PID COMM". */
static int change_cmdlines(struct redact *r, const char *p, size_t n, struct buf *out)
{
	const char *end = p + n, *line_end, *comm;
	char other[PSEUDONYM_BYTES];

	for (; p < end && *p; p = line_end + 1) {
		line_end = memchr(p, '\n', (size_t)(end - p));
		if (!line_end)
			line_end = end;
		comm = memchr(p, ' ', (size_t)(line_end - p));
		if (!comm)
			continue;
		comm++;
		buf_put(out, p, (size_t)(comm - p));
		if (pseudonym_keeps(NAME_COMM, comm, (size_t)(line_end - comm)))
			buf_put(out, comm, (size_t)(line_end - comm));
		else if (pseudonym_of(&r->names, NAME_COMM, comm, (size_t)(line_end - comm), other) < 0)
			return -SONDE_NOMEM;
		else
			buf_str(out, other);
		buf_char(out, '\n');
	}
	return 0;
}

/* The parts behind the header and its two texts. See tracefmt/blob.c. */
static int put_tracing_data(struct redact *r, const struct tracing_blob *b, struct redacted_formats *c,
			    bool swap, struct buf *out)
{
	struct buf symbols = BUF_MEMORY, lines = BUF_MEMORY;
	int e = redact_kallsyms(&r->names, b->kallsyms, &symbols);

	if (e == 0)
		e = change_cmdlines(r, b->cmdlines.p, b->cmdlines.len, &lines);
	format_lists_put(&c->lists, FTRACE_SYSTEM, swap, out);
	format_lists_put_systems(&c->lists, FTRACE_SYSTEM, swap, out);
	put_u32(out, (uint32_t)symbols.n, swap);
	buf_put(out, symbols.p, symbols.n);
	put_u32(out, (uint32_t)b->printk.len, swap);
	buf_put(out, b->printk.p, b->printk.len);
	if (b->has_cmdlines) {
		put_u64(out, lines.n, swap);
		buf_put(out, lines.p, lines.n);
	}
	e = e < 0 || lines.failed || symbols.failed || symbols.n > UINT32_MAX ? -SONDE_NOMEM : 0;
	buf_free(&symbols);
	buf_free(&lines);
	return e;
}

static int change_tracing_data(struct redact *r, struct buf *out)
{
	const struct sonde_raw_feature *f = feature_raw(&r->w->in.meta, SONDE_FEAT_TRACING_DATA);
	struct cursor c = cur_new(f ? f->payload.p : NULL, f ? f->payload.len : 0, 0, false, NULL);
	struct redacted_formats changes = { .names = &r->names };
	struct tracing_blob b;
	size_t head;
	int e = r->formats ? tracing_blob_head(&c, &b) : -SONDE_CORRUPT;

	head = e == 0 ? (size_t)(c.p - f->payload.p) : 0;
	if (e == 0)
		e = tracing_blob_rest(&c, &b, redact_take_format, &changes);
	if (e == 0) {
		buf_put(out, f->payload.p, head + b.formats_at);
		e = put_tracing_data(r, &b, &changes, c.swap, out);
	}
	redacted_formats_free(&changes);
	if (e == -SONDE_NOMEM)
		return err_nomem(&r->w->handle->err);
	if (e == 0)
		return REWRITE_ANEW;
	rewrite_lose(r->w, SONDE_LOSS_UNSUPPORTED, 1, f ? f->file_offset : SONDE_NONE,
		     "tracing data that cannot be read, and may hold names");
	return REWRITE_DROP;
}

/* Of simpleperf's pairs of texts, each with its NUL, the one that names the events. */
static int change_meta_info(struct redact *r, struct buf *out)
{
	const struct sonde_raw_feature *f = feature_raw(&r->w->in.meta, SONDE_FEAT_META_INFO);
	struct cursor c = f ? cur_new(f->payload.p, f->payload.len, 0, false, NULL) : cur_new(NULL, 0, 0, false, NULL);

	while (cur_left(&c)) {
		struct sonde_str key = cur_strz(&c), value = cur_strz(&c);

		if (!cur_ok(&c) || key.len != strlen(EVENT_NAMES) || memcmp(key.p, EVENT_NAMES, key.len) != 0)
			continue;
		buf_put(out, key.p, key.len);
		buf_char(out, '\0');
		buf_put(out, value.p, value.len);
		buf_char(out, '\0');
	}
	rewrite_lose(r->w, SONDE_LOSS_UNSUPPORTED, 1, f ? f->file_offset : SONDE_NONE,
		     "what simpleperf says about device and program");
	return out->n ? REWRITE_ANEW : REWRITE_DROP;
}

int redact_feature(struct redact *r, uint32_t id, struct buf *out)
{
	struct rewrite *w = r->w;
	const struct feature *row = feature_find(id);
	int e;

	switch (id) {
	case SONDE_FEAT_TRACING_DATA:
		return change_tracing_data(r, out);
	case SONDE_FEAT_META_INFO:
		return change_meta_info(r, out);
	case SONDE_FEAT_BPF_PROG_INFO:
	case SONDE_FEAT_BPF_BTF:
		rewrite_lose(w, SONDE_LOSS_UNSUPPORTED, 1, w->in.features[id].offset,
			     "{description|descriptions} of BPF programs, which {holds|hold} names");
		return REWRITE_DROP;
	}
	/* made anew from their fields, so that nothing lies between and behind these */
	if (row && id < SIMPLEPERF_FEATURES && (row->encode || row->layout)) {
		e = feature_encode(out, id, w->opts.swap, &w->in.meta);
		if (e == -SONDE_NOMEM)
			return e;
		return e < 0 ? REWRITE_DROP : REWRITE_ANEW;
	}
	if (row && id < SIMPLEPERF_FEATURES && w->in.features[id].size == 0)  /* what it says is that it is there */
		return REWRITE_KEEP;
	rewrite_lose(w, SONDE_LOSS_UNSUPPORTED, 1, w->in.features[id].offset,
		     "header {feature|features} that {is|are} not known, and may hold names");
	return REWRITE_DROP;
}

int redact_check(struct redact *r)
{
	return redact_verify(&r->names.removed, r->w->to.growing, &r->w->handle->err);
}

static bool samples_have_addresses(const struct layout *l)
{
	for (size_t i = 0; i < l->events.n; i++)
		if (evlist_at(&l->evlist, i)->attr.sample_type &
		    (SAMPLE_CALLCHAIN | SAMPLE_REGS_USER | SAMPLE_REGS_INTR))
			return true;
	return false;
}

static int note_mapping(struct redact *r, const struct scanned *s)
{
	struct sonde_mmap m;

	/* old recorders say that the kernel is mapped everywhere below its last address */
	return rewrite_mapping(r->w, s->p, &s->h, &m) && m.len < EVERYWHERE ? ranges_add(&r->mapped, m.addr, m.len) : 0;
}

/* Records are not in the order of time: all mappings are known before the first sample is changed. */
static int gather_mappings(struct redact *r)
{
	struct rewrite *w = r->w;
	struct record_source source;
	struct record_step got = { .step = SCAN_RECORD };
	int failed;

	if (!samples_have_addresses(&w->in))
		return 0;
	failed = record_source_open(&source, &w->in, w->image.dir_fd, true, &w->handle->err);
	while (failed == 0 && (failed = record_source_next(&source, &got)) == 0 && got.step != SCAN_END)
		if (got.step == SCAN_RECORD && note_mapping(r, &got.record) < 0)
			failed = err_nomem(&w->handle->err);
	record_source_close(&source);
	ranges_sort(&r->mapped);
	return failed;
}

int redact_begin(struct redact **out, struct rewrite *w)
{
	const struct sonde_raw_feature *f = feature_raw(&w->in.meta, SONDE_FEAT_TRACING_DATA);
	struct redact *r = calloc(1, sizeof(*r));

	*out = r;
	if (!r)
		return err_nomem(&w->handle->err);
	if (!output_can_seek(&w->to))
		return err_set(
			&w->handle->err, SONDE_USAGE, SONDE_NONE,
			"what is redacted is searched for what was taken out: it cannot go to the standard output");
	r->w = w;
	r->out = BUF_MEMORY;
	if ((f && tracefmt_open(f->payload, f->file_offset, &r->formats, NULL) == -SONDE_NOMEM) ||
	    (r->formats && redact_note_probes(&r->names, r->formats) < 0) ||
	    change_meta(r, &w->in.meta) < 0)
		return err_nomem(&w->handle->err);
	return gather_mappings(r);
}

void redact_end(struct redact *r)
{
	if (!r)
		return;
	pseudonyms_free(&r->names);
	tracefmt_free(r->formats);
	ranges_free(&r->mapped);
	buf_free(&r->out);
	free(r);
}
