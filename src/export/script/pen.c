/* SPDX-License-Identifier: MIT */
/* pen.c - what samples and other records are written with */
#include "export/script/script.h"

const char *script_comm(const struct script *s, int32_t machine, int32_t pid, int32_t tid, char spare[16])
{
	const char *comm = tasks_comm(&s->tasks, machine, pid, tid);
	struct buf text = { .p = spare, .cap = 16, .fd = -1 };

	if (comm)
		return comm;
	buf_char(&text, ':');
	buf_i64(&text, tid);
	spare[text.n] = '\0';
	return spare;
}

struct pen script_pen(struct script *s)
{
	return (struct pen){ .script = s, .places = &s->places, .out = &s->out->text };
}
