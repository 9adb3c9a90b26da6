/* SPDX-License-Identifier: MIT */
/* ksyms.h - the functions of the recorded kernel by address: the text of /proc/kallsyms */
#ifndef TRACEFMT_KSYMS_H
#define TRACEFMT_KSYMS_H

#include "base/vec.h"
#include <sonde/types.h>

struct ksyms {
	struct sonde_str text;       /* the names point into it */
	VEC(struct ksym) at;       /* by address */
	uint64_t text_start, text_end;   /* _text and _end: of the kernel without its modules; 0: not known */
};

struct ksym {
	uint64_t address;
	uint32_t name, len;          /* in the text */
};

/* @text stays as long as @s does. 0 or -SONDE_NOMEM; lines that make no sense are passed over. */
int ksyms_parse(struct ksyms *s, struct sonde_str text);
void ksyms_free(struct ksyms *s);

/* The symbol at or below an address. Behind the last one nothing is known, since no symbol says where it ends. */
bool ksyms_find(const struct ksyms *s, uint64_t address, struct sonde_str *name, uint64_t *offset);

#endif
