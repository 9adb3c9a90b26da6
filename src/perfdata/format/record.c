/* SPDX-License-Identifier: MIT */
#include "perfdata/format/record.h"

#define FIELDS(...) (const struct record_field[]){ __VA_ARGS__, { 0 } }
#define NAMES(flags, ...)                                                                                  \
	&(const struct value_names)                                                                         \
	{                                                                                                   \
		flags, ARRAY_SIZE(((const char *const[]){ __VA_ARGS__ })), (const char *const[]) { __VA_ARGS__ } \
	}
#define VALUES(...) NAMES(false, __VA_ARGS__)
#define FLAGS(...) NAMES(true, __VA_ARGS__)
#define PID_TID { "pid", FIELD_S32, 8 }, { "tid", FIELD_S32, 12 }
#define TASK \
	{ "pid", FIELD_S32, 8 }, { "ppid", FIELD_S32, 12 }, { "tid", FIELD_S32, 16 }, { "ptid", FIELD_S32, 20 }, \
	{ "time", FIELD_TIME, 24 }
#define THROTTLE { "time", FIELD_TIME, 8 }, { "id", FIELD_EVENT_ID, 16 }, { "stream_id", FIELD_EVENT_ID, 24 }
#define MAPPING { "addr", FIELD_HEX64, 16 }, { "len", FIELD_HEX64, 24 }, { "pgoff", FIELD_HEX64, 32 }

#define MMAP2_TAIL                                                                                         \
	{ "prot", FIELD_U32, 64, FLAGS("READ", "WRITE", "EXEC") },                                          \
		{ "flags", FIELD_U32, 68, FLAGS("SHARED", "PRIVATE") }, { "filename", FIELD_STRING, 72 }
#define SCHEDSTAT { "timestamp", FIELD_TIME, 8 }, { "cpu", FIELD_U32, 16 }, { "version", FIELD_U16, 20 }

/* ... what follows the fields, by its name in struct record_type */
#define KERNEL(id, name_, kind_, min, fields_, ...)                                                        \
	[id] = { .name = name_, .kind = SONDE_KIND_##kind_, .min_size = min, .trailer = (id) != RECORD_SAMPLE, \
		 .fields = fields_, __VA_ARGS__ }
#define USER(id, name_, kind_, min, fields_, ...)                                                          \
	[id] = { .name = name_, .kind = SONDE_KIND_##kind_, .min_size = min, .fields = fields_, __VA_ARGS__ }
#define ARRAY(count_at, at, size, ...) .array = { count_at, at, size, FIELDS(__VA_ARGS__) }

static const struct record_type types[] = {
	KERNEL(RECORD_MMAP, "MMAP", SIDEBAND, 40, FIELDS(PID_TID, MAPPING, { "filename", FIELD_STRING, 40 })),
	KERNEL(RECORD_LOST, "LOST", LOSS, 24, FIELDS({ "id", FIELD_EVENT_ID, 8 }, { "lost", FIELD_U64, 16 })),
	KERNEL(RECORD_COMM, "COMM", SIDEBAND, 16, FIELDS(PID_TID, { "comm", FIELD_STRING, 16 })),
	KERNEL(RECORD_EXIT, "EXIT", SIDEBAND, 32, FIELDS(TASK)),
	KERNEL(RECORD_THROTTLE, "THROTTLE", LOSS, 32, FIELDS(THROTTLE)),
	KERNEL(RECORD_UNTHROTTLE, "UNTHROTTLE", OTHER, 32, FIELDS(THROTTLE)),
	KERNEL(RECORD_FORK, "FORK", SIDEBAND, 32, FIELDS(TASK)),
	KERNEL(RECORD_READ, "READ", STAT, 16, FIELDS(PID_TID), ARRAY(0, 16, 8, { "count", FIELD_U64 })),
	KERNEL(RECORD_SAMPLE, "SAMPLE", SAMPLE, 8, NULL),
	KERNEL(RECORD_MMAP2, "MMAP2", SIDEBAND, 72,
	       FIELDS(PID_TID, MAPPING, { "maj", FIELD_U32, MMAP2_ID_AT }, { "min", FIELD_U32, 44 },
		      { "ino", FIELD_U64, 48 }, { "ino_generation", FIELD_U64, 56 }, MMAP2_TAIL),
	       .with_id = FIELDS(PID_TID, MAPPING, { "build_id", FIELD_BUILD_ID, MMAP2_ID_AT }, MMAP2_TAIL)),
	KERNEL(RECORD_AUX, "AUX", AUX, 32,
	       FIELDS({ "aux_offset", FIELD_HEX64, 8 }, { "aux_size", FIELD_HEX64, 16 }, {
			"flags", FIELD_HEX64, 24, FLAGS("TRUNCATED", "OVERWRITE", "PARTIAL", "COLLISION") })),
	KERNEL(RECORD_ITRACE_START, "ITRACE_START", AUX, 16, FIELDS(PID_TID)),
	KERNEL(RECORD_LOST_SAMPLES, "LOST_SAMPLES", LOSS, 16, FIELDS({ "lost", FIELD_U64, 8 })),
	KERNEL(RECORD_SWITCH, "SWITCH", SIDEBAND, 8, NULL),
	KERNEL(RECORD_SWITCH_CPU_WIDE, "SWITCH_CPU_WIDE", SIDEBAND, 16,
	       FIELDS({ "next_prev_pid", FIELD_S32, 8 }, { "next_prev_tid", FIELD_S32, 12 })),
	KERNEL(RECORD_NAMESPACES, "NAMESPACES", SIDEBAND, 24, FIELDS(PID_TID, { "nr", FIELD_U64, 16 }),
	       ARRAY(16, 24, 16, { "dev", FIELD_HEX64 }, { "ino", FIELD_HEX64, 8 })),
	KERNEL(RECORD_KSYMBOL, "KSYMBOL", SIDEBAND, 24,
	       FIELDS({ "addr", FIELD_HEX64, 8 }, { "len", FIELD_U32, 16 },
		      { "ksym_type", FIELD_U16, 20, VALUES("UNKNOWN", "BPF", "OOL") },
		      { "flags", FIELD_U16, 22, FLAGS("UNREGISTER") }, { "name", FIELD_STRING, 24 })),
	KERNEL(RECORD_BPF_EVENT, "BPF_EVENT", SIDEBAND, 24,
	       FIELDS({ "type", FIELD_U16, 8, VALUES("UNKNOWN", "PROG_LOAD", "PROG_UNLOAD") },
		      { "flags", FIELD_U16, 10 }, { "id", FIELD_U32, 12 }, { "tag", FIELD_BYTES8, 16 })),
	KERNEL(RECORD_CGROUP, "CGROUP", SIDEBAND, 16, FIELDS({ "id", FIELD_U64, 8 }, { "path", FIELD_STRING, 16 })),
	KERNEL(RECORD_TEXT_POKE, "TEXT_POKE", SIDEBAND, 20,
	       FIELDS({ "addr", FIELD_HEX64, 8 }, { "old_len", FIELD_U16, 16 }, { "new_len", FIELD_U16, 18 })),
	KERNEL(RECORD_AUX_OUTPUT_HW_ID, "AUX_OUTPUT_HW_ID", AUX, 16, FIELDS({ "hw_id", FIELD_HEX64, 8 })),
	KERNEL(RECORD_CALLCHAIN_DEFERRED, "CALLCHAIN_DEFERRED", SIDEBAND, 24,
	       FIELDS({ "cookie", FIELD_HEX64, 8 }, { "nr", FIELD_U64, 16 }), ARRAY(16, 24, 8, { "ip", FIELD_HEX64 })),

	USER(RECORD_HEADER_ATTR, "HEADER_ATTR", META, 8 + 64, NULL),
	USER(RECORD_HEADER_EVENT_TYPE, "HEADER_EVENT_TYPE", META, 16,
	     FIELDS({ "event_id", FIELD_U64, 8 }, { "name", FIELD_CHARS, 16 })),
	USER(RECORD_HEADER_TRACING_DATA, "HEADER_TRACING_DATA", META, 12, FIELDS({ "size", FIELD_U32, 8 })),
	USER(RECORD_HEADER_BUILD_ID, "HEADER_BUILD_ID", META, 36,
	     FIELDS({ "pid", FIELD_S32, 8 }, { "filename", FIELD_STRING, 36 })),
	USER(RECORD_FINISHED_ROUND, "FINISHED_ROUND", META, 8, NULL),
	USER(RECORD_ID_INDEX, "ID_INDEX", META, 16, FIELDS({ "nr", FIELD_U64, 8 }),
	     ARRAY(8, ID_INDEX_AT, ID_INDEX_ENTRY_BYTES, { "id", FIELD_EVENT_ID }, { "idx", FIELD_U64, 8 },
		   { "cpu", FIELD_S64, 16 }, { "tid", FIELD_S64, 24 })),
	USER(RECORD_AUXTRACE_INFO, "AUXTRACE_INFO", AUX, 16,
	     FIELDS({ "type", FIELD_U32, 8, VALUES("UNKNOWN", "INTEL_PT", "INTEL_BTS", "CS_ETM", "ARM_SPE",
						   "S390_CPUMSF", "HISI_PTT", "VPA_DTL") }),
	     ARRAY(0, 16, 8, { "priv", FIELD_HEX64 })),
	USER(RECORD_AUXTRACE, "AUXTRACE", AUX, 48,
	     FIELDS({ "size", FIELD_HEX64, 8 }, { "offset", FIELD_HEX64, 16 }, { "reference", FIELD_HEX64, 24 },
		    { "idx", FIELD_U32, 32 }, { "tid", FIELD_S32, 36 }, { "cpu", FIELD_S32, 40 })),
	USER(RECORD_AUXTRACE_ERROR, "AUXTRACE_ERROR", AUX, 40,
	     FIELDS({ "type", FIELD_U32, 8, VALUES("?", "ITRACE") }, { "code", FIELD_U32, 12 },
		    { "cpu", FIELD_S32, 16 }, { "pid", FIELD_S32, 20 }, { "tid", FIELD_S32, 24 },
		    { "fmt", FIELD_U32, 28 },
		    { "ip", FIELD_HEX64, 32 })),
	USER(RECORD_THREAD_MAP, "THREAD_MAP", META, 16, FIELDS({ "nr", FIELD_U64, 8 }),
	     ARRAY(8, 16, 24, { "pid", FIELD_S64 }, { "comm", FIELD_CHARS16, 8 })),
	USER(RECORD_CPU_MAP, "CPU_MAP", META, 12, FIELDS({ "type", FIELD_U16, 8, VALUES("CPUS", "MASK", "RANGE") })),
	USER(RECORD_STAT_CONFIG, "STAT_CONFIG", STAT, 16, FIELDS({ "nr", FIELD_U64, 8 }),
	     ARRAY(8, 16, 16, { "tag", FIELD_U64, 0, VALUES("AGGR_MODE", "INTERVAL", "SCALE", "AGGR_LEVEL") },
		   { "val", FIELD_U64, 8 })),
	USER(RECORD_STAT, "STAT", STAT, 48,
	     FIELDS({ "id", FIELD_EVENT_ID, 8 }, { "cpu", FIELD_S32, 16 }, { "thread", FIELD_U32, 20 },
		    { "val", FIELD_U64, 24 }, { "ena", FIELD_U64, 32 }, { "run", FIELD_U64, 40 })),
	USER(RECORD_STAT_ROUND, "STAT_ROUND", STAT, 24,
	     FIELDS({ "type", FIELD_U64, 8, VALUES("INTERVAL", "FINAL") }, { "time", FIELD_TIME, 16 })),
	USER(RECORD_EVENT_UPDATE, "EVENT_UPDATE", META, 24,
	     FIELDS({ "type", FIELD_U64, 8, VALUES("UNIT", "SCALE", "NAME", "CPUS") }, { "id", FIELD_EVENT_ID, 16 })),
	USER(RECORD_TIME_CONV, "TIME_CONV", META, 32,
	     FIELDS({ "shift", FIELD_U64, 8 }, { "mult", FIELD_U64, 16 }, { "zero", FIELD_U64, 24 }),
	     .later = FIELDS({ "time_cycles", FIELD_U64, 32 }, { "time_mask", FIELD_HEX64, 40 },
			     { "cap_user_time_zero", FIELD_U8, 48 }, { "cap_user_time_short", FIELD_U8, 49 })),
	USER(RECORD_HEADER_FEATURE, "HEADER_FEATURE", META, 16, FIELDS({ "feat_id", FIELD_U64, 8 })),
	USER(RECORD_COMPRESSED, "COMPRESSED", META, 8, NULL),
	USER(RECORD_FINISHED_INIT, "FINISHED_INIT", META, 8, NULL),
	USER(RECORD_COMPRESSED2, "COMPRESSED2", META, 16, FIELDS({ "data_size", FIELD_U64, 8 })),
	USER(RECORD_BPF_METADATA, "BPF_METADATA", SIDEBAND, 32,
	     FIELDS({ "prog_name", FIELD_CHARS16, 8 }, { "nr", FIELD_U64, 24 }),
	     ARRAY(24, 32, 320, { "key", FIELD_CHARS64 }, { "value", FIELD_CHARS256, 64 })),
	USER(RECORD_SCHEDSTAT_CPU, "SCHEDSTAT_CPU", STAT, 24,
	     FIELDS(SCHEDSTAT, { "yld_count", FIELD_U32, 24 }, { "array_exp", FIELD_U32, 28 },
		    { "sched_count", FIELD_U32, 32 }, { "sched_goidle", FIELD_U32, 36 },
		    { "ttwu_count", FIELD_U32, 40 }, { "ttwu_local", FIELD_U32, 44 }, { "rq_cpu_time", FIELD_U64, 48 },
		    { "run_delay", FIELD_U64, 56 }, { "pcount", FIELD_U64, 64 })),
	USER(RECORD_SCHEDSTAT_DOMAIN, "SCHEDSTAT_DOMAIN", STAT, 24,
	     FIELDS(SCHEDSTAT, { "domain", FIELD_U16, 22 }), ARRAY(0, 24, 4, { "count", FIELD_U32 })),
};

/* simpleperf's own, from SIMPLEPERF_FIRST on, whose content is carried as it is. */
#define SIMPLEPERF(name_) { .name = "SIMPLEPERF_" name_, .kind = SONDE_KIND_OTHER, .min_size = 8 }

static const struct record_type simpleperf_types[] = {
	SIMPLEPERF("KERNEL_SYMBOL"), SIMPLEPERF("DSO"),       SIMPLEPERF("SYMBOL"),           SIMPLEPERF("SPLIT"),
	SIMPLEPERF("SPLIT_END"),     SIMPLEPERF("EVENT_ID"),  SIMPLEPERF("CALLCHAIN"),
	       SIMPLEPERF("UNWINDING_RESULT"),
	SIMPLEPERF("TRACING_DATA"),  SIMPLEPERF("DEBUG"),
};

const struct record_type *record_type_find(uint32_t type)
{
	if (type >= SIMPLEPERF_FIRST && type - SIMPLEPERF_FIRST < ARRAY_SIZE(simpleperf_types))
		return &simpleperf_types[type - SIMPLEPERF_FIRST];
	return type < ARRAY_SIZE(types) && types[type].name ? &types[type] : NULL;
}

size_t record_number_bytes(enum field_kind kind)
{
	static const uint8_t bytes[] = {
		[FIELD_U8] = 1, [FIELD_U16] = 2, [FIELD_U32] = 4, [FIELD_S32] = 4, [FIELD_HEX32] = 4, [FIELD_U64] = 8,
		[FIELD_S64] = 8, [FIELD_HEX64] = 8, [FIELD_TIME] = 8, [FIELD_EVENT_ID] = 8,
		[FIELD_STRING] = 0,
	};

	return bytes[kind];
}

size_t record_text_at(const struct record_type *type)
{
	for (const struct record_field *f = type->fields; f && f->name; f++)
		if (f->kind == FIELD_STRING)
			return f->at;
	return 0;
}

const char *sonde_event_type_name(uint32_t type)
{
	const struct record_type *row = record_type_find(type);

	return row ? row->name : NULL;
}
