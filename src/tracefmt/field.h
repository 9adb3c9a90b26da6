/* SPDX-License-Identifier: MIT */
/* field.h - values of fields in the raw bytes of a record */
#ifndef TRACEFMT_FIELD_H
#define TRACEFMT_FIELD_H

#include "tracefmt/tracefmt.h"

/**
 * Fields by name and their values in the raw bytes of a record. Nothing is read beyond @raw; a field that does not fit
 * reads as 0 or as nothing, and the functions that return bool say so.
 */
const struct sonde_tracepoint_field *tracefmt_field(const struct tracefmt_event *e, const char *name);

/* An integer of 1, 2, 4 or 8 bytes, sign-extended if the field is signed. */
bool tracefmt_u64(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f, struct sonde_bytes raw,
		  uint64_t *out);
/* The bytes of any field; of a dynamic one those that it points to. */
bool tracefmt_bytes(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f, struct sonde_bytes raw,
		    struct sonde_bytes *out);
/* As above, up to the first NUL. */
bool tracefmt_string(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f, struct sonde_bytes raw,
		     struct sonde_str *out);
/* Element i of an array of integers; false past its end. */
bool tracefmt_element(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f, struct sonde_bytes raw,
		      uint64_t i, uint64_t *out);

/* Offsets of common_type, 2 bytes, and common_pid, 4 bytes: the same in all formats of a kernel. */
struct tracefmt_common {
	uint32_t type_at, pid_at;
};
struct tracefmt_common tracefmt_common_fields(const struct tracefmt *t);

#endif
