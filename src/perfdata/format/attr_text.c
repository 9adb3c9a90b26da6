/* SPDX-License-Identifier: MIT */
#include "perfdata/format/attr_text.h"

#include <inttypes.h>

#include "base/bytes.h"

struct bit {
	uint8_t nr;
	const char *name;
};
#define BITS(array) array, ARRAY_SIZE(array)

/* The order is perf's, not that of the numbers: texts are compared. */
static const struct bit sample_type_bits[] = {
	{ 0, "IP" }, { 1, "TID" }, { 2, "TIME" }, { 3, "ADDR" }, { 4, "READ" }, { 5, "CALLCHAIN" }, { 6, "ID" },
	{ 7, "CPU" },
	{ 8, "PERIOD" }, { 9, "STREAM_ID" }, { 10, "RAW" }, { 11, "BRANCH_STACK" }, { 12, "REGS_USER" },
	{ 13, "STACK_USER" },
	{ 16, "IDENTIFIER" }, { 18, "REGS_INTR" }, { 15, "DATA_SRC" }, { 14, "WEIGHT" }, { 17, "TRANSACTION" },
	{ 19, "PHYS_ADDR" }, { 20, "AUX" }, { 21, "CGROUP" }, { 22, "DATA_PAGE_SIZE" }, { 23, "CODE_PAGE_SIZE" },
	{ 24, "WEIGHT_STRUCT" },
};
static const struct bit read_format_bits[] = {
	{ 0, "TOTAL_TIME_ENABLED" }, { 1, "TOTAL_TIME_RUNNING" }, { 2, "ID" }, { 3, "GROUP" }, { 4, "LOST" },
};
static const struct bit branch_bits[] = {
	{ 0, "USER" }, { 1, "KERNEL" }, { 2, "HV" }, { 3, "ANY" }, { 4, "ANY_CALL" }, { 5, "ANY_RETURN" },
	{ 6, "IND_CALL" },
	{ 7, "ABORT_TX" }, { 8, "IN_TX" }, { 9, "NO_TX" }, { 10, "COND" }, { 11, "CALL_STACK" }, { 12, "IND_JUMP" },
	{ 13, "CALL" }, { 14, "NO_FLAGS" }, { 15, "NO_CYCLES" }, { 16, "TYPE_SAVE" }, { 17, "HW_INDEX" },
	{ 18, "PRIV_SAVE" },
	{ 19, "COUNTERS" },
};

#define PRECISE_IP_BIT 15
static const struct bit flag_bits[] = {
	{ 0, "disabled" }, { 1, "inherit" }, { 2, "pinned" }, { 3, "exclusive" }, { 4, "exclude_user" },
	{ 5, "exclude_kernel" },
	{ 6, "exclude_hv" }, { 7, "exclude_idle" }, { 8, "mmap" }, { 9, "comm" }, { 10, "freq" },
	{ 11, "inherit_stat" },
	{ 12, "enable_on_exec" }, { 13, "task" }, { 14, "watermark" }, { PRECISE_IP_BIT, "precise_ip" },
	{ 17, "mmap_data" },
	{ 18, "sample_id_all" }, { 19, "exclude_host" }, { 20, "exclude_guest" }, { 21, "exclude_callchain_kernel" },
	{ 22, "exclude_callchain_user" }, { 23, "mmap2" }, { 24, "comm_exec" }, { 25, "use_clockid" },
	{ 26, "context_switch" },
	{ 27, "write_backward" }, { 28, "namespaces" }, { 29, "ksymbol" }, { 30, "bpf_event" }, { 31, "aux_output" },
	{ 32, "cgroup" }, { 33, "text_poke" }, { 34, "build_id" }, { 35, "inherit_thread" }, { 36, "remove_on_exec" },
	{ 37, "sigtrap" }, { 38, "defer_callchain" }, { 39, "defer_output" },
};

static uint64_t flag_value(uint64_t flags, unsigned nr)
{
	return flags >> nr & (nr == PRECISE_IP_BIT ? 3 : 1);
}

/* "A|B"; bits without a name as one number */
static void print_bits(struct buf *out, const struct bit *bits, size_t nr, uint64_t v)
{
	const char *sep = "";

	for (size_t i = 0; i < nr; i++) {
		uint64_t mask = UINT64_C(1) << bits[i].nr;

		if (!(v & mask))
			continue;
		buf_str(out, sep);
		buf_str(out, bits[i].name);
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

static void print_named_bits(struct fields *f, const char *name, const struct bit *bits, size_t nr, uint64_t v)
{
	if (v)
		print_bits(begin_field(f, name), bits, nr, v);
}

static void print_dec(struct fields *f, const char *name, uint64_t v)
{
	if (v)
		buf_u64(begin_field(f, name), v);
}

static void print_hex(struct fields *f, const char *name, uint64_t v)
{
	if (v)
		buf_printf(begin_field(f, name), "0x%" PRIx64, v);
}

/* All but type, size and config, which come first. */
static void print_rest(struct fields *f, const struct sonde_attr *attr)
{
	print_dec(f, "{ sample_period, sample_freq }", attr->sample_period);
	print_named_bits(f, "sample_type", BITS(sample_type_bits), attr->sample_type);
	print_named_bits(f, "read_format", BITS(read_format_bits), attr->read_format);
	for (size_t i = 0; i < ARRAY_SIZE(flag_bits); i++)
		print_dec(f, flag_bits[i].name, flag_value(attr->flags, flag_bits[i].nr));
	print_dec(f, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	print_dec(f, "bp_type", attr->bp_type);
	print_hex(f, "{ bp_addr, config1 }", attr->config1);
	print_hex(f, "{ bp_len, config2 }", attr->config2);
	print_named_bits(f, "branch_sample_type", BITS(branch_bits), attr->branch_sample_type);
	print_hex(f, "sample_regs_user", attr->sample_regs_user);
	print_dec(f, "sample_stack_user", attr->sample_stack_user);
	if (attr->clockid)
		buf_printf(begin_field(f, "clockid"), "%" PRId32, attr->clockid);
	print_hex(f, "sample_regs_intr", attr->sample_regs_intr);
	print_dec(f, "aux_watermark", attr->aux_watermark);
	print_dec(f, "sample_max_stack", attr->sample_max_stack);
	print_dec(f, "aux_sample_size", attr->aux_sample_size);
	print_hex(f, "aux_action", attr->aux_action);
	print_dec(f, "sig_data", attr->sig_data);
	print_hex(f, "config3", attr->config3);
	print_hex(f, "config4", attr->config4);
}

void attr_print(struct buf *out, const struct sonde_attr *attr)
{
	struct fields f = { .out = out, .is = " = ", .some = true };

	print_dec(&f, "type", attr->type);
	print_dec(&f, "size", attr->size);
	print_hex(&f, "config", attr->config);
	print_rest(&f, attr);
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
	print_rest(f, attr);
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

static void json_dec_key(struct json *j, const char *name, uint64_t v)
{
	if (v) {
		json_key(j, name);
		json_u64(j, v);
	}
}

static void json_hex_key(struct json *j, const char *name, uint64_t v)
{
	if (v) {
		json_key(j, name);
		json_hex(j, v);
	}
}

static void json_bits(struct json *j, const char *name, const struct bit *bits, size_t nr, uint64_t v)
{
	json_key(j, name);
	json_array(j);
	for (size_t i = 0; i < nr; i++) {
		uint64_t mask = UINT64_C(1) << bits[i].nr;

		if (v & mask)
			json_text(j, bits[i].name);
		v &= ~mask;
	}
	if (v)
		json_hex(j, v);
	json_end(j);
}

static void json_flags(struct json *j, uint64_t flags)
{
	json_key(j, "flags");
	json_array(j);
	for (size_t i = 0; i < ARRAY_SIZE(flag_bits); i++)
		if (flag_bits[i].nr != PRECISE_IP_BIT && flag_value(flags, flag_bits[i].nr))
			json_text(j, flag_bits[i].name);
	json_end(j);
	json_dec_key(j, "precise_ip", flag_value(flags, PRECISE_IP_BIT));
}

void attr_json(struct json *j, const struct sonde_attr *attr)
{
	json_object(j);
	json_key(j, "type");
	json_u64(j, attr->type);
	json_dec_key(j, "size", attr->size);
	json_key(j, "config");
	json_hex(j, attr->config);
	json_dec_key(j, attr->flags & SONDE_ATTR_FREQ ? "sample_freq" : "sample_period", attr->sample_period);
	json_bits(j, "sample_type", BITS(sample_type_bits), attr->sample_type);
	json_bits(j, "read_format", BITS(read_format_bits), attr->read_format);
	json_flags(j, attr->flags);
	json_dec_key(j, "wakeup", attr->wakeup_events);
	json_dec_key(j, "bp_type", attr->bp_type);
	json_hex_key(j, "config1", attr->config1);
	json_hex_key(j, "config2", attr->config2);
	if (attr->branch_sample_type)
		json_bits(j, "branch_sample_type", BITS(branch_bits), attr->branch_sample_type);
	json_hex_key(j, "sample_regs_user", attr->sample_regs_user);
	json_dec_key(j, "sample_stack_user", attr->sample_stack_user);
	if (attr->flags & SONDE_ATTR_USE_CLOCKID) {
		json_key(j, "clockid");
		json_i64(j, attr->clockid);
	}
	json_hex_key(j, "sample_regs_intr", attr->sample_regs_intr);
	json_dec_key(j, "aux_watermark", attr->aux_watermark);
	json_dec_key(j, "sample_max_stack", attr->sample_max_stack);
	json_dec_key(j, "aux_sample_size", attr->aux_sample_size);
	json_hex_key(j, "aux_action", attr->aux_action);
	json_dec_key(j, "sig_data", attr->sig_data);
	json_hex_key(j, "config3", attr->config3);
	json_hex_key(j, "config4", attr->config4);
	json_end(j);
}
