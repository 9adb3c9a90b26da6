/* SPDX-License-Identifier: MIT */
/* output.h - the output of lines, and the names of threads in them */
#ifndef EXPORT_SCRIPT_OUTPUT_H
#define EXPORT_SCRIPT_OUTPUT_H

#include "export/script/script.h"

/* An item of the pool. */
struct script_line {
	bool is_text;                /* already formatted: text_size bytes follow */
	bool is_head;                /* of the sample's event, only reader, evsel and raw_size are set */
	size_t text_size;
	struct script_moment sample; /* otherwise: the sample to format */
};

/* The means of the calling thread to format. */
struct sample_printer script_printer(struct script *s);

/* Makes the text of script_out an item. 0 or -SONDE_NOMEM. */
int script_put_text(struct script_out *out);

#define SCRIPT_NUMBER 32  /* memory for ":TID" */
const char *script_number(int32_t tid, char spare[SCRIPT_NUMBER]);

/* The name of a thread: ":TID" if it has none. Valid until the next call. */
const char *script_comm(const struct script *s, int32_t machine, int32_t pid, int32_t tid, char spare[SCRIPT_NUMBER]);

#endif
