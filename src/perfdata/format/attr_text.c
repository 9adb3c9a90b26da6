/* SPDX-License-Identifier: MIT */
#include "perfdata/format/attr_text.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "perfdata/format/attr.h"

static uint64_t flag_value(uint64_t flags, unsigned nr)
{
	return flags >> nr & (nr == ATTR_PRECISE_IP_BIT ? 3 : 1);
}

/* "A|B"; bits without a name as one number */
static void print_bits(struct buf *out, const struct attr_field *f, uint64_t v)
{
	const char *sep = "";

	for (size_t i = 0; i < f->nr_bits; i++) {
		uint64_t mask = UINT64_C(1) << f->bits[i].nr;

		if (!(v & mask))
			continue;
		buf_str(out, sep);
		buf_str(out, f->bits[i].name);
		sep = "|";
		v &= ~mask;
	}
	if (v)
		buf_printf(out, "%s0x%" PRIx64, sep, v);
}

/* How fields are set apart: ", name = value" in a header, "name: value" in a list of events, or a line for each. */
struct fields {
	struct buf *out;
	const char *is;
	bool some, lines;
};

#define LINE_NAME_WIDTH 32

static struct buf *begin_field(struct fields *f, const char *name)
{
	if (f->some)
		buf_str(f->out, f->lines ? "\n" : ", ");
	f->some = true;
	if (f->lines) {
		buf_str(f->out, "  ");
		buf_str_left(f->out, name, strlen(name), LINE_NAME_WIDTH);
	} else {
		buf_str(f->out, name);
	}
	buf_str(f->out, f->is);
	return f->out;
}

static void print_dec(struct fields *f, const char *name, uint64_t v)
{
	if (v)
		buf_u64(begin_field(f, name), v);
}

static void print_field(struct fields *f, const struct attr_field *row, uint64_t v)
{
	switch ((enum attr_shown)row->shown) {
	case ATTR_HIDDEN:
		break;
	case ATTR_DEC:
	case ATTR_SIG_DATA:
		print_dec(f, row->text, v);
		break;
	case ATTR_HEX:
		buf_printf(begin_field(f, row->text), "0x%" PRIx64, v);
		break;
	case ATTR_BITS:
		print_bits(begin_field(f, row->text), row, v);
		break;
	case ATTR_FLAGS:
		for (size_t i = 0; i < row->nr_bits; i++)
			print_dec(f, row->bits[i].name, flag_value(v, row->bits[i].nr));
		break;
	case ATTR_CLOCK:
		buf_printf(begin_field(f, row->text), "%" PRId32, (int32_t)v);
		break;
	}
}

/* The fields after the first ones. */
static void print_rest(struct fields *f, const struct sonde_attr *attr, size_t first)
{
	size_t nr;
	const struct attr_field *rows = attr_fields(&nr);

	for (size_t i = first; i < nr; i++)
		if (attr_value(attr, &rows[i]))
			print_field(f, &rows[i], attr_value(attr, &rows[i]));
}

void attr_print(struct buf *out, const struct sonde_attr *attr)
{
	struct fields f = { .out = out, .is = " = ", .some = true };

	print_rest(&f, attr, 0);
}

enum { TYPE_HARDWARE, TYPE_SOFTWARE, TYPE_TRACEPOINT, TYPE_HW_CACHE, TYPE_RAW, TYPE_BREAKPOINT };

static const char *const type_names[] = {
	[TYPE_HARDWARE] = "PERF_TYPE_HARDWARE", [TYPE_SOFTWARE] = "PERF_TYPE_SOFTWARE",
	[TYPE_TRACEPOINT] = "PERF_TYPE_TRACEPOINT",
	[TYPE_HW_CACHE] = "PERF_TYPE_HW_CACHE", [TYPE_BREAKPOINT] = "PERF_TYPE_BREAKPOINT",
};
static const char *const hardware_names[] = {
	"CPU_CYCLES", "INSTRUCTIONS", "CACHE_REFERENCES", "CACHE_MISSES", "BRANCH_INSTRUCTIONS", "BRANCH_MISSES",
	"BUS_CYCLES",
	"STALLED_CYCLES_FRONTEND", "STALLED_CYCLES_BACKEND", "REF_CPU_CYCLES",
};
static const char *const software_names[] = {
	"CPU_CLOCK", "TASK_CLOCK", "PAGE_FAULTS", "CONTEXT_SWITCHES", "CPU_MIGRATIONS", "PAGE_FAULTS_MIN",
	"PAGE_FAULTS_MAJ",
	"ALIGNMENT_FAULTS", "EMULATION_FAULTS", "DUMMY", "BPF_OUTPUT", "CGROUP_SWITCHES",
};
static const char *const cache_names[] = { "L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE" };
static const char *const cache_op_names[] = { "READ", "WRITE", "PREFETCH" };
static const char *const cache_result_names[] = { "ACCESS", "MISS" };

static const char *name_at(const char *const *names, size_t nr, uint64_t i)
{
	return i < nr ? names[i] : NULL;
}
#define NAME_AT(names, i) name_at(names, ARRAY_SIZE(names), i)

/* The upper half of a generic event tells which of several kinds of CPUs counts. */
static bool is_of_one_kind(const struct sonde_attr *attr)
{
	return (attr->type == TYPE_HARDWARE || attr->type == TYPE_HW_CACHE) && attr->config >> 32;
}

uint32_t attr_pmu(const struct sonde_attr *attr)
{
	return is_of_one_kind(attr) ? (uint32_t)(attr->config >> 32) : attr->type;
}

/* "PERF_COUNT_HW_CPU_CYCLES"; false for a generic event without a name. */
static bool print_generic_name(struct buf *out, uint32_t type, uint64_t id)
{
	const char *name = type == TYPE_HARDWARE ? NAME_AT(hardware_names, id) : NAME_AT(software_names, id);
	const char *cache = NAME_AT(cache_names, id & 0xff), *op = NAME_AT(cache_op_names, id >> 8 & 0xff),
		   *result = NAME_AT(cache_result_names, id >> 16);

	if (type == TYPE_HW_CACHE && cache && op && result)
		buf_printf(out, "PERF_COUNT_HW_CACHE_RESULT_%s | PERF_COUNT_HW_CACHE_OP_%s | PERF_COUNT_HW_CACHE_%s",
			   result, op, cache);
	else if (type != TYPE_HW_CACHE && name)
		buf_printf(out, "PERF_COUNT_%s_%s", type == TYPE_HARDWARE ? "HW" : "SW", name);
	else
		return false;
	return true;
}

/* " (PERF_COUNT_HW_CPU_CYCLES)", of one kind of CPUs " (cpu_core/PERF_COUNT_HW_CPU_CYCLES/)" */
static void print_config_name(struct buf *out, const struct sonde_attr *attr, const char *pmu, const char *event)
{
	struct buf name = BUF_MEMORY;

	if (attr->type == TYPE_TRACEPOINT) {
		buf_text(&name, event, strlen(event));
	} else if (attr->type <= TYPE_HW_CACHE) {
		bool one_kind = is_of_one_kind(attr) && pmu;

		if (one_kind) {
			buf_text(&name, pmu, strlen(pmu));
			buf_char(&name, '/');
		}
		if (!print_generic_name(&name, attr->type,
					is_of_one_kind(attr) ? attr->config & UINT32_MAX : attr->config))
			name.n = 0;
		else if (one_kind)
			buf_char(&name, '/');
	}
	if (name.n) {
		buf_str(out, " (");
		buf_put(out, name.p, name.n);
		buf_char(out, ')');
	}
	buf_free(&name);
}

static void print_all(struct fields *f, const struct sonde_attr *attr, const char *pmu, const char *name)
{
	struct buf *out = f->out;
	const char *type = NAME_AT(type_names, attr->type);

	buf_u64(begin_field(f, "type"), attr->type);
	if (!type && attr->type == TYPE_RAW && !pmu)
		type = "PERF_TYPE_RAW";
	if (type || pmu) {
		buf_str(out, " (");
		buf_text(out, type ? type : pmu, strlen(type ? type : pmu));
		buf_char(out, ')');
	}
	print_dec(f, "size", attr->size);
	begin_field(f, "config");
	if (attr->config)
		buf_printf(out, "0x%" PRIx64, attr->config);
	else
		buf_char(out, '0');
	print_config_name(out, attr, pmu, name);
	print_rest(f, attr, 3);
}

void attr_list(struct buf *out, const struct sonde_attr *attr, const char *pmu, const char *name)
{
	struct fields f = { .out = out, .is = ": " };

	print_all(&f, attr, pmu, name);
}

void attr_lines(struct buf *out, const struct sonde_attr *attr, const char *pmu, const char *name)
{
	struct fields f = { .out = out, .is = " ", .lines = true };

	print_all(&f, attr, pmu, name);
	buf_char(out, '\n');
}

static void json_bits(struct json *j, const struct attr_field *f, uint64_t v)
{
	json_array(j);
	for (size_t i = 0; i < f->nr_bits; i++) {
		uint64_t mask = UINT64_C(1) << f->bits[i].nr;

		if (v & mask)
			json_text(j, f->bits[i].name);
		v &= ~mask;
	}
	if (v)
		json_hex(j, v);
	json_end(j);
}

static void json_flags(struct json *j, const struct attr_field *f, uint64_t flags)
{
	json_array(j);
	for (size_t i = 0; i < f->nr_bits; i++)
		if (f->bits[i].nr != ATTR_PRECISE_IP_BIT && flag_value(flags, f->bits[i].nr))
			json_text(j, f->bits[i].name);
	json_end(j);
	if (flag_value(flags, ATTR_PRECISE_IP_BIT))
		json_member_u64(j, "precise_ip", flag_value(flags, ATTR_PRECISE_IP_BIT));
}

static void json_field(struct json *j, const struct attr_field *f, uint64_t v)
{
	switch ((enum attr_shown)f->shown) {
	case ATTR_HEX:
		return json_hex(j, v);
	case ATTR_BITS:
		return json_bits(j, f, v);
	case ATTR_FLAGS:
		return json_flags(j, f, v);
	case ATTR_CLOCK:
		return json_i64(j, (int32_t)v);
	default:
		return json_u64(j, v);
	}
}

void attr_json(struct json *j, const struct sonde_attr *attr)
{
	size_t nr;
	const struct attr_field *rows = attr_fields(&nr);

	json_object(j);
	for (size_t i = 0; i < nr; i++) {
		uint64_t v = rows[i].shown ? attr_value(attr, &rows[i]) : 0;
		bool is_freq = rows[i].to == offsetof(struct sonde_attr, sample_period) &&
			attr->flags & SONDE_ATTR_FREQ;

		if (rows[i].shown == ATTR_CLOCK ? !(attr->flags & SONDE_ATTR_USE_CLOCKID) : !v && !rows[i].always)
			continue;
		json_key(j, is_freq ? "sample_freq" : rows[i].key);
		json_field(j, &rows[i], v);
	}
	json_end(j);
}
