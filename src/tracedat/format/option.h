/* SPDX-License-Identifier: MIT */
/* option.h - the options of a trace.dat: one row each; an option without a row is carried as it is */
#ifndef TRACEDAT_FORMAT_OPTION_H
#define TRACEDAT_FORMAT_OPTION_H

#include "model/meta.h"

#include "base/buf.h"
#include "base/cursor.h"
#include "tracedat/format/ids.h"

struct dat_option {
	const char *name;            /* NULL: no such option */
	/* Prints its value as text; NULL: the value is text. */
	void (*show)(struct buf *out, struct cursor *c);
	bool version_7;              /* only there */
};

/* NULL for an id without a row. */
const struct dat_option *dat_option_find(uint32_t id);

/* Whether the option says where a section of the same id is; SECTION_BUFFER does so too, and says more. */
bool dat_option_points(uint32_t id);

/* Whether sections of this id are known. */
bool dat_section_is_known(uint16_t id);

/* The number of CPUs that CPUCOUNT states; 0 for another option, and for more CPUs than there can be. */
#define DAT_CPUS_MAX 65536
uint32_t dat_option_cpus(uint16_t id, struct sonde_bytes data, bool swap);

/* The name of a section for messages: never NULL. */
const char *dat_section_name(uint16_t id);

/* The description of a section in a file, as trace-cmd writes it; buffers have their name after it. "": none. */
const char *dat_section_title(uint16_t id);

#endif
