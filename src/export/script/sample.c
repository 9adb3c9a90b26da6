/* SPDX-License-Identifier: MIT */
#include "export/script/sample.h"

#include <linux/perf_event.h>
#include <time.h>

#include "base/bytes.h"
#include "base/digits.h"
#include "export/sample_text.h"
#include "export/script/output.h"
#include "export/script/script.h"
#include "model/context_markers.h"
#include "threads/callchain.h"
#include "tracefmt/print.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define SOFTWARE_PAGE_FAULTS 2
#define SOFTWARE_PAGE_FAULTS_MIN 5
#define SOFTWARE_PAGE_FAULTS_MAJ 6
#define MISC_LETTERS 6

/* The name of a task, right-aligned in the columns that most names have room in. */
static void put_comm(struct buf *out, const char *comm, bool aligned)
{
	enum { COLUMNS = 16 };
	size_t len = strlen(comm);

	if (aligned && len < COLUMNS) {
		char *to = buf_room(out, COLUMNS);

		if (!to)
			return;
		memset(to, ' ', COLUMNS);
		out->n += COLUMNS - len;
	}
	buf_text(out, comm, len);
	buf_char(out, ' ');
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

/* The columns before the time. */
static void put_columns(struct sample_printer *p, const struct sonde_event *ev, const char *comm, uint64_t fields,
			bool aligned)
{
	struct buf *out = p->out;
	char spare[SCRIPT_NUMBER];

	if (p->script->name.len)
		buf_put(out, p->script->name.p, p->script->name.len);
	if (ev->machine_pid && fields & SCRIPT_BIT(MACHINE_PID))
		buf_printf(out, "VM:%5d ", ev->machine_pid);
	if (ev->machine_pid && fields & SCRIPT_BIT(VCPU))
		buf_printf(out, "VCPU:%03d ", ev->vcpu);
	if (fields & SCRIPT_BIT(COMM))
		put_comm(out, comm ? comm : script_number(ev->tid, spare), aligned);
	put_task(out, ev, fields);
}

/* The same of a sample of the host, which often has those of an earlier one. */
static void put_known_columns(struct sample_printer *p, const struct sonde_event *ev, const char *comm, uint64_t fields,
			      bool aligned)
{
	struct task_columns *t = &p->heads->tasks[((uint32_t)ev->tid * 3 + (uint32_t)ev->cpu) % LINE_HEADS];
	size_t from = p->out->n, len;

	if (t->script == p->script && t->tid == ev->tid && t->cpu == ev->cpu && t->pid == ev->pid &&
	    t->comm == comm && t->fields == fields && t->aligned == aligned) {
		char *to = buf_room(p->out, TASK_COLUMNS);

		if (to) {
			memcpy(to, t->text, TASK_COLUMNS);
			p->out->n += t->len;
		}
		return;
	}
	put_columns(p, ev, comm, fields, aligned);
	len = p->out->n - from;
	if (p->out->failed || !len || len > TASK_COLUMNS)
		return;
	*t = (struct task_columns){ .script = p->script, .comm = comm, .fields = fields, .pid = ev->pid, .tid = ev->tid,
				    .cpu = ev->cpu, .aligned = aligned, .len = (uint8_t)len };
	memcpy(t->text, p->out->p + from, len);
}

static void put_fraction(struct buf *out, uint64_t ns, bool nine)
{
	if (nine)
		buf_u64_zero(out, ns % NS_PER_SECOND, 9);
	else
		buf_u64_zero(out, ns % NS_PER_SECOND / 1000, 6);
}

/* Writes @v right-aligned in @width columns, 10 at most, where NUMBER_COLUMNS bytes are free; returns the end. */
static char *put_known_number(char *to, struct known_number *k, uint64_t v, unsigned width)
{
	if (v != k->v || !k->len) {
		unsigned digits = digits_decimal_count(v), len = digits < width ? width : digits;

		memset(k->text, ' ', NUMBER_COLUMNS);
		digits_decimal(k->text + len, v);
		k->v = v;
		k->len = (uint8_t)len;
	}
	memcpy(to, k->text, NUMBER_COLUMNS);
	return to + k->len;
}

/* "  789.146555: " */
static void put_time(struct sample_printer *p, uint64_t time)
{
	uint64_t second = time / NS_PER_SECOND;
	uint32_t ns = (uint32_t)(time - second * NS_PER_SECOND);
	char *to = buf_room(p->out, NUMBER_COLUMNS + 16);

	if (!to)
		return;
	to = put_known_number(to, &p->heads->second, second, 5);
	*to = '.';
	to = digits_put_six(to + 1, ns / 1000);
	if (p->script->ns)
		to = digits_put_three(to, ns % 1000);
	memcpy(to, ": ", 2);
	p->out->n = (size_t)(to + 2 - p->out->p);
}

static void put_period(struct sample_printer *p, uint64_t period)
{
	char *to = buf_room(p->out, NUMBER_COLUMNS + 1);

	if (!to)
		return;
	to = put_known_number(to, &p->heads->period, period, 10);
	*to = ' ';
	p->out->n = (size_t)(to + 1 - p->out->p);
}

/* The wall clock at a time of the trace; nothing if the recorder did not note their distance. */
static void put_time_of_day(struct sample_printer *p, uint64_t time)
{
	uint64_t now = p->script->meta->clock_data.tod_ns + (time - p->script->meta->clock_data.clockid_ns);
	time_t seconds = (time_t)(now / NS_PER_SECOND);
	struct tm tm;

	if (!p->script->meta->clock_data.tod_ns || !localtime_r(&seconds, &tm))
		return;
	buf_printf(p->out, "%04d-%02d-%02d %02d:%02d:%02d.", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
		   tm.tm_min, tm.tm_sec);
	put_fraction(p->out, now, p->script->ns);
	buf_char(p->out, ' ');
}
void script_head(struct sample_printer *p, const struct sonde_event *ev, const char *comm, uint64_t time,
		 uint64_t fields, bool aligned)
{
	struct buf *out = p->out;

	if (ev->kind == SONDE_KIND_SAMPLE && !ev->machine_pid)
		put_known_columns(p, ev, comm, fields, aligned);
	else
		put_columns(p, ev, comm, fields, aligned);
	if (fields & SCRIPT_BIT(MISC)) {
		size_t n = out->n;

		text_misc(out, ev->type, ev->misc);
		buf_pad(out, ' ', out->n - n < MISC_LETTERS ? MISC_LETTERS - (out->n - n) : 0);
	}
	if (fields & SCRIPT_BIT(TOD))
		put_time_of_day(p, ev->time);
	if (fields & SCRIPT_BIT(TIME))
		put_time(p, time);
}

static uint32_t address_parts(uint64_t fields)
{
	return (fields & SCRIPT_BIT(IP) ? ADDRESS_IP : 0) | (fields & SCRIPT_BIT(SYM) ? ADDRESS_SYM : 0) |
	       (fields & SCRIPT_BIT(SYMOFF) ? ADDRESS_SYMOFF : 0) | (fields & SCRIPT_BIT(DSO) ? ADDRESS_DSO : 0) |
	       (fields & SCRIPT_BIT(DSOFF) ? ADDRESS_DSO | ADDRESS_DSOFF : 0);
}

/* The parts of a sample's ip, and of its callers */
static uint32_t place_parts(const struct sample_printer *p, uint64_t fields)
{
	return address_parts(fields) |
	       (fields & SCRIPT_BIT(SRCLINE) ? ADDRESS_SRCLINE : 0) |
	       (p->script->full_source_path ? ADDRESS_FULL_PATH : 0);
}

/* The address space of a data or branch address: only its process is known. */
static maps_root root_of_address(const struct sample_printer *p, uint64_t addr)
{
	const struct script_moment *m = p->moment;

	return maps_find(m->user, addr) || !maps_find(m->kernel, addr) ? m->user : m->kernel;
}

static bool addr_is_data(const struct sonde_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == SOFTWARE_PAGE_FAULTS || attr->config == SOFTWARE_PAGE_FAULTS_MIN ||
		attr->config == SOFTWARE_PAGE_FAULTS_MAJ);
}

static void put_addr(struct sample_printer *p, uint64_t addr, uint64_t fields)
{
	uint32_t parts = ADDRESS_IP;

	if (addr_is_data(p->moment->event.pub.evsel->attr))
		parts |= address_parts(fields);
	address_cache_print(p->addresses, p->out, root_of_address(p, addr), addr, parts);
}

/* As u64s_at(), but inline. */
static inline uint64_t chain_at(const struct u64s *chain, uint64_t i)
{
	return load_u64(chain->p + i * 8, chain->swap);
}

/* An unknown marker: neither the entries before nor after it can be trusted. */
static bool chain_makes_sense(const struct u64s *chain)
{
	for (uint64_t i = 0; i < chain->nr; i++) {
		uint64_t ip = chain_at(chain, i);

		if (ip < CONTEXT_MAX)
			continue;
		if (ip == CONTEXT_USER_DEFERRED)
			return true;  /* a cookie follows */
		if (ip != CONTEXT_KERNEL && ip != CONTEXT_USER && ip != CONTEXT_HV)
			return false;
	}
	return true;
}

/* Prints one line for each frame; returns their number. */
static uint32_t put_chain(struct sample_printer *p, const struct callchain *chain, uint64_t fields)
{
	uint32_t parts = place_parts(p, fields) | ADDRESS_LINE | (p->script->inlined ? ADDRESS_INLINED : 0), caller;
	/* where nothing is mapped, a trace.dat names its kernel */
	uint32_t kernel = p->script->formats ? ADDRESS_KERNEL : 0;
	struct caller_rule rule = chain->rule;
	uint8_t mode = kernel ? chain->cpumode : CPUMODE_USER;
	maps_root root = mode == CPUMODE_KERNEL ? p->moment->kernel : p->moment->user;
	uint32_t nr = 0;

	if (!chain_makes_sense(&chain->ips))
		return 0;
	for (uint64_t i = 0; i < chain->ips.nr && nr < p->script->max_stack; i++) {
		uint64_t ip = chain_at(&chain->ips, i);

		if (ip < CONTEXT_MAX) {
			caller = caller_rule_next(&rule, mode) ? ADDRESS_CALLER : 0;
			if (address_cache_print(p->addresses, p->out, root, ip,
						parts | caller | (mode == CPUMODE_KERNEL ? kernel : 0)))
				caller_rule_interrupted(&rule);
			nr++;
			continue;
		}
		caller_rule_interrupted(&rule);
		if (ip == CONTEXT_KERNEL) {
			mode = CPUMODE_KERNEL;
			root = p->moment->kernel;
		} else if (ip == CONTEXT_USER) {
			mode = CPUMODE_USER;
			root = p->moment->user;
		} else if (ip == CONTEXT_HV) {
			mode = CPUMODE_HYPERVISOR;
			root = NULL;
		} else {
			break;
		}
	}
	return nr;
}

static void put_registers(struct sample_printer *p, const struct regs *regs)
{
	struct buf *out = p->out;
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
		name = text_register(p->script->meta->arch, bit);
		if (!name)
			name = "unknown";
		buf_str_right(out, name, strlen(name), 5);
		buf_put(out, ":0x", 3);
		buf_hex(out, u64s_at(&regs->values, at++));
		buf_char(out, ' ');
	}
}

/* The offset in the binary, or in the mapping if the binary has no file offsets. */
static uint64_t offset_of(const struct addr_location *location, uint64_t addr)
{
	const struct mapping *m = location->mapping;

	if (!m)
		return addr;
	return m->binary->kind <= BINARY_JITDUMP ? mapping_to_binary(m, addr) : addr - m->start;
}

/* One end of a branch, with the names that the fields request. */
static void put_branch_end(struct sample_printer *p, uint64_t addr, enum script_field how, uint64_t fields)
{
	struct addr_location location = addr_location_find(p->addresses->locator.symbols,
							   root_of_address(p, addr), addr, false);

	if (how == FIELD_BRSTACKSYM) {
		uint64_t offset;
		const char *name = addr_location_symbol(&location, addr, &offset), *shown = name ? name : "[unknown]";

		buf_text(p->out, shown, strlen(shown));
		if (name) {
			buf_put(p->out, "+0x", 3);
			buf_hex(p->out, offset);
		}
	} else {
		buf_put(p->out, "0x", 2);
		buf_hex(p->out, how == FIELD_BRSTACKOFF ? offset_of(&location, addr) : addr);
	}
	if (fields & SCRIPT_BIT(DSO))
		address_print_names(p->out, &location, addr, ADDRESS_DSO);
}

static void put_branches(struct sample_printer *p, const struct sample *sample, enum script_field how, uint64_t fields)
{
	for (uint64_t i = 0; i < sample->branches.nr; i++) {
		struct sonde_branch b = sample_branch_at(sample, i);

		if (how != FIELD_BRSTACKSYM)
			buf_char(p->out, ' ');
		put_branch_end(p, b.from, how, fields);
		buf_char(p->out, '/');
		put_branch_end(p, b.to, how, fields);
		text_branch_flags(p->out, b.flags);
		buf_char(p->out, ' ');
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

/* Eight bytes per line, in hex and as text. */
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
	struct sample_printer *p = ctx;
	struct addr_location location = addr_location_find(p->addresses->locator.symbols, p->moment->kernel,
							   address, false);
	const char *symbol = addr_location_symbol(&location, address, offset);

	if (!symbol)
		return false;
	*name = (struct sonde_str){ symbol, strlen(symbol) };
	return true;
}

static void put_read(struct buf *out, const struct read_counts *r)
{
	buf_put(out, " read", 5);
	for (uint64_t i = 0; i < r->nr; i++) {
		struct sonde_read_value v = read_value_at(r, i);

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

static void put_weights(struct buf *out, const struct sample *sample, uint64_t fields)
{
	bool in_parts = sample->present & PERF_SAMPLE_WEIGHT_STRUCT;

	if (fields & SCRIPT_BIT(WEIGHT))
		buf_u64_width(out, in_parts ? (uint32_t)sample->weight : sample->weight, 16);
	if (fields & SCRIPT_BIT(INS_LAT))
		buf_u64_width(out, sample->weight >> 32 & 0xffff, 16);
	if (fields & SCRIPT_BIT(RETIRE_LAT))
		buf_u64_width(out, sample->weight >> 48, 16);
}

/* The columns between the event and the ip. */
static void put_before_ip(struct sample_printer *p, const struct script_evsel *ss, const struct sample *sample)
{
	static const uint64_t mine = SCRIPT_BIT(FLAGS) | SCRIPT_BIT(TRACE) | SCRIPT_BIT(ADDR) | SCRIPT_BIT(DATA_SRC) |
		SCRIPT_BIT(WEIGHT) | SCRIPT_BIT(INS_LAT) | SCRIPT_BIT(RETIRE_LAT) | SCRIPT_BIT(CGROUP);
	uint64_t fields = ss->fields;
	struct buf *out = p->out;

	if (!(fields & mine))
		return;
	if (fields & SCRIPT_BIT(FLAGS))
		buf_pad(out, ' ', 24);  /* perf fills these columns for decoded hardware traces only */
	if (fields & SCRIPT_BIT(TRACE) && ss->format && sample->raw.len)
		tracefmt_print(ss->format, sample->raw,
			       &(struct tracefmt_context){ .ctx = p, .symbol = symbol_of_kernel, .boot = ss->boot },
			       out);
	if (fields & SCRIPT_BIT(ADDR))
		put_addr(p, p->moment->event.pub.addr, fields);
	if (fields & SCRIPT_BIT(DATA_SRC)) {
		buf_hex_width(out, sample->data_src, 16);
		buf_char(out, ' ');
		text_data_src(out, sample->data_src);
	}
	put_weights(out, sample, fields);
	if (fields & SCRIPT_BIT(CGROUP)) {
		const char *path = p->moment->cgroup;

		buf_char(out, ' ');
		buf_text(out, path, strlen(path));
	}
}

static void put_behind_ip(struct sample_printer *p, uint64_t fields, const struct sample *sample)
{
	struct buf *out = p->out;

	if (fields & SCRIPT_BIT(IREGS))
		put_registers(p, &sample->intr_regs);
	if (fields & SCRIPT_BIT(UREGS))
		put_registers(p, &sample->user_regs);
	if (fields & SCRIPT_BIT(BRSTACK))
		put_branches(p, sample, FIELD_BRSTACK, fields);
	else if (fields & SCRIPT_BIT(BRSTACKSYM))
		put_branches(p, sample, FIELD_BRSTACKSYM, fields);
	else if (fields & SCRIPT_BIT(BRSTACKOFF))
		put_branches(p, sample, FIELD_BRSTACKOFF, fields);
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

/* The lines of a stack, or that of the address where nothing could be unwound. */
static void put_stack(struct sample_printer *p, const struct callchain *chain, uint64_t fields)
{
	const struct script_moment *m = p->moment;

	buf_char(p->out, '\n');
	if (!put_chain(p, chain, fields) && m->event.pub.evsel->attr->sample_type & PERF_SAMPLE_STACK_USER)
		address_cache_print(p->addresses, p->out, m->at_ip, m->event.pub.ip,
				    place_parts(p, fields) | ADDRESS_LINE);
}

/* The stack of a sample; as recorded when out of memory. False: stacks are not shown, or it has none. */
static bool find_stack(struct sample_printer *p, const struct sample *sample, struct callchain *chain)
{
	const struct script_moment *m = p->moment;

	if (!m->look->chain && !m->look->stack_fields)
		return false;
	if (chain_of(p->chains, &m->event.pub, sample, m->user, p->script->max_stack, chain) < 0)
		*chain = (struct callchain){ .ips = sample->callchain, .cpumode = m->event.pub.cpumode };
	return m->look->chain || chain->ips.nr;
}

void script_sample(struct sample_printer *p, const struct script_moment *m, const struct sample *sample)
{
	const struct script_evsel *look = m->look;
	struct callchain chain;
	bool has_stack;

	p->moment = m;
	has_stack = find_stack(p, sample, &chain);
	script_head(p, &m->event.pub, m->comm, m->time, look->fields, !has_stack);
	if (look->fields & SCRIPT_BIT(PERIOD))
		put_period(p, m->event.pub.period);
	if (look->fields & SCRIPT_BIT(EVENT))
		buf_put(p->out, look->event.p, look->event.len);
	put_before_ip(p, look, sample);
	if (has_stack) {
		put_stack(p, &chain, look->stack_fields ? look->stack_fields : look->fields);
	} else if (look->fields & SCRIPT_BIT(IP)) {
		buf_char(p->out, ' ');
		address_cache_print(p->addresses, p->out, m->at_ip, m->event.pub.ip, place_parts(p, look->fields));
	}
	put_behind_ip(p, look->fields, sample);
	buf_char(p->out, '\n');
}
