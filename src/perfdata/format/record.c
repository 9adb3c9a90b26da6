/* SPDX-License-Identifier: MIT */
#include "perfdata/format/record.h"

#define FIELDS(...) (const struct record_field[]){ __VA_ARGS__, { 0 } }
#define PID_TID { "pid", FIELD_S32, 8 }, { "tid", FIELD_S32, 12 }
#define TASK \
	{ "pid", FIELD_S32, 8 }, { "ppid", FIELD_S32, 12 }, { "tid", FIELD_S32, 16 }, { "ptid", FIELD_S32, 20 }, \
	{ "time", FIELD_TIME, 24 }
#define THROTTLE { "time", FIELD_TIME, 8 }, { "id", FIELD_U64, 16 }, { "stream_id", FIELD_U64, 24 }
#define MAPPING { "addr", FIELD_HEX64, 16 }, { "len", FIELD_HEX64, 24 }, { "pgoff", FIELD_HEX64, 32 }

#define KERNEL(id, name_, kind_, min, fields_) [id] = { .name = name_, .kind = SONDE_KIND_##kind_, .min_size = min, \
							 .trailer = (id) != RECORD_SAMPLE, .fields = fields_ }
#define USER(id, name_, kind_, min, fields_) [id] = { .name = name_, .kind = SONDE_KIND_##kind_, .min_size = min, \
						       .fields = fields_ }

static const struct record_type types[] = {
	KERNEL(RECORD_MMAP, "MMAP", SIDEBAND, 40, FIELDS(PID_TID, MAPPING, { "filename", FIELD_STRING, 40 })),
	KERNEL(RECORD_LOST, "LOST", LOSS, 24, FIELDS({ "id", FIELD_U64, 8 }, { "lost", FIELD_U64, 16 })),
	KERNEL(RECORD_COMM, "COMM", SIDEBAND, 16, FIELDS(PID_TID, { "comm", FIELD_STRING, 16 })),
	KERNEL(RECORD_EXIT, "EXIT", SIDEBAND, 32, FIELDS(TASK)),
	KERNEL(RECORD_THROTTLE, "THROTTLE", LOSS, 32, FIELDS(THROTTLE)),
	KERNEL(RECORD_UNTHROTTLE, "UNTHROTTLE", OTHER, 32, FIELDS(THROTTLE)),
	KERNEL(RECORD_FORK, "FORK", SIDEBAND, 32, FIELDS(TASK)),
	KERNEL(RECORD_READ, "READ", STAT, 16, FIELDS(PID_TID)),
	KERNEL(RECORD_SAMPLE, "SAMPLE", SAMPLE, 8, NULL),
	KERNEL(RECORD_MMAP2, "MMAP2", SIDEBAND, 72, NULL),
	KERNEL(RECORD_AUX, "AUX", AUX, 32,
	       FIELDS({ "aux_offset", FIELD_HEX64, 8 }, { "aux_size", FIELD_HEX64, 16 }, { "flags", FIELD_HEX64, 24 })),
	KERNEL(RECORD_ITRACE_START, "ITRACE_START", AUX, 16, FIELDS(PID_TID)),
	KERNEL(RECORD_LOST_SAMPLES, "LOST_SAMPLES", LOSS, 16, FIELDS({ "lost", FIELD_U64, 8 })),
	KERNEL(RECORD_SWITCH, "SWITCH", SIDEBAND, 8, NULL),
	KERNEL(RECORD_SWITCH_CPU_WIDE, "SWITCH_CPU_WIDE", SIDEBAND, 16,
	       FIELDS({ "next_prev_pid", FIELD_S32, 8 }, { "next_prev_tid", FIELD_S32, 12 })),
	KERNEL(RECORD_NAMESPACES, "NAMESPACES", SIDEBAND, 24, FIELDS(PID_TID, { "nr", FIELD_U64, 16 })),
	KERNEL(RECORD_KSYMBOL, "KSYMBOL", SIDEBAND, 24,
	       FIELDS({ "addr", FIELD_HEX64, 8 }, { "len", FIELD_U32, 16 }, { "ksym_type", FIELD_U16, 20 },
		      { "flags", FIELD_U16, 22 }, { "name", FIELD_STRING, 24 })),
	KERNEL(RECORD_BPF_EVENT, "BPF_EVENT", SIDEBAND, 24,
	       FIELDS({ "type", FIELD_U16, 8 }, { "flags", FIELD_U16, 10 }, { "id", FIELD_U32, 12 },
		      { "tag", FIELD_BYTES8, 16 })),
	KERNEL(RECORD_CGROUP, "CGROUP", SIDEBAND, 16, FIELDS({ "id", FIELD_U64, 8 }, { "path", FIELD_STRING, 16 })),
	KERNEL(RECORD_TEXT_POKE, "TEXT_POKE", SIDEBAND, 20,
	       FIELDS({ "addr", FIELD_HEX64, 8 }, { "old_len", FIELD_U16, 16 }, { "new_len", FIELD_U16, 18 })),
	KERNEL(RECORD_AUX_OUTPUT_HW_ID, "AUX_OUTPUT_HW_ID", AUX, 16, FIELDS({ "hw_id", FIELD_HEX64, 8 })),
	KERNEL(RECORD_CALLCHAIN_DEFERRED, "CALLCHAIN_DEFERRED", SIDEBAND, 24,
	       FIELDS({ "cookie", FIELD_HEX64, 8 }, { "nr", FIELD_U64, 16 })),

	USER(RECORD_HEADER_ATTR, "HEADER_ATTR", META, 8 + 64, NULL),
	USER(RECORD_HEADER_EVENT_TYPE, "HEADER_EVENT_TYPE", META, 16,
	     FIELDS({ "event_id", FIELD_U64, 8 }, { "name", FIELD_STRING, 16 })),
	USER(RECORD_HEADER_TRACING_DATA, "HEADER_TRACING_DATA", META, 12, FIELDS({ "size", FIELD_U32, 8 })),
	USER(RECORD_HEADER_BUILD_ID, "HEADER_BUILD_ID", META, 36,
	     FIELDS({ "pid", FIELD_S32, 8 }, { "filename", FIELD_STRING, 36 })),
	USER(RECORD_FINISHED_ROUND, "FINISHED_ROUND", META, 8, NULL),
	USER(RECORD_ID_INDEX, "ID_INDEX", META, 16, FIELDS({ "nr", FIELD_U64, 8 })),
	USER(RECORD_AUXTRACE_INFO, "AUXTRACE_INFO", AUX, 16, FIELDS({ "type", FIELD_U32, 8 })),
	USER(RECORD_AUXTRACE, "AUXTRACE", AUX, 48,
	     FIELDS({ "size", FIELD_HEX64, 8 }, { "offset", FIELD_HEX64, 16 }, { "reference", FIELD_HEX64, 24 },
		    { "idx", FIELD_U32, 32 }, { "tid", FIELD_S32, 36 }, { "cpu", FIELD_S32, 40 })),
	USER(RECORD_AUXTRACE_ERROR, "AUXTRACE_ERROR", AUX, 40,
	     FIELDS({ "type", FIELD_U32, 8 }, { "code", FIELD_U32, 12 }, { "cpu", FIELD_S32, 16 },
		    { "pid", FIELD_S32, 20 }, { "tid", FIELD_S32, 24 }, { "fmt", FIELD_U32, 28 },
		    { "ip", FIELD_HEX64, 32 })),
	USER(RECORD_THREAD_MAP, "THREAD_MAP", META, 16, FIELDS({ "nr", FIELD_U64, 8 })),
	USER(RECORD_CPU_MAP, "CPU_MAP", META, 12, FIELDS({ "type", FIELD_U16, 8 })),
	USER(RECORD_STAT_CONFIG, "STAT_CONFIG", STAT, 16, FIELDS({ "nr", FIELD_U64, 8 })),
	USER(RECORD_STAT, "STAT", STAT, 48,
	     FIELDS({ "id", FIELD_U64, 8 }, { "cpu", FIELD_S32, 16 }, { "thread", FIELD_U32, 20 },
		    { "val", FIELD_U64, 24 }, { "ena", FIELD_U64, 32 }, { "run", FIELD_U64, 40 })),
	USER(RECORD_STAT_ROUND, "STAT_ROUND", STAT, 24, FIELDS({ "type", FIELD_U64, 8 }, { "time", FIELD_TIME, 16 })),
	USER(RECORD_EVENT_UPDATE, "EVENT_UPDATE", META, 24, FIELDS({ "type", FIELD_U64, 8 }, { "id", FIELD_U64, 16 })),
	USER(RECORD_TIME_CONV, "TIME_CONV", META, 32,
	     FIELDS({ "shift", FIELD_U64, 8 }, { "mult", FIELD_U64, 16 }, { "zero", FIELD_U64, 24 })),
	USER(RECORD_HEADER_FEATURE, "HEADER_FEATURE", META, 16, FIELDS({ "feat_id", FIELD_U64, 8 })),
	USER(RECORD_COMPRESSED, "COMPRESSED", META, 8, NULL),
	USER(RECORD_FINISHED_INIT, "FINISHED_INIT", META, 8, NULL),
	USER(RECORD_COMPRESSED2, "COMPRESSED2", META, 16, FIELDS({ "data_size", FIELD_U64, 8 })),
	USER(RECORD_BPF_METADATA, "BPF_METADATA", SIDEBAND, 32,
	     FIELDS({ "prog_name", FIELD_CHARS16, 8 }, { "nr", FIELD_U64, 24 })),
	USER(RECORD_SCHEDSTAT_CPU, "SCHEDSTAT_CPU", STAT, 24,
	     FIELDS({ "timestamp", FIELD_TIME, 8 }, { "cpu", FIELD_U32, 16 }, { "version", FIELD_U16, 20 })),
	USER(RECORD_SCHEDSTAT_DOMAIN, "SCHEDSTAT_DOMAIN", STAT, 24,
	     FIELDS({ "timestamp", FIELD_TIME, 8 }, { "cpu", FIELD_U32, 16 }, { "version", FIELD_U16, 20 },
		    { "domain", FIELD_U16, 22 })),
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

const char *sonde_event_type_name(uint32_t type)
{
	const struct record_type *row = record_type_find(type);

	return row ? row->name : NULL;
}
