/* SPDX-License-Identifier: MIT */
/*
 * sample.h - where the fields of a sample and of a sample_id trailer lie
 *
 * The layout follows from the attr alone and is compiled once: reading the time of a sample is one load. Order of the
 * fields: PERF_RECORD_SAMPLE in <linux/perf_event.h>, which is not the order of the bits.
 */
#ifndef PERFDATA_FORMAT_SAMPLE_H
#define PERFDATA_FORMAT_SAMPLE_H

#include <linux/perf_event.h>
#include "model/event.h"

#include "base/bytes.h"

/* Bits that may be newer than the headers we are compiled with. */
enum {
	SAMPLE_IP = 1 << 0, SAMPLE_TID = 1 << 1, SAMPLE_TIME = 1 << 2, SAMPLE_ADDR = 1 << 3, SAMPLE_READ = 1 << 4,
	SAMPLE_CALLCHAIN = 1 << 5, SAMPLE_ID = 1 << 6, SAMPLE_CPU = 1 << 7, SAMPLE_PERIOD = 1 << 8,
	SAMPLE_STREAM_ID = 1 << 9,
	SAMPLE_RAW = 1 << 10, SAMPLE_BRANCH_STACK = 1 << 11, SAMPLE_REGS_USER = 1 << 12, SAMPLE_STACK_USER = 1 << 13,
	SAMPLE_WEIGHT = 1 << 14, SAMPLE_DATA_SRC = 1 << 15, SAMPLE_IDENTIFIER = 1 << 16, SAMPLE_TRANSACTION = 1 << 17,
	SAMPLE_REGS_INTR = 1 << 18, SAMPLE_PHYS_ADDR = 1 << 19, SAMPLE_AUX = 1 << 20, SAMPLE_CGROUP = 1 << 21,
	SAMPLE_DATA_PAGE_SIZE = 1 << 22, SAMPLE_CODE_PAGE_SIZE = 1 << 23, SAMPLE_WEIGHT_STRUCT = 1 << 24,
};

enum {
	READ_ENABLED = 1 << 0, READ_RUNNING = 1 << 1, READ_ID = 1 << 2, READ_GROUP = 1 << 3, READ_LOST = 1 << 4,
};

#define BRANCH_CALL_STACK (UINT64_C(1) << 11)
#define BRANCH_HW_INDEX (UINT64_C(1) << 17)
#define BRANCH_COUNTERS (UINT64_C(1) << 19)

#define RECORD_HEADER_BYTES 8

/* Fields of fixed place. A place is a distance in bytes from the start of a sample, or from the end of another record;
 * 0: the field is not there. */
enum fixed_field { AT_IDENTIFIER, AT_IP, AT_TID, AT_TIME, AT_ADDR, AT_ID, AT_STREAM_ID, AT_CPU, AT_PERIOD, NR_FIXED };

struct sample_layout {
	uint8_t sample[NR_FIXED];    /* from the start of a SAMPLE record */
	uint8_t trailer[NR_FIXED];   /* back from the end of the others */
	uint8_t sample_bytes;        /* header and fixed fields: the least size of a SAMPLE */
	uint8_t trailer_bytes;       /* 0 without sample_id_all */
};

struct sample_layout sample_layout_compile(const struct sonde_attr *attr);

/**
 * sample_decode - every field of the SAMPLE record at @p
 * @size: of the record; @swap: not in host order; @big: recorded by a big-endian machine
 * Returns 0, or -SONDE_CORRUPT when a length inside lied: @out->present then lacks that field and all after it.
 */
int sample_decode(const uint8_t *p, size_t size, const struct sonde_attr *attr, bool swap, struct sample *out);

/* Whether all fields lie within the SAMPLE record at @p of @size bytes: what sample_decode() would say, cheaper. */
bool sample_is_whole(const uint8_t *p, size_t size, const struct sonde_attr *attr, const struct sample_layout *layout,
		     bool swap);

/* Every bit whose field has a known place. */
#define SAMPLE_KNOWN ((UINT64_C(1) << 25) - 1)

/* Where one field of a sample lies, with its count if it has one. */
struct sample_field {
	uint64_t bits;               /* of sample_type: SAMPLE_* */
	uint32_t at, bytes;          /* from the start of the record */
};
#define SAMPLE_FIELDS_MAX 25

/**
 * sample_fields - the fields of the SAMPLE record at @p, in their order, without gaps
 * Returns 0, or -SONDE_CORRUPT when a field does not fit: @out and @nr then have those before it.
 */
int sample_fields(const uint8_t *p, size_t size, const struct sonde_attr *attr, bool swap,
		 struct sample_field out[SAMPLE_FIELDS_MAX], size_t *nr);

/* Counts in the layout of read(2), of a SAMPLE or a READ record. False if they do not fit; *p moves past them. */
bool read_decode(const uint8_t **p, const uint8_t *end, uint64_t read_format, bool swap, struct read_counts *out);

#endif
