/* SPDX-License-Identifier: MIT */
/* sched.c - sched_switch and sched_wakeup in trace-cmd's short form: "bash:1234 [120] R ==> swapper/0:0 [120]" */
#include "tracefmt/field.h"
#include "tracefmt/plugin/plugins.h"
#include "tracefmt/program.h"

enum { PREV_PID, NEXT_PID, PREV_STATE, PREV_COMM, PREV_PRIO, NEXT_COMM, NEXT_PRIO };
enum { PID, COMM, PRIO, SUCCESS, TARGET_CPU };

#define STATES 0xff                  /* others say why a task sleeps, not that it does */

static void print_task(const struct printing *p, unsigned comm, unsigned pid)
{
	const char *known;
	struct sonde_str s = { 0 };
	int32_t number = (int32_t)printing_u64(p, pid);

	if (p->fields[comm] && tracefmt_string(p->event, p->fields[comm], p->raw, &s)) {
		seq_text(p->out, (const uint8_t *)s.p, s.len);
	} else {
		known = tracefmt_comm(p->event->set, number);
		printing_str(p, known ? known : "<...>");
	}
	seq_char(p->out, ':');
	seq_signed(p->out, number);
}

static void print_prio(const struct printing *p, unsigned prio)
{
	seq_put(p->out, " [", 2);
	seq_signed(p->out, (int32_t)printing_u64(p, prio));
	seq_char(p->out, ']');
}

/* Letters of states differ between kernels: those of the event's own print format are taken. */
static char state_letter(const struct tracefmt_program *program, uint64_t state)
{
	for (size_t i = 0; program && i < program->nr_calls; i++) {
		const struct program_call *call = &program->calls[i];

		for (uint32_t n = 0; call->call == CALL_FLAGS && n < call->nr_names; n++)
			if (program->names[call->names + n].value == state && program->names[call->names + n].name.len)
				return program->names[call->names + n].name.p[0];
	}
	return '?';
}

static void print_state(const struct printing *p, uint64_t states)
{
	bool first = true;

	if (!(states & STATES))
		seq_char(p->out, 'R');
	for (uint64_t state = 1; state <= STATES; state <<= 1) {
		if (!(states & state))
			continue;
		if (!first)
			seq_char(p->out, '|');
		first = false;
		seq_char(p->out, state_letter(p->program, state));
	}
}

bool print_sched_switch(const struct printing *p)
{
	print_task(p, PREV_COMM, PREV_PID);
	if (printing_has(p, PREV_PRIO))
		print_prio(p, PREV_PRIO);
	seq_char(p->out, ' ');
	print_state(p, printing_u64(p, PREV_STATE));
	seq_put(p->out, " ==> ", 5);
	print_task(p, NEXT_COMM, NEXT_PID);
	if (printing_has(p, NEXT_PRIO))
		print_prio(p, NEXT_PRIO);
	return true;
}

bool print_sched_wakeup(const struct printing *p)
{
	const struct conversion cpu = { .letter = 'u', .size = 4, .zero = true };

	print_task(p, COMM, PID);
	if (printing_has(p, PRIO))
		print_prio(p, PRIO);
	if (printing_has(p, SUCCESS)) {
		printing_str(p, " success=");
		seq_signed(p->out, (int64_t)printing_u64(p, SUCCESS));
	}
	if (printing_has(p, TARGET_CPU)) {
		printing_str(p, " CPU:");
		seq_integer(p->out, &cpu, 3, -1, printing_u64(p, TARGET_CPU));
	}
	return true;
}
