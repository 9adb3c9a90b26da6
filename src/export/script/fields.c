/* SPDX-License-Identifier: MIT */
#include "export/script/fields.h"

#include <linux/perf_event.h>
#include <sonde/text.h>
#include <string.h>

#include "base/bytes.h"

#define WEIGHT_STRUCT (UINT64_C(1) << 24)
#define ALL_TYPES ((1u << NR_SCRIPT_TYPES) - 1)
#define ONLY(type) (1u << SCRIPT_##type)
#define BPF_OUTPUT_CONFIG 10

static const struct {
	const char *name;
	uint64_t sample_type;        /* samples need one of these bits; 0: the field is always present */
	unsigned types;              /* event types that the field suits */
} rows[NR_SCRIPT_FIELDS] = {
	[FIELD_MACHINE_PID] = { "machine_pid", 0, ALL_TYPES },
	[FIELD_VCPU] = { "vcpu", 0, ALL_TYPES },
	[FIELD_COMM] = { "comm", 0, ALL_TYPES },
	[FIELD_PID] = { "pid", PERF_SAMPLE_TID, ALL_TYPES },
	[FIELD_TID] = { "tid", PERF_SAMPLE_TID, ALL_TYPES },
	[FIELD_CPU] = { "cpu", PERF_SAMPLE_CPU, ALL_TYPES },
	[FIELD_MISC] = { "misc", 0, ALL_TYPES },
	[FIELD_TOD] = { "tod", PERF_SAMPLE_TIME, ALL_TYPES },
	[FIELD_TIME] = { "time", PERF_SAMPLE_TIME, ALL_TYPES },
	[FIELD_PERIOD] = { "period", 0, ALL_TYPES },
	[FIELD_EVENT] = { "event", 0, ALL_TYPES },
	[FIELD_FLAGS] = { "flags", 0, ALL_TYPES },
	[FIELD_TRACE] = { "trace", PERF_SAMPLE_RAW, ONLY(TRACEPOINT) },
	[FIELD_ADDR] = { "addr", PERF_SAMPLE_ADDR, ALL_TYPES },
	[FIELD_DATA_SRC] = { "data_src", PERF_SAMPLE_DATA_SRC, ALL_TYPES },
	[FIELD_WEIGHT] = { "weight", PERF_SAMPLE_WEIGHT | WEIGHT_STRUCT, ALL_TYPES },
	[FIELD_INS_LAT] = { "ins_lat", WEIGHT_STRUCT, ALL_TYPES },
	[FIELD_RETIRE_LAT] = { "retire_lat", WEIGHT_STRUCT, ALL_TYPES },
	[FIELD_CGROUP] = { "cgroup", UINT64_C(1) << 21, ALL_TYPES },
	[FIELD_IP] = { "ip", PERF_SAMPLE_IP, ALL_TYPES },
	[FIELD_SYM] = { "sym", PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, ALL_TYPES },
	[FIELD_SYMOFF] = { "symoff", PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, ALL_TYPES },
	[FIELD_DSO] = { "dso", PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, ALL_TYPES },
	[FIELD_DSOFF] = { "dsoff", PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, ALL_TYPES },
	[FIELD_IREGS] = { "iregs", PERF_SAMPLE_REGS_INTR, ALL_TYPES },
	[FIELD_UREGS] = { "uregs", PERF_SAMPLE_REGS_USER, ALL_TYPES },
	[FIELD_BRSTACK] = { "brstack", PERF_SAMPLE_BRANCH_STACK, ALL_TYPES },
	[FIELD_BRSTACKSYM] = { "brstacksym", PERF_SAMPLE_BRANCH_STACK, ALL_TYPES },
	[FIELD_BRSTACKOFF] = { "brstackoff", PERF_SAMPLE_BRANCH_STACK, ALL_TYPES },
	[FIELD_BPF_OUTPUT] = { "bpf-output", PERF_SAMPLE_RAW, ONLY(SOFTWARE) },
	[FIELD_PHYS_ADDR] = { "phys_addr", UINT64_C(1) << 19, ALL_TYPES },
	[FIELD_DATA_PAGE_SIZE] = { "data_page_size", UINT64_C(1) << 22, ALL_TYPES },
	[FIELD_CODE_PAGE_SIZE] = { "code_page_size", UINT64_C(1) << 23, ALL_TYPES },
	[FIELD_TRANSACTION] = { "transaction", PERF_SAMPLE_TRANSACTION, ALL_TYPES },
	[FIELD_READ] = { "read", PERF_SAMPLE_READ, ALL_TYPES },
	[FIELD_SRCLINE] = { "srcline", PERF_SAMPLE_IP, ALL_TYPES },
};

/* The word before the colon of -F, and its event types. */
static const struct {
	const char *name;
	unsigned types;
} type_names[] = {
	{ "hw", ONLY(HARDWARE) | ONLY(OTHER) }, { "sw", ONLY(SOFTWARE) },      { "trace", ONLY(TRACEPOINT) },
	{ "raw", ONLY(RAW) },                   { "break", ONLY(BREAKPOINT) },
};

#define WHO_WHEN (SCRIPT_BIT(COMM) | SCRIPT_BIT(TID) | SCRIPT_BIT(CPU) | SCRIPT_BIT(TIME) | SCRIPT_BIT(EVENT))
#define WHERE (SCRIPT_BIT(IP) | SCRIPT_BIT(SYM) | SCRIPT_BIT(SYMOFF) | SCRIPT_BIT(DSO))
#define MEMORY (SCRIPT_BIT(ADDR) | SCRIPT_BIT(DATA_SRC) | SCRIPT_BIT(WEIGHT) | SCRIPT_BIT(INS_LAT) | \
		SCRIPT_BIT(RETIRE_LAT) | SCRIPT_BIT(PHYS_ADDR) | SCRIPT_BIT(DATA_PAGE_SIZE) | \
		SCRIPT_BIT(CODE_PAGE_SIZE))

static const uint64_t defaults[NR_SCRIPT_TYPES] = {
	[SCRIPT_HARDWARE] = WHO_WHEN | WHERE | SCRIPT_BIT(PERIOD),
	[SCRIPT_SOFTWARE] = WHO_WHEN | WHERE | SCRIPT_BIT(PERIOD) | SCRIPT_BIT(BPF_OUTPUT),
	[SCRIPT_TRACEPOINT] = WHO_WHEN | SCRIPT_BIT(TRACE),
	[SCRIPT_RAW] = WHO_WHEN | WHERE | SCRIPT_BIT(PERIOD) | MEMORY,
	[SCRIPT_BREAKPOINT] = WHO_WHEN | WHERE | SCRIPT_BIT(PERIOD),
	[SCRIPT_OTHER] = WHO_WHEN | WHERE | SCRIPT_BIT(PERIOD),
};

void script_fields_default(struct script_fields *f)
{
	*f = (struct script_fields){ 0 };
	for (size_t i = 0; i < NR_SCRIPT_TYPES; i++)
		f->of[i].fields = defaults[i];
}

static int parse_types(const char **text, unsigned *types, struct sonde_error *err)
{
	const char *colon = strchr(*text, ':');
	size_t n;

	*types = ALL_TYPES;
	if (!colon)
		return 0;
	n = (size_t)(colon - *text);
	for (size_t i = 0; i < ARRAY_SIZE(type_names); i++)
		if (strlen(type_names[i].name) == n && strncmp(*text, type_names[i].name, n) == 0) {
			*types = type_names[i].types;
			*text = colon + 1;
			return 0;
		}
	return err_set(err, SONDE_USAGE, SONDE_NONE, "there is no event type '%.*s' (hw, sw, trace, raw, break)",
		       (int)n, *text);
}

static size_t find_field(const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < NR_SCRIPT_FIELDS; i++)
		if (strlen(rows[i].name) == n && strncmp(rows[i].name, name, n) == 0)
			break;
	return i;
}

static int apply(struct script_fields *f, unsigned types, char sign, const char *name, size_t n,
		 struct sonde_error *err)
{
	size_t field = find_field(name, n);
	uint64_t bit;

	if (field == NR_SCRIPT_FIELDS)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "there is no field '%.*s'", (int)n, name);
	if (!(types & rows[field].types))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "field '%s' does not exist for events of that type",
			       rows[field].name);
	bit = UINT64_C(1) << field;
	for (size_t t = 0; t < NR_SCRIPT_TYPES; t++) {
		if (!((types & rows[field].types) >> t & 1))
			continue;
		if (sign == '-') {
			f->of[t].fields &= ~bit;
			f->of[t].asked &= ~bit;
		} else {
			f->of[t].fields |= bit;
			f->of[t].asked |= bit;
		}
	}
	return 0;
}

int script_fields_parse(struct script_fields *f, const char *text, struct sonde_error *err)
{
	const char *p = text, *end;
	bool adds = false, sets = false;
	unsigned types;
	int r = parse_types(&p, &types, err);

	for (end = p; r == 0 && *end; end += *end == ',') {
		const char *word = end;

		end += strcspn(end, ",");
		adds |= *word == '+' || *word == '-';
		sets |= end > word && *word != '+' && *word != '-';
	}
	if (r < 0)
		return r;
	if (adds && sets)
		return err_set(err, SONDE_USAGE, SONDE_NONE,
			       "fields with + or - cannot be mixed with others in one list: '%s'", text);
	if (!adds && !sets && types == ALL_TYPES)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "an empty list of fields leaves nothing to print");
	for (size_t t = 0; t < NR_SCRIPT_TYPES; t++) {
		if (!adds && types >> t & 1)
			f->of[t] = (struct script_fields_of_type){ 0 };
		f->changed[t] |= types >> t & 1;
	}
	while (*p && r == 0) {
		size_t n = strcspn(p, ",");
		char sign = *p == '+' || *p == '-' ? *p : '\0';

		if (n > (sign != '\0'))
			r = apply(f, types, sign, p + (sign != '\0'), n - (sign != '\0'), err);
		p += n + (p[n] == ',');
	}
	return r;
}

enum script_type script_type_of(const struct sonde_attr *attr)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		return SCRIPT_HARDWARE;
	case PERF_TYPE_SOFTWARE:
		return SCRIPT_SOFTWARE;
	case PERF_TYPE_TRACEPOINT:
		return SCRIPT_TRACEPOINT;
	case PERF_TYPE_RAW:
		return SCRIPT_RAW;
	case PERF_TYPE_BREAKPOINT:
		return SCRIPT_BREAKPOINT;
	}
	return SCRIPT_OTHER;
}

int script_fields_of(const struct script_fields *f, const struct sonde_attr *attr, const char *event, uint64_t *fields,
		     struct sonde_error *err)
{
	enum script_type type = script_type_of(attr);
	uint64_t wanted = f->of[type].fields;

	/* tracepoints are recorded with -g for the sake of their callchains */
	if (type == SCRIPT_TRACEPOINT && !f->changed[type] && attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		wanted |= WHERE;
	if (type == SCRIPT_SOFTWARE && attr->config != BPF_OUTPUT_CONFIG)
		wanted &= ~SCRIPT_BIT(BPF_OUTPUT);
	for (size_t i = 0; i < NR_SCRIPT_FIELDS; i++) {
		uint64_t bit = UINT64_C(1) << i;

		if (!(wanted & bit) || !rows[i].sample_type || attr->sample_type & rows[i].sample_type)
			continue;
		if (f->of[type].asked & bit)
			return err_set(err, SONDE_USAGE, SONDE_NONE, "samples of '%s' were recorded without '%s'",
				       event, rows[i].name);
		wanted &= ~bit;
	}
	*fields = wanted;
	return 0;
}

const char *sonde_script_field(size_t i)
{
	return i < NR_SCRIPT_FIELDS ? rows[i].name : NULL;
}
