/* SPDX-License-Identifier: MIT */
/* source_text.h - the lines of source files, which are untrusted input of any size */
#ifndef ANALYZE_ANNOTATE_SOURCE_TEXT_H
#define ANALYZE_ANNOTATE_SOURCE_TEXT_H

#include <sonde/annotate.h>

#include "base/str.h"
#include "base/strpool.h"
#include "base/vec.h"

/* A file, or the knowledge that it is not there. */
struct source_text {
	const char *path;            /* as DWARF has it */
	VEC(char) bytes;             /* read, not mapped: an editor may cut the file short */
	VEC(uint32_t) starts;        /* of the lines; none: the file is not there */
	int64_t changed_s;           /* when it was last written */
	uint32_t shown;              /* the last line that was shown, for whoever shows them */
	const char *refused;         /* why the file may not be embedded; or NULL */
};

struct symbols;

/* Where files are looked for: fields of the options. */
struct source_texts {
	const struct sonde_annotate_opts *opts;
	const struct symbols *symbols;       /* borrowed: a bundle may have the file */
	struct source_lines *lines;          /* borrowed, of the binary: which files may be embedded */
	const struct binary *binary;
	struct strpool paths;
	VEC(struct source_text *) list;      /* by number of the path */
};

/* The file of a path, and the path as long as the texts; NULL when out of memory. */
struct source_text *source_texts_get(struct source_texts *s, const char *path);

/* A line from 1 on, without its end; false if there is none. */
bool source_text_line(const struct source_text *t, uint32_t line, struct sonde_str *out);

void source_texts_free(struct source_texts *s);

#endif
