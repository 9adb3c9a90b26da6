/* SPDX-License-Identifier: MIT */
/* output.h - where lines are put, and the names of threads in them */
#ifndef EXPORT_SCRIPT_OUTPUT_H
#define EXPORT_SCRIPT_OUTPUT_H

#include "export/script/script.h"

/* An item of the pool. */
struct script_line {
	bool is_text;                /* formatted already: text_size bytes come with it */
	size_t text_size;
	struct script_moment sample; /* if it is none */
};

/* To format with on the calling thread. */
struct printer script_printer(struct script *s);

/* The text of script_out becomes an item. 0 or -SONDE_NOMEM. */
int script_put_text(struct script_out *out);

/* ":TID", in spare. */
const char *script_number(int32_t tid, char spare[16]);

/* Some thread's name: ":TID" if it has none. Valid until the next call. */
const char *script_comm(const struct script *s, int32_t machine, int32_t pid, int32_t tid, char spare[16]);

#endif
