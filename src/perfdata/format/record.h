/* SPDX-License-Identifier: MIT */
/*
 * record.h - the record types of a perf.data: one table, one row per type
 *
 * To add a type, add its row to the table in record.c; if its body has a struct in the API, a decoder to record_body.c.
 * Only a layout that depends on values of the record needs code: in record_fields.c, rewrite/byte_order.c.
 */
#ifndef PERFDATA_FORMAT_RECORD_H
#define PERFDATA_FORMAT_RECORD_H

#include <sonde/event.h>

#include "base/cursor.h"
#include "model/reader.h"

/* Kernel records (PERF_RECORD_* in <linux/perf_event.h>), also those newer than the headers we are compiled with. */
enum {
	RECORD_MMAP = 1, RECORD_LOST, RECORD_COMM, RECORD_EXIT, RECORD_THROTTLE, RECORD_UNTHROTTLE, RECORD_FORK,
	RECORD_READ,
	RECORD_SAMPLE, RECORD_MMAP2, RECORD_AUX, RECORD_ITRACE_START, RECORD_LOST_SAMPLES, RECORD_SWITCH,
	RECORD_SWITCH_CPU_WIDE, RECORD_NAMESPACES, RECORD_KSYMBOL, RECORD_BPF_EVENT, RECORD_CGROUP, RECORD_TEXT_POKE,
	RECORD_AUX_OUTPUT_HW_ID, RECORD_CALLCHAIN_DEFERRED,
/* Records of the recorder: tools/lib/perf/include/perf/event.h. */
	RECORD_USER = 64,
	RECORD_HEADER_ATTR = 64, RECORD_HEADER_EVENT_TYPE, RECORD_HEADER_TRACING_DATA, RECORD_HEADER_BUILD_ID,
	RECORD_FINISHED_ROUND, RECORD_ID_INDEX, RECORD_AUXTRACE_INFO, RECORD_AUXTRACE, RECORD_AUXTRACE_ERROR,
	RECORD_THREAD_MAP, RECORD_CPU_MAP, RECORD_STAT_CONFIG, RECORD_STAT, RECORD_STAT_ROUND, RECORD_EVENT_UPDATE,
	RECORD_TIME_CONV, RECORD_HEADER_FEATURE, RECORD_COMPRESSED, RECORD_FINISHED_INIT, RECORD_COMPRESSED2,
	RECORD_BPF_METADATA, RECORD_SCHEDSTAT_CPU, RECORD_SCHEDSTAT_DOMAIN,
	RECORD_HEADER_MAX,
/* Records of simpleperf. */
	SIMPLEPERF_FIRST = 32769,
};

enum { EVENT_UPDATE_UNIT, EVENT_UPDATE_SCALE, EVENT_UPDATE_NAME, EVENT_UPDATE_CPUS };  /* `type` of an EVENT_UPDATE */

#define COMPRESSED_ZSTD 1            /* `type` of the feature COMPRESSED */

/* A record cannot be larger: its size has 16 bits and is a multiple of 8. */
#define RECORD_BYTES_MAX 65528

#define MISC_CPUMODE_MASK 7
#define MISC_COMM_EXEC 0x2000
#define MISC_MMAP_BUILD_ID 0x4000

/* ID_INDEX: where its entries begin, and how large they are; after them, where there are guests, whose each is. */
#define ID_INDEX_AT 16
#define ID_INDEX_ENTRY_BYTES 32
#define ID_INDEX_MACHINE_BYTES 16

/* A record header as it lies in the file. */
struct record_header {
	uint32_t type;
	uint16_t misc, size;
};

static inline struct record_header record_header(const uint8_t *p, bool swap)
{
	return (struct record_header){ load_u32(p, swap), load_u16(p + 4, swap), load_u16(p + 6, swap) };
}

#define MMAP2_ID_AT 40               /* u8 size, three bytes of nothing, 20 for the id; or device and inode */

/*
 * Whether a MMAP2 has a build id. Recorders that knew the bit for something else, or not at all, have set it beside
 * device numbers: an id has 1 to 20 bytes.
 */
static inline bool record_has_build_id(const uint8_t *p, size_t n, const struct record_header *h)
{
	return h->type == RECORD_MMAP2 && h->misc & MISC_MMAP_BUILD_ID && n > MMAP2_ID_AT && p[MMAP2_ID_AT] &&
	       p[MMAP2_ID_AT] <= 20;
}

enum field_kind {
	FIELD_U8, FIELD_U16, FIELD_U32, FIELD_U64,   /* decimal */
	FIELD_S32, FIELD_S64,
	FIELD_HEX32, FIELD_HEX64,
	FIELD_TIME,                                  /* u64 of ns */
	FIELD_EVENT_ID,                              /* u64: the id of an event, decimal */
	FIELD_BYTES8,                                /* eight bytes in file order, shown in hex */
	FIELD_BUILD_ID,                              /* see MMAP2_ID_AT */
	/* texts */
	FIELD_CHARS16, FIELD_CHARS64, FIELD_CHARS256,  /* of so many bytes, cut at a NUL */
	FIELD_CHARS,                                 /* up to a NUL or the end of the body */
	FIELD_STRING,                                /* a NUL ends it before the body does */
};

/* Names of the values of a number, or of its bits. */
struct value_names {
	bool flags;
	uint8_t nr;
	const char *const *names;
};

struct record_field {
	const char *name;
	uint8_t kind;                /* enum field_kind */
	uint8_t at;                  /* from the start of the record, of an element in an array */
	const struct value_names *values;  /* NULL: the number is all there is to show */
};

/* Elements after the fixed part; a u64 may say how many. */
struct record_array {
	uint8_t count_at;            /* 0: they go on to the end */
	uint8_t at;
	uint16_t size;               /* of an element */
	const struct record_field *fields;
};

/* All that is known of the layout: it drives the dump, the checks, the byte order and the redaction. */
struct record_type {
	const char *name;            /* of the constant, without PERF_RECORD_ */
	uint8_t kind;                /* enum sonde_kind */
	uint16_t min_size;           /* of the record up to its variable part */
	bool trailer;                /* a sample_id trailer may end it */
	const struct record_field *fields;   /* end with a row of zeros, as all lists of fields; may be NULL */
	const struct record_field *with_id;  /* instead, of a record with a build id; may be NULL */
	const struct record_field *later;    /* of newer recorders: they are all there, or none; may be NULL */
	struct record_array array;   /* of size 0: there is none */
};

/* Bytes of a number, 0 for a field that is none. */
size_t record_number_bytes(enum field_kind kind);

/* Where the text begins that ends the body, 0 when there is none. */
size_t record_text_at(const struct record_type *type);

/* NULL for a type without a row. */
const struct record_type *record_type_find(uint32_t type);

#endif
