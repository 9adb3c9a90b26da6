/* SPDX-License-Identifier: MIT */
/* plugin_sched.c - sched_switch and sched_wakeup in trace-cmd's short form: "bash:1234 [120] R ==> swapper/0:0 [120]" */
#include "tracefmt/printer.h"

enum { PREV_PID, NEXT_PID, PREV_STATE, PREV_COMM, PREV_PRIO, NEXT_COMM, NEXT_PRIO };
enum { PID, COMM, PRIO, SUCCESS, TARGET_CPU };

/* Letters of kernels since 4.14; of others too for the states that tasks are really in when they are switched away from. */
static const char state_letters[] = "SDTtXZPI";

static void print_task(const struct printing *p, unsigned comm, unsigned pid)
{
	const char *known;
	struct sonde_str s = { 0 };
	int32_t number = (int32_t)printing_u64(p, pid);

	if (p->fields[comm] && tracefmt_string(p->event, p->fields[comm], p->raw, &s)) {
		out_text(p->out, (const uint8_t *)s.p, s.len);
	} else {
		known = tracefmt_comm(p->event->set, number);
		printing_str(p, known ? known : "<...>");
	}
	out_char(p->out, ':');
	out_signed(p->out, number);
}

static void print_prio(const struct printing *p, unsigned prio)
{
	out_put(p->out, " [", 2);
	out_signed(p->out, (int32_t)printing_u64(p, prio));
	out_char(p->out, ']');
}

static void print_state(struct out *o, uint64_t state)
{
	bool first = true;

	if (!(state & 0xff))
		out_char(o, 'R');
	for (unsigned bit = 0; bit < 8; bit++) {
		if (!(state >> bit & 1))
			continue;
		if (!first)
			out_char(o, '|');
		first = false;
		out_char(o, state_letters[bit]);
	}
}

bool print_sched_switch(const struct printing *p)
{
	print_task(p, PREV_COMM, PREV_PID);
	if (printing_has(p, PREV_PRIO))
		print_prio(p, PREV_PRIO);
	out_char(p->out, ' ');
	print_state(p->out, printing_u64(p, PREV_STATE));
	out_put(p->out, " ==> ", 5);
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
		out_signed(p->out, (int64_t)printing_u64(p, SUCCESS));
	}
	if (printing_has(p, TARGET_CPU)) {
		printing_str(p, " CPU:");
		out_integer(p->out, &cpu, 3, -1, printing_u64(p, TARGET_CPU));
	}
	return true;
}
