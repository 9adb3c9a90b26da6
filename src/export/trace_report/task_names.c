/* SPDX-License-Identifier: MIT */
#include "export/trace_report/task_names.h"

#include "tracefmt/field.h"

#define COMM_WIDTH 16
#define LATENCY_COMM_WIDTH 8
#define PID_WIDTH 5

void report_names_free(struct report_names *n)
{
	buf_free(&n->column);
	vec_free(&n->tasks);
	u64map_free(&n->by_pid);
	arena_free(&n->arena);
}

static void put_column(struct buf *out, const struct report_names *n, struct sonde_str comm, int32_t pid)
{
	size_t width = n->latency ? LATENCY_COMM_WIDTH : COMM_WIDTH, len = comm.len, before;

	if (n->latency && len > width)
		len = width;
	if (len < width)
		buf_pad(out, ' ', width - len);
	buf_text(out, comm.p, len);
	buf_char(out, '-');
	before = out->n;
	buf_i64(out, pid);
	if (out->n - before < PID_WIDTH)
		buf_pad(out, ' ', PID_WIDTH - (out->n - before));
}

static struct report_task *make_task(struct report_names *n, int32_t pid, struct sonde_str comm, bool named)
{
	struct report_task *t;
	struct buf *text = &n->column;

	text->n = 0;
	put_column(text, n, comm, pid);
	if (text->failed)
		return NULL;
	t = arena_alloc(&n->arena, sizeof(*t) + (text->n < REPORT_COPY ? REPORT_COPY : text->n));
	if (!t)
		return NULL;
	t->comm = arena_strndup(&n->arena, comm.p, comm.len);
	t->len = (uint32_t)text->n;
	t->named = named;
	memcpy(t->text, text->p, text->n);
	return t->comm ? t : NULL;
}

static const struct report_task *add_task(struct report_names *n, int32_t pid, struct sonde_str comm, bool named)
{
	struct report_task *t = make_task(n, pid, comm, named);

	if (!t || vec_push(&n->tasks, t) < 0 || u64map_set(&n->by_pid, (uint32_t)pid, (uint32_t)(n->tasks.n - 1)) < 0)
		return NULL;
	return t;
}

const struct report_task *report_task(struct report_names *n, int32_t pid)
{
	uint32_t i = u64map_get(&n->by_pid, (uint32_t)pid);

	if (i != U64MAP_NONE)
		return n->tasks.at[i];
	if (pid == 0)
		return add_task(n, pid, (struct sonde_str){ "<idle>", 6 }, true);
	return add_task(n, pid, (struct sonde_str){ "<...>", 5 }, false);
}

int report_name_task(struct report_names *n, int32_t pid, struct sonde_str comm)
{
	uint32_t i = u64map_get(&n->by_pid, (uint32_t)pid);
	bool named = i != U64MAP_NONE ? n->tasks.at[i]->named : pid == 0;

	/* lines that are being formatted keep the old text */
	return named || add_task(n, pid, comm, true) ? 0 : -SONDE_NOMEM;
}

struct report_naming report_naming_of(const struct tracefmt_event *e)
{
	/* the fields of scheduling and task events that name a task: one or two of these pairs */
	static const char *const pairs[][2] = {
		{ "prev_pid", "prev_comm" },   { "next_pid", "next_comm" }, { "parent_pid", "parent_comm" },
		{ "child_pid", "child_comm" }, { "pid", "newcomm" },        { "pid", "comm" }
	};
	struct report_naming how = { 0 };
	size_t n = 0;

	if (strcmp(e->system, "sched") != 0 && strcmp(e->system, "task") != 0)
		return how;
	for (size_t i = 0; i < ARRAY_SIZE(pairs) && n < ARRAY_SIZE(how.pid); i++) {
		how.pid[n] = tracefmt_field(e, pairs[i][0]);
		how.comm[n] = tracefmt_field(e, pairs[i][1]);
		n += how.pid[n] && how.comm[n];
	}
	if (n < ARRAY_SIZE(how.pid))
		how.pid[n] = how.comm[n] = NULL;
	return how;
}

int report_names_learn(struct report_names *n, const struct report_naming *how, const struct tracefmt_event *e,
		       struct sonde_bytes record)
{
	for (size_t i = 0; i < 2; i++) {
		struct sonde_str comm;
		uint64_t pid;

		if (how->pid[i] && how->comm[i] && tracefmt_u64(e, how->pid[i], record, &pid) &&
		    tracefmt_string(e, how->comm[i], record, &comm) && report_name_task(n, (int32_t)pid, comm) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}
