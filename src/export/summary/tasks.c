/* SPDX-License-Identifier: MIT */
#include "export/summary/tasks.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/summary/mmaps.h"

enum { NAMES_MARGIN = 28, MAPS_MARGIN = 4, LEVELS_SHOWN = 64 };  /* a file may claim any depth */

struct task_line {
	int32_t pid, tid, ppid;      /* ppid: the thread that made it; -1: not known */
	uint32_t first_child, next;  /* in the order of lines; number + 1 */
	bool shown;
};

struct task_tree {
	struct summary summary;
	struct summary_maps maps;
	bool with_maps;
	VEC(struct task_line) lines;
	struct u64map by_tid;
	VEC(struct open_line) open;
};

struct open_line { uint32_t line, level; };

static int note_task(struct task_tree *t, int32_t pid, int32_t tid, uint32_t *line)
{
	*line = u64map_get(&t->by_tid, (uint32_t)tid);
	if (*line != U64MAP_NONE)
		return 0;
	*line = (uint32_t)t->lines.n;
	if (vec_push(&t->lines, ((struct task_line){ .pid = pid, .tid = tid, .ppid = -1 })) < 0 ||
	    u64map_set(&t->by_tid, (uint32_t)tid, *line) < 0)
		return -SONDE_NOMEM;
	return 0;
}

static int tasks_event(struct summary *summary, const struct sonde_event *ev)
{
	struct task_tree *t = (struct task_tree *)summary;
	struct sonde_task task;
	struct sonde_comm comm;
	int32_t pid = ev->pid, tid = ev->tid;
	bool fork = ev->type == PERF_RECORD_FORK && event_task(ev, &task) == 0;
	uint32_t line;

	if (summary_maps_event(&t->maps, ev) < 0)
		return -SONDE_NOMEM;
	if (ev->machine_pid)
		return 0;
	if (fork) {
		pid = task.pid;
		tid = task.tid;
	} else if (ev->type == PERF_RECORD_COMM && event_comm(ev, &comm) == 0) {
		pid = comm.pid;
		tid = comm.tid;
	}
	if (pid < 0 || tid < 0)
		return 0;
	if (note_task(t, pid, tid, &line) < 0)
		return -SONDE_NOMEM;
	if (fork) {
		t->lines.at[line].pid = task.pid;
		t->lines.at[line].ppid = task.ptid;
	}
	return 0;
}

static int compare_lines(const void *x, const void *y)
{
	const struct task_line *a = x, *b = y;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

/*
 * Links children backwards, so that the lowest number comes first. A task without a known parent is a child of the
 * idle task, line 0.
 */
static int link_lines(struct task_tree *t)
{
	struct u64map at = { 0 };
	int r = 0;

	for (uint32_t i = 0; i < t->lines.n && r == 0; i++)
		r = u64map_set(&at, (uint32_t)t->lines.at[i].tid, i);
	for (uint32_t i = (uint32_t)t->lines.n; i-- > 1 && r == 0;) {
		uint32_t parent = t->lines.at[i].ppid < 0 ? 0 : u64map_get(&at, (uint32_t)t->lines.at[i].ppid);

		parent = parent == U64MAP_NONE || parent == i ? 0 : parent;
		t->lines.at[i].next = t->lines.at[parent].first_child;
		t->lines.at[parent].first_child = i + 1;
	}
	u64map_free(&at);
	return r;
}

static void put_line(struct task_tree *t, struct task_line *line, uint32_t level, struct buf *out)
{
	const char *comm = line->tid ? tasks_comm(&t->maps.tasks, 0, line->pid, line->tid) : "swapper";
	uint32_t margin = level < LEVELS_SHOWN ? level : LEVELS_SHOWN;

	line->shown = true;
	buf_printf(out, "%10d %8d %8d |", line->pid, line->tid, line->ppid);
	buf_pad(out, ' ', margin);
	if (comm)
		buf_text(out, comm, strlen(comm));
	else
		buf_printf(out, ":%d", line->tid);
	buf_char(out, '\n');
	if (t->with_maps && line->tid)
		summary_maps_put(&t->maps, line->pid, NAMES_MARGIN + margin + MAPS_MARGIN, out);
}

/* Prints a task, and all tasks below it. A loop of parents ends where it would begin again. */
static int put_tree(struct task_tree *t, uint32_t root, uint32_t level, struct buf *out)
{
	if (vec_push(&t->open, ((struct open_line){ root, level })) < 0)
		return -SONDE_NOMEM;
	while (t->open.n) {
		struct open_line o = t->open.at[--t->open.n];
		struct task_line *line = &t->lines.at[o.line];
		size_t first = t->open.n;

		if (line->shown)
			continue;
		put_line(t, line, o.level, out);
		for (uint32_t child = line->first_child; child; child = t->lines.at[child - 1].next)
			if (vec_push(&t->open, ((struct open_line){ child - 1, o.level + 1 })) < 0)
				return -SONDE_NOMEM;
		for (size_t i = first, k = t->open.n; i + 1 < k; i++) {  /* the first one is printed first */
			struct open_line swap = t->open.at[i];

			t->open.at[i] = t->open.at[--k];
			t->open.at[k] = swap;
		}
	}
	return 0;
}

static int tasks_put(struct summary *summary, struct buf *out)
{
	struct task_tree *t = (struct task_tree *)summary;
	int r;

	qsort(t->lines.at, t->lines.n, sizeof(*t->lines.at), compare_lines);
	r = link_lines(t);
	buf_printf(out, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	if (r == 0)
		r = put_tree(t, 0, 0, out);
	for (uint32_t i = 1; i < t->lines.n && r == 0; i++)
		if (!t->lines.at[i].shown)
			r = put_tree(t, i, 1, out);
	return r;
}

static void tasks_free_summary(struct summary *summary)
{
	struct task_tree *t = (struct task_tree *)summary;

	summary_maps_free(&t->maps);
	vec_free(&t->lines);
	vec_free(&t->open);
	u64map_free(&t->by_tid);
	free(t);
}

struct summary *summary_tasks_new(bool maps)
{
	struct task_tree *t = calloc(1, sizeof(*t));
	uint32_t idle;

	if (!t)
		return NULL;
	t->summary = (struct summary){ tasks_event, tasks_put, tasks_free_summary };
	t->with_maps = maps;
	if (tasks_init(&t->maps.tasks) < 0 || note_task(t, 0, 0, &idle) < 0) {
		tasks_free_summary(&t->summary);
		return NULL;
	}
	return &t->summary;
}
