/* SPDX-License-Identifier: MIT */
#include "resolve/moment.h"

int moment_init(struct moment *m, struct jit_source *jit)
{
	int r;

	*m = (struct moment){ .version = 1 };
	r = tasks_init(&m->tasks);
	m->tasks.jit = jit;
	return r;
}

void moment_free(struct moment *m)
{
	tasks_free(&m->tasks);
}

int moment_apply(struct moment *m, const struct sonde_event *ev, const struct meta *meta)
{
	m->version++;
	return binaries_note_build_ids(&m->tasks.binaries, meta) < 0 ? -SONDE_NOMEM : tasks_apply(&m->tasks, ev);
}

struct moment_task *moment_look_up(struct moment *m, int32_t machine, int32_t pid, int32_t tid)
{
	struct moment_task *t = moment_slot(m, tid);

	*t = (struct moment_task){ .machine = machine,
				   .pid = pid,
				   .tid = tid,
				   .version = m->version,
				   .recording = m->tasks.recording,
				   .number = MOMENT_UNNUMBERED,
				   .roots = tasks_roots(&m->tasks, machine, pid),
				   .comm = tasks_comm(&m->tasks, machine, pid, tid) };
	return t;
}
