/* SPDX-License-Identifier: MIT */
#include "export/script.h"

#include <linux/perf_event.h>
#include <time.h>

#include "base/bytes.h"
#include "export/sample_text.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define DEFAULT_MAX_STACK 127
#define CONTEXT_MAX (UINT64_MAX - 4094)           /* PERF_CONTEXT_MAX: markers from here on */
#define CONTEXT_USER_DEFERRED (UINT64_MAX - 639)  /* newer than the headers we are compiled with */
#define RECORD_CALLCHAIN_DEFERRED 22
#define SOFTWARE_PAGE_FAULTS 2
#define SOFTWARE_PAGE_FAULTS_MIN 5
#define SOFTWARE_PAGE_FAULTS_MAJ 6
#define MISC_LETTERS 6

int script_init(struct script *s, const struct sonde_script_opts *opts, struct symbols *symbols, const struct sonde_meta *meta,
		struct buf *out, struct sonde_error *err)
{
	const char *const *fields = OPT(opts, fields, NULL);
	size_t nr_fields = OPT(opts, nr_fields, 0);
	int r = 0;

	*s = (struct script){ .meta = meta, .out = out, .err = err, .first_time = SONDE_NONE, .last_time = SONDE_NONE };
	s->show = OPT(opts, show, 0);
	s->clock = OPT(opts, clock, SONDE_CLOCK_TRACE);
	s->ns = OPT(opts, ns, false);
	s->no_callchain = OPT(opts, no_callchain, false);
	s->max_stack = OPT(opts, max_stack, 0);
	if (!s->max_stack)
		s->max_stack = DEFAULT_MAX_STACK;
	s->comms = OPT(opts, comms, NULL);
	s->nr_comms = OPT(opts, nr_comms, 0);
	s->dsos = OPT(opts, dsos, NULL);
	s->nr_dsos = OPT(opts, nr_dsos, 0);
	s->names = OPT(opts, symbols, NULL);
	s->nr_names = OPT(opts, nr_symbols, 0);
	script_fields_default(&s->fields);
	for (size_t i = 0; i < nr_fields && r == 0; i++)
		r = script_fields_parse(&s->fields, fields[i], err);
	if (r < 0)
		return r;
	if (tasks_init(&s->tasks) < 0 || places_init(&s->places, symbols) < 0)
		return err_nomem(err);
	return 0;
}

void script_free(struct script *s)
{
	tasks_free(&s->tasks);
	places_free(&s->places);
	tracefmt_free(s->formats);
	for (size_t i = 0; i < s->deferred.n; i++)
		free(s->deferred.at[i].text);
	vec_free(&s->deferred);
	vec_free(&s->sources);
	vec_free(&s->counts);
	vec_free(&s->cgroups);
	u64map_free(&s->by_id);
	u64map_free(&s->count_of);
	u64map_free(&s->cgroup_of);
	arena_free(&s->arena);
}

int script_set_sources(struct script *s, const struct sonde_source *const *list, size_t n)
{
	s->list = list;
	s->nr_list = n;
	s->sources.n = 0;
	if (vec_reserve(&s->sources, n) < 0)
		return err_nomem(s->err);
	for (size_t i = 0; i < n; i++) {
		s->sources.at[s->sources.n++] = (struct script_source){ 0 };
		for (size_t k = 0; k < list[i]->nr_ids; k++)
			if (u64map_set(&s->by_id, list[i]->ids[k], (uint32_t)i) < 0)
				return err_nomem(s->err);
	}
	return 0;
}

/* Tracing data may come late in a pipe. Without it tracepoints have no text. */
static void load_formats(struct script *s)
{
	for (size_t i = 0; i < s->meta->nr_raw; i++) {
		const struct sonde_raw_feature *f = &s->meta->raw[i];

		if (f->id != SONDE_FEAT_TRACING_DATA || f->payload.p == s->formats_of)
			continue;
		tracefmt_free(s->formats);
		s->formats = NULL;
		s->formats_of = f->payload.p;
		tracefmt_open(f->payload, f->file_offset, &s->formats, NULL);
	}
}

static void put_padded(struct buf *out, const char *text, size_t len, size_t width)
{
	if (len < width)
		buf_pad(out, ' ', width - len);
	buf_text(out, text, len);
}

/* A file without descriptions of its events can still have their formats. */
static const char *event_name(const struct script *s, const struct sonde_source *source)
{
	const struct tracefmt_event *e = NULL;

	if (source->attr->type == PERF_TYPE_TRACEPOINT && s->formats && !strchr(source->name, ':'))
		e = tracefmt_event(s->formats, source->attr->config);
	return e ? e->full_name : source->name;
}

/* Names are right-aligned to the longest of the trace. */
static int name_event(struct script *s, const struct sonde_source *source, struct sonde_str *out)
{
	struct buf text = BUF_MEMORY;
	size_t width = 0;

	for (size_t i = 0; i < s->nr_list; i++)
		if (strlen(event_name(s, s->list[i])) > width)
			width = strlen(event_name(s, s->list[i]));
	put_padded(&text, event_name(s, source), strlen(event_name(s, source)), width);
	buf_put(&text, ": ", 2);
	out->p = text.failed ? NULL : arena_strndup(&s->arena, text.p, text.n);
	out->len = text.n;
	buf_free(&text);
	return out->p ? 0 : err_nomem(s->err);
}

static int source_ready(struct script *s, const struct sonde_source *source, struct script_source **out)
{
	struct script_source *ss = &s->sources.at[source->index];
	int r;

	*out = ss;
	if (ss->ready)
		return 0;
	if (source->attr->type == PERF_TYPE_TRACEPOINT)
		load_formats(s);
	r = script_fields_of(&s->fields, source->attr, source->name, &ss->fields, s->err);
	if (r == 0)
		r = name_event(s, source, &ss->event);
	if (r < 0)
		return r;
	ss->chain = source->attr->sample_type & PERF_SAMPLE_CALLCHAIN && !s->no_callchain && ss->fields & SCRIPT_BIT(IP);
	if (source->attr->type == PERF_TYPE_TRACEPOINT && s->formats)
		ss->format = tracefmt_event(s->formats, source->attr->config);
	ss->ready = true;
	return 0;
}

const char *script_comm(const struct script *s, int32_t pid, int32_t tid, char spare[16])
{
	const char *comm = tasks_comm(&s->tasks, pid, tid);
	struct buf text = { .p = spare, .cap = 16, .fd = -1 };

	if (comm)
		return comm;
	if (tid == 0)
		return "swapper";  /* the idle task of any CPU, whatever process number it was recorded with */
	buf_char(&text, ':');
	buf_i64(&text, tid);
	spare[text.n] = '\0';
	return spare;
}

static void put_i64_width(struct buf *out, int64_t v, int width)
{
	if (v >= 0)
		buf_u64_width(out, (uint64_t)v, width);
	else
		buf_printf(out, "%*lld", width, (long long)v);
}

static void put_task(struct buf *out, const struct sonde_event *ev, uint64_t fields)
{
	bool synthesized = ev->kind != SONDE_KIND_SAMPLE && ev->time == 0;
	int32_t pid = synthesized ? 0 : ev->pid, tid = synthesized ? 0 : ev->tid;

	if (fields & SCRIPT_BIT(PID))
		put_i64_width(out, pid, 5);
	if (fields & SCRIPT_BIT(PID) && fields & SCRIPT_BIT(TID)) {
		size_t n = out->n;

		buf_char(out, '/');
		buf_i64(out, tid);
		buf_pad(out, ' ', out->n - n < 6 ? 6 - (out->n - n) : 0);
	} else if (fields & SCRIPT_BIT(TID)) {
		put_i64_width(out, tid, 5);
	}
	if (fields & (SCRIPT_BIT(PID) | SCRIPT_BIT(TID)))
		buf_char(out, ' ');
	if (fields & SCRIPT_BIT(CPU)) {
		buf_char(out, '[');
		buf_u64_zero(out, (uint32_t)(ev->cpu < 0 && synthesized ? 0 : ev->cpu), 3);
		buf_put(out, "] ", 2);
	}
}

static void put_fraction(struct buf *out, uint64_t ns, bool nine)
{
	if (nine)
		buf_u64_zero(out, ns % NS_PER_SECOND, 9);
	else
		buf_u64_zero(out, ns % NS_PER_SECOND / 1000, 6);
}

/* The wall clock at a moment of the trace; nothing if the recorder did not note how the two relate. */
static void put_time_of_day(struct script *s, uint64_t time)
{
	uint64_t now = s->meta->clock_data.tod_ns + (time - s->meta->clock_data.clockid_ns);
	time_t seconds = (time_t)(now / NS_PER_SECOND);
	struct tm tm;

	if (!s->meta->clock_data.tod_ns || !localtime_r(&seconds, &tm))
		return;
	buf_printf(s->out, "%04d-%02d-%02d %02d:%02d:%02d.", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
		   tm.tm_sec);
	put_fraction(s->out, now, s->ns);
	buf_char(s->out, ' ');
}

static uint64_t shown_time(struct script *s, const struct sonde_event *ev)
{
	uint64_t since = s->clock == SONDE_CLOCK_RELATIVE ? s->first_time : s->last_time;

	if (s->clock == SONDE_CLOCK_TRACE || ev->time == SONDE_NONE)
		return ev->time;
	if (ev->kind == SONDE_KIND_SAMPLE) {
		s->last_time = ev->time;
		if (s->first_time == SONDE_NONE)
			s->first_time = ev->time;
	}
	return ev->time > since ? ev->time - since : 0;
}

void script_head(struct script *s, const struct sonde_event *ev, const char *comm, uint64_t fields, bool aligned)
{
	struct buf *out = s->out;

	if (fields & SCRIPT_BIT(COMM)) {
		put_padded(out, comm, strlen(comm), aligned ? 16 : 0);
		buf_char(out, ' ');
	}
	put_task(out, ev, fields);
	if (fields & SCRIPT_BIT(MISC)) {
		size_t n = out->n;

		text_misc(out, ev->type, ev->misc);
		buf_pad(out, ' ', out->n - n < MISC_LETTERS ? MISC_LETTERS - (out->n - n) : 0);
	}
	if (fields & SCRIPT_BIT(TOD))
		put_time_of_day(s, ev->time);
	if (fields & SCRIPT_BIT(TIME)) {
		uint64_t time = shown_time(s, ev);

		buf_u64_width(out, time / NS_PER_SECOND, 5);
		buf_char(out, '.');
		put_fraction(out, time, s->ns);
		buf_put(out, ": ", 2);
	}
}

static uint32_t place_parts(uint64_t fields)
{
	return (fields & SCRIPT_BIT(IP) ? PLACE_IP : 0) | (fields & SCRIPT_BIT(SYM) ? PLACE_SYM : 0) |
	       (fields & SCRIPT_BIT(SYMOFF) ? PLACE_SYMOFF : 0) | (fields & SCRIPT_BIT(DSO) ? PLACE_DSO : 0) |
	       (fields & SCRIPT_BIT(DSOFF) ? PLACE_DSO | PLACE_DSOFF : 0);
}

/* The address space of an address of which only the process is known: data addresses, branches. */
static space_root root_of_address(const struct script *s, int32_t pid, uint64_t addr)
{
	space_root root = tasks_space(&s->tasks, pid);

	return space_find(root, addr) || !space_find(s->tasks.kernel, addr) ? root : s->tasks.kernel;
}

static bool addr_is_data(const struct sonde_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == SOFTWARE_PAGE_FAULTS || attr->config == SOFTWARE_PAGE_FAULTS_MIN ||
		attr->config == SOFTWARE_PAGE_FAULTS_MAJ);
}

static void put_addr(struct script *s, const struct sonde_event *ev, uint64_t addr, uint64_t fields)
{
	uint32_t parts = PLACE_IP;

	if (addr_is_data(ev->source->attr))
		parts |= place_parts(fields);
	places_print(&s->places, s->out, root_of_address(s, ev->pid, addr), addr, parts);
}

/* A marker that is not known: neither what follows it nor what stands before it can be trusted. */
static bool chain_makes_sense(const struct sonde_u64s *chain)
{
	for (uint64_t i = 0; i < chain->nr; i++) {
		uint64_t ip = sonde_u64_at(chain, i);

		if (ip < CONTEXT_MAX)
			continue;
		if (ip == CONTEXT_USER_DEFERRED)
			return true;  /* a cookie follows */
		if (ip != (uint64_t)PERF_CONTEXT_KERNEL && ip != (uint64_t)PERF_CONTEXT_USER && ip != (uint64_t)PERF_CONTEXT_HV)
			return false;
	}
	return true;
}

/* Calls as the processor kept them: the newest target, then where each call was made. */
static void put_call_stack(struct script *s, int32_t pid, const struct sonde_sample *sample, uint32_t parts, uint32_t nr)
{
	space_root root = tasks_space(&s->tasks, pid);

	for (uint64_t i = 0; i <= sample->branches.nr && nr < s->max_stack; i++, nr++) {
		struct sonde_branch b = sonde_branch_at(sample, i ? i - 1 : 0);

		places_print(&s->places, s->out, root, i ? b.from : b.to, parts);
	}
}

/* sample: has a call stack of branches that stands for the user part of the chain; else NULL */
static void put_chain(struct script *s, int32_t pid, const struct sonde_u64s *chain, const struct sonde_sample *sample,
		      uint64_t fields)
{
	uint32_t parts = place_parts(fields) | PLACE_LINE;
	space_root root = tasks_space(&s->tasks, pid);
	uint32_t nr = 0;

	if (!chain_makes_sense(chain))
		return;
	for (uint64_t i = 0; i < chain->nr && nr < s->max_stack; i++) {
		uint64_t ip = sonde_u64_at(chain, i);

		if (ip < CONTEXT_MAX) {
			places_print(&s->places, s->out, root, ip, parts);
			nr++;
		} else if (ip == (uint64_t)PERF_CONTEXT_KERNEL) {
			root = s->tasks.kernel;
		} else if (ip == (uint64_t)PERF_CONTEXT_USER && sample) {
			put_call_stack(s, pid, sample, parts, nr);
			break;
		} else if (ip == (uint64_t)PERF_CONTEXT_USER) {
			root = tasks_space(&s->tasks, pid);
		} else if (ip == (uint64_t)PERF_CONTEXT_HV) {
			root = NULL;
		} else {
			break;
		}
	}
}

static void put_registers(struct script *s, const struct sonde_regs *regs)
{
	struct buf *out = s->out;
	uint64_t at = 0;

	if (!regs->abi)
		return;
	buf_put(out, " ABI:", 5);
	buf_u64(out, regs->abi);
	buf_char(out, ' ');
	for (unsigned bit = 0; bit < 64 && at < regs->values.nr; bit++) {
		const char *name;

		if (!(regs->mask >> bit & 1))
			continue;
		name = text_register(s->meta->arch, bit);
		if (!name)
			name = "unknown";
		buf_str_right(out, name, strlen(name), 5);
		buf_put(out, ":0x", 3);
		buf_hex(out, sonde_u64_at(&regs->values, at++));
		buf_char(out, ' ');
	}
}

/* How far into the binary or, where it has no file offsets, into its mapping. */
static uint64_t offset_of(const struct place *place, uint64_t addr)
{
	const struct mapping *m = place->mapping;

	if (!m)
		return addr;
	return m->binary->kind <= BINARY_VDSO ? mapping_to_binary(m, addr) : addr - m->start;
}

/* An end of a branch; names as far as the fields ask for them. */
static void put_branch_end(struct script *s, int32_t pid, uint64_t addr, enum script_field how, uint64_t fields)
{
	struct place place = place_find(s->places.symbols, root_of_address(s, pid, addr), addr);

	if (how == FIELD_BRSTACKSYM) {
		uint64_t offset;
		const char *name = place_symbol(&place, addr, &offset), *shown = name ? name : "[unknown]";

		buf_text(s->out, shown, strlen(shown));
		if (name) {
			buf_put(s->out, "+0x", 3);
			buf_hex(s->out, offset);
		}
	} else {
		buf_put(s->out, "0x", 2);
		buf_hex(s->out, how == FIELD_BRSTACKOFF ? offset_of(&place, addr) : addr);
	}
	if (fields & SCRIPT_BIT(DSO))
		place_print_names(s->out, &place, addr, PLACE_DSO);
}

static void put_branches(struct script *s, int32_t pid, const struct sonde_sample *sample, enum script_field how, uint64_t fields)
{
	for (uint64_t i = 0; i < sample->branches.nr; i++) {
		struct sonde_branch b = sonde_branch_at(sample, i);

		if (how != FIELD_BRSTACKSYM)
			buf_char(s->out, ' ');
		put_branch_end(s, pid, b.from, how, fields);
		buf_char(s->out, '/');
		put_branch_end(s, pid, b.to, how, fields);
		text_branch_flags(s->out, b.flags);
		buf_char(s->out, ' ');
	}
}

static bool is_printable(const struct sonde_bytes *raw)
{
	size_t n = strnlen((const char *)raw->p, raw->len);

	for (size_t i = 0; i < raw->len; i++)
		if (i < n ? raw->p[i] < ' ' || raw->p[i] > '~' : raw->p[i])
			return false;
	return n < raw->len;
}

/* Eight bytes a line, in hex and as text. */
static void put_bpf_output(struct buf *out, const struct sonde_bytes *raw)
{
	if (!raw->len)
		return;
	for (size_t at = 0; at < raw->len; at += 8) {
		buf_str(out, at ? "\n                  " : "\n      BPF output: ");
		buf_hex_zero(out, at, 4);
		buf_char(out, ':');
		for (size_t i = at; i < at + 8; i++) {
			buf_char(out, ' ');
			if (i < raw->len)
				buf_hex_zero(out, raw->p[i], 2);
			else
				buf_put(out, "  ", 2);
		}
		buf_put(out, "  ", 2);
		for (size_t i = at; i < at + 8; i++)
			buf_char(out, i >= raw->len ? ' ' : raw->p[i] < ' ' || raw->p[i] > '~' ? '.' : (char)raw->p[i]);
	}
	buf_char(out, '\n');
	if (is_printable(raw)) {
		buf_str(out, "      BPF string: \"");
		buf_str(out, (const char *)raw->p);
		buf_put(out, "\"\n", 2);
	}
}

static bool symbol_of_kernel(void *ctx, uint64_t address, struct sonde_str *name, uint64_t *offset)
{
	struct script *s = ctx;
	struct place place = place_find(s->places.symbols, s->tasks.kernel, address);
	const char *symbol = place_symbol(&place, address, offset);

	if (!symbol)
		return false;
	*name = (struct sonde_str){ symbol, strlen(symbol) };
	return true;
}

static void put_read(struct buf *out, const struct sonde_read *r)
{
	buf_put(out, " read", 5);
	for (uint64_t i = 0; i < r->nr; i++) {
		struct sonde_read_value v = sonde_read_value_at(r, i);

		buf_char(out, ' ');
		if (v.id != SONDE_NONE) {
			buf_u64(out, v.id);
			buf_char(out, '=');
		}
		buf_u64(out, v.value);
	}
	if (r->read_format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)) {
		buf_put(out, " enabled ", 9);
		buf_u64(out, r->time_enabled);
		buf_put(out, " running ", 9);
		buf_u64(out, r->time_running);
	}
}

static const char *cgroup_path(const struct script *s, uint64_t id)
{
	uint32_t i = u64map_get(&s->cgroup_of, id);

	return i == U64MAP_NONE ? "unknown" : s->cgroups.at[i].path;
}

static void put_weights(struct buf *out, const struct sonde_sample *sample, uint64_t fields)
{
	bool in_parts = sample->present & PERF_SAMPLE_WEIGHT_STRUCT;

	if (fields & SCRIPT_BIT(WEIGHT))
		buf_u64_width(out, in_parts ? (uint32_t)sample->weight : sample->weight, 16);
	if (fields & SCRIPT_BIT(INS_LAT))
		buf_u64_width(out, sample->weight >> 32 & 0xffff, 16);
	if (fields & SCRIPT_BIT(RETIRE_LAT))
		buf_u64_width(out, sample->weight >> 48, 16);
}

/* Between the event and the ip. */
static void put_before_ip(struct script *s, const struct sonde_event *ev, const struct script_source *ss,
			  const struct sonde_sample *sample)
{
	static const uint64_t mine = SCRIPT_BIT(FLAGS) | SCRIPT_BIT(TRACE) | SCRIPT_BIT(ADDR) | SCRIPT_BIT(DATA_SRC) |
				     SCRIPT_BIT(WEIGHT) | SCRIPT_BIT(INS_LAT) | SCRIPT_BIT(RETIRE_LAT) | SCRIPT_BIT(CGROUP);
	uint64_t fields = ss->fields;
	struct buf *out = s->out;

	if (!(fields & mine))
		return;
	if (fields & SCRIPT_BIT(FLAGS))
		buf_pad(out, ' ', 24);  /* decoded hardware traces have them, samples do not */
	if (fields & SCRIPT_BIT(TRACE) && ss->format)
		tracefmt_print(ss->format, sample->raw, &(struct tracefmt_context){ s, symbol_of_kernel }, out);
	if (fields & SCRIPT_BIT(ADDR))
		put_addr(s, ev, sample->addr, fields);
	if (fields & SCRIPT_BIT(DATA_SRC)) {
		buf_hex_width(out, sample->data_src, 16);
		buf_char(out, ' ');
		text_data_src(out, sample->data_src);
	}
	put_weights(out, sample, fields);
	if (fields & SCRIPT_BIT(CGROUP)) {
		const char *path = cgroup_path(s, sample->cgroup);

		buf_char(out, ' ');
		buf_text(out, path, strlen(path));
	}
}

static void put_behind_ip(struct script *s, const struct sonde_event *ev, uint64_t fields, const struct sonde_sample *sample)
{
	struct buf *out = s->out;

	if (fields & SCRIPT_BIT(IREGS))
		put_registers(s, &sample->intr_regs);
	if (fields & SCRIPT_BIT(UREGS))
		put_registers(s, &sample->user_regs);
	if (fields & SCRIPT_BIT(BRSTACK))
		put_branches(s, ev->pid, sample, FIELD_BRSTACK, fields);
	else if (fields & SCRIPT_BIT(BRSTACKSYM))
		put_branches(s, ev->pid, sample, FIELD_BRSTACKSYM, fields);
	else if (fields & SCRIPT_BIT(BRSTACKOFF))
		put_branches(s, ev->pid, sample, FIELD_BRSTACKOFF, fields);
	if (fields & SCRIPT_BIT(BPF_OUTPUT))
		put_bpf_output(out, &sample->raw);
	if (fields & SCRIPT_BIT(PHYS_ADDR))
		buf_hex_width(out, sample->phys_addr, 16);
	if (fields & SCRIPT_BIT(DATA_PAGE_SIZE)) {
		buf_char(out, ' ');
		text_page_size(out, sample->data_page_size);
	}
	if (fields & SCRIPT_BIT(CODE_PAGE_SIZE)) {
		buf_char(out, ' ');
		text_page_size(out, sample->code_page_size);
	}
	if (fields & SCRIPT_BIT(TRANSACTION)) {
		buf_put(out, " tx:", 4);
		text_transaction(out, sample->transaction);
		buf_char(out, '/');
		buf_hex(out, sample->transaction >> 32);
	}
	if (fields & SCRIPT_BIT(READ))
		put_read(out, &sample->read);
}

/* Whether the user part of the chain is still to come; *cookie tells by what it is known. */
static bool is_deferred(const struct sonde_u64s *chain, uint64_t *cookie)
{
	if (chain->nr < 2 || sonde_u64_at(chain, chain->nr - 2) != CONTEXT_USER_DEFERRED)
		return false;
	*cookie = sonde_u64_at(chain, chain->nr - 1);
	return true;
}

static bool has_call_stack(const struct sonde_event *ev, const struct sonde_sample *sample)
{
	return sample->branches.nr && ev->source->attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

static int print_sample(struct script *s, const struct sonde_event *ev, struct script_source *ss,
			const struct sonde_sample *sample, const char *comm)
{
	struct buf *out = s->out, waiting = BUF_MEMORY;
	struct script_deferred d = { .pid = ev->pid, .tid = ev->tid, .fields = ss->fields };
	bool defer = ss->chain && is_deferred(&sample->callchain, &d.cookie);

	if (defer)
		s->out = &waiting;
	script_head(s, ev, comm, ss->fields, !ss->chain);
	if (ss->fields & SCRIPT_BIT(PERIOD)) {
		buf_u64_width(s->out, ev->period, 10);
		buf_char(s->out, ' ');
	}
	if (ss->fields & SCRIPT_BIT(EVENT))
		buf_put(s->out, ss->event.p, ss->event.len);
	put_before_ip(s, ev, ss, sample);
	if (ss->chain) {
		buf_char(s->out, '\n');
		put_chain(s, ev->pid, &sample->callchain, has_call_stack(ev, sample) ? sample : NULL, ss->fields);
	} else if (ss->fields & SCRIPT_BIT(IP)) {
		buf_char(s->out, ' ');
		places_print(&s->places, s->out, tasks_root_of(&s->tasks, ev->pid, ev->cpumode, ev->ip), ev->ip,
			     place_parts(ss->fields));
	}
	if (!defer) {
		put_behind_ip(s, ev, ss->fields, sample);
		buf_char(out, '\n');
		return out->failed;
	}
	s->out = out;
	d.text = waiting.p;
	d.len = waiting.n;
	if (waiting.failed || vec_push(&s->deferred, d) < 0) {
		buf_free(&waiting);
		return err_nomem(s->err);
	}
	return 0;
}

static bool is_listed(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return n == 0;
}

/* By path or by its last part. */
static bool dso_is_listed(const struct script *s, const struct place *place)
{
	const char *name = place->mapping ? place->mapping->binary->name : "[unknown]";
	const char *slash = strrchr(name, '/');

	return is_listed(name, s->dsos, s->nr_dsos) || (slash && is_listed(slash + 1, s->dsos, s->nr_dsos));
}

static bool is_wanted(struct script *s, const struct sonde_event *ev, const char *comm)
{
	struct place place;
	const char *symbol;
	uint64_t offset;

	if (!is_listed(comm, s->comms, s->nr_comms))
		return false;
	if (!s->nr_dsos && !s->nr_names)
		return true;
	place = place_find(s->places.symbols, tasks_root_of(&s->tasks, ev->pid, ev->cpumode, ev->ip), ev->ip);
	symbol = place_symbol(&place, ev->ip, &offset);
	return dso_is_listed(s, &place) && (!s->nr_names || (symbol && is_listed(symbol, s->names, s->nr_names)));
}

/* How much a count has grown since its last sample. With inheritance every thread has a count of its own. */
static int count_growth(struct script *s, const struct sonde_source *source, int32_t tid, const struct sonde_read_value *v,
			uint64_t *out)
{
	bool inherits = source->attr->flags & SONDE_ATTR_INHERIT;
	uint64_t key = hash_two(v->id, inherits ? (uint32_t)tid : 0);
	uint32_t i = u64map_get(&s->count_of, key);

	if (i == U64MAP_NONE) {
		i = (uint32_t)s->counts.n;
		if (vec_push(&s->counts, ((struct script_count){ .id = v->id, .tid = tid })) < 0 ||
		    u64map_set(&s->count_of, key, i) < 0)
			return err_nomem(s->err);
	}
	*out = v->value - s->counts.at[i].value;
	s->counts.at[i].value = v->value;
	return 0;
}

/* A sample that carries counts stands for one line per count that has grown. */
static int print_counts(struct script *s, const struct sonde_event *ev, const struct sonde_sample *sample, const char *comm)
{
	struct script_source *ss;
	int r;

	for (uint64_t i = 0; i < sample->read.nr; i++) {
		struct sonde_read_value v = sonde_read_value_at(&sample->read, i);
		struct sonde_event one = *ev;
		uint32_t index;

		if (v.id == SONDE_NONE)
			v.id = ev->id;
		index = u64map_get(&s->by_id, v.id);
		if (index != U64MAP_NONE)
			one.source = s->list[index];
		else if (sample->read.nr > 1)
			continue;
		r = count_growth(s, one.source, ev->tid, &v, &one.period);
		if (r < 0)
			return r;
		if (one.period == 0)
			continue;
		r = source_ready(s, one.source, &ss);
		if (r == 0 && ss->fields)
			r = print_sample(s, &one, ss, sample, comm);
		if (r < 0)
			return r;
	}
	return 0;
}

static int sample(struct script *s, const struct sonde_event *ev)
{
	struct sonde_sample decoded;
	struct script_source *ss;
	char spare[16];
	const char *comm;
	int r;

	if (!ev->source)
		return 0;
	r = source_ready(s, ev->source, &ss);
	if (r < 0)
		return r;
	sonde_event_sample(ev, &decoded);
	comm = script_comm(s, ev->pid, ev->tid, spare);
	if (!is_wanted(s, ev, comm))
		return 0;
	if (decoded.present & PERF_SAMPLE_READ)
		return print_counts(s, ev, &decoded, comm);
	return ss->fields ? print_sample(s, ev, ss, &decoded, comm) : 0;
}

static int finish_deferred(struct script *s, size_t i, const struct sonde_u64s *user)
{
	struct script_deferred *d = &s->deferred.at[i];

	buf_put(s->out, d->text, d->len);
	if (user)
		put_chain(s, d->pid, user, NULL, d->fields);
	buf_char(s->out, '\n');
	free(d->text);
	memmove(d, d + 1, (s->deferred.n - i - 1) * sizeof(*d));
	s->deferred.n--;
	return s->out->failed;
}

struct deferred_chain {
	uint64_t cookie;
	VEC(uint64_t) ips;
};

static int take_deferred_field(void *ctx, const struct sonde_field *f)
{
	struct deferred_chain *c = ctx;

	if (strcmp(f->name, "cookie") == 0)
		c->cookie = f->u;
	return strcmp(f->name, "ip") == 0 ? vec_push(&c->ips, f->u) : 0;
}

/* The user part of a chain: for every sample of the thread that waits for it. */
static int deferred_chain(struct script *s, const struct sonde_event *ev)
{
	struct deferred_chain c = { 0 };
	struct sonde_u64s user;
	size_t i = 0;
	int r = sonde_event_fields(ev, take_deferred_field, &c);

	user = (struct sonde_u64s){ .p = (const uint8_t *)c.ips.at, .nr = c.ips.n };
	while (i < s->deferred.n && r == 0) {
		if (s->deferred.at[i].tid != ev->tid)
			i++;
		else
			r = finish_deferred(s, i, s->deferred.at[i].cookie == c.cookie ? &user : NULL);
	}
	vec_free(&c.ips);
	return r;
}

int script_end(struct script *s)
{
	int r = 0;

	while (s->deferred.n && r == 0)
		r = finish_deferred(s, 0, NULL);
	return r;
}

static int take_cgroup_field(void *ctx, const struct sonde_field *f)
{
	struct script *s = ctx;
	struct script_cgroup *last;

	if (strcmp(f->name, "id") == 0)
		return vec_push(&s->cgroups, ((struct script_cgroup){ .id = f->u, .path = "" }));
	if (strcmp(f->name, "path") != 0 || !s->cgroups.n)
		return 0;
	last = &s->cgroups.at[s->cgroups.n - 1];
	last->path = arena_strndup(&s->arena, f->text.p, f->text.len);
	return last->path ? u64map_set(&s->cgroup_of, last->id, (uint32_t)(s->cgroups.n - 1)) : -SONDE_NOMEM;
}

int script_event(struct script *s, const struct sonde_event *ev)
{
	int r = 0;

	if (ev->kind == SONDE_KIND_SAMPLE)
		return sample(s, ev);
	if (ev->type == RECORD_CALLCHAIN_DEFERRED)
		return deferred_chain(s, ev);
	if (ev->type == PERF_RECORD_CGROUP)
		r = sonde_event_fields(ev, take_cgroup_field, s);
	if (r == -SONDE_NOMEM || binaries_note_build_ids(&s->tasks.binaries, s->meta) < 0 || tasks_apply(&s->tasks, ev) < 0)
		return err_nomem(s->err);
	if (s->show)
		script_record(s, ev);
	return s->out->failed;
}
