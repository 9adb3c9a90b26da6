/* SPDX-License-Identifier: MIT */
#include "resolve/moment.h"

int moment_init(struct moment *m, struct jit_source *jit)
{
	int r;

	*m = (struct moment){ .version = 1, .newest = 1 };
	r = tasks_init(&m->tasks);
	m->tasks.jit = jit;
	return r;
}

void moment_free(struct moment *m)
{
	tasks_free(&m->tasks);
	vec_free(&m->versions);
}

int moment_turn_to(struct moment *m, uint32_t recording)
{
	uint32_t before = m->tasks.recording, most = recording > before ? recording : before;

	if (recording == before)
		return 0;
	while (m->versions.n <= most)
		if (vec_push(&m->versions, 0) < 0)
			return -SONDE_NOMEM;
	if (tasks_turn_to(&m->tasks, recording) < 0)
		return -SONDE_NOMEM;
	m->versions.at[before] = m->version;
	m->version = m->versions.at[recording];
	if (!m->version)
		moment_changed(m);
	return 0;
}

int moment_restart(struct moment *m)
{
	moment_changed(m);
	return tasks_restart(&m->tasks);
}

int moment_apply(struct moment *m, const struct sonde_event *ev, const struct meta *meta)
{
	moment_changed(m);
	if (binaries_note_build_ids(&m->tasks.binaries, meta) < 0)
		return -SONDE_NOMEM;
	return m->history ? maps_history_apply(m->history, &m->tasks, ev) : tasks_apply(&m->tasks, ev);
}

struct moment_task *moment_look_up(struct moment *m, int32_t machine, int32_t pid, int32_t tid)
{
	struct moment_task *t = moment_slot(m, tid);

	*t = (struct moment_task){ .machine = machine,
				   .pid = pid,
				   .tid = tid,
				   .version = m->version,
				   .number = MOMENT_UNNUMBERED,
				   .roots = tasks_roots(&m->tasks, machine, pid),
				   .comm = tasks_comm(&m->tasks, machine, pid, tid) };
	return t;
}
