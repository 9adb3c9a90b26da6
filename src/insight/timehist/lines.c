/* SPDX-License-Identifier: MIT */
#include "insight/timehist/lines.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "insight/timehist/rows.h"
#include "insight/timehist/summary.h"
#include "table/table_text.h"

enum { TASK_WIDTH = 30, PRIO_WIDTH = 8, TIME_WIDTH = 9, CPUS_SHOWN_MOST = 4096 };

struct line_writer {
	struct timehist *h;
	struct sonde_table *t;
	struct buf *out;
	struct buf line;             /* without its end; blanks at its end are cut */
	int task_width;
	int cpus;                    /* columns of CPUs */
};

static int64_t number(const struct line_writer *l, size_t row, size_t column, int64_t otherwise)
{
	const struct sonde_table_value *v = table_value(l->t, row, column);

	return v->known ? v->number : otherwise;
}

static const char *word(const struct line_writer *l, size_t row, size_t column)
{
	const struct sonde_table_value *v = table_value(l->t, row, column);

	return v->known ? v->text : "";
}

static void put(struct buf *b, const char *text, int width)
{
	buf_str_left(b, text, strlen(text), width);
}

static void put_right(struct buf *b, const char *text, int width)
{
	buf_str_right(b, text, strlen(text), width);
}

static void end_line(struct line_writer *l)
{
	while (l->line.n && l->line.p[l->line.n - 1] == ' ')
		l->line.n--;
	buf_char(&l->line, '\n');
	buf_take_failure(l->out, &l->line);
	buf_put(l->out, l->line.p, l->line.n);
	l->line.n = 0;
}

/* ---- heads ---- */

static void put_cpu_digits(struct line_writer *l)
{
	for (int i = 0; i < l->cpus; i++)
		buf_char(&l->line, "0123456789abcdef"[i % 16]);
	if (l->cpus)
		put(&l->line, "", 2);
}

static void put_rule(struct line_writer *l, int width)
{
	buf_pad(&l->line, '-', (size_t)width);
}

static void put_head(struct line_writer *l)
{
	const bool prio = l->h->opts.show_prio, state = l->h->opts.state;

	put_right(&l->line, "time", 15);
	put(&l->line, "    cpu  ", 9);
	put_cpu_digits(l);
	put(&l->line, "task name", l->task_width + 2);
	put(&l->line, prio ? "prio" : "", prio ? PRIO_WIDTH + 2 : 0);
	put(&l->line, "wait time  sch delay   run time", 31);
	put(&l->line, l->h->opts.pre_migrations ? "  pre-mig time" : "", 0);
	put(&l->line, state ? "  state" : "", 0);
	end_line(l);
	put(&l->line, "", 24 + (l->cpus ? l->cpus + 2 : 0));
	put(&l->line, "[tid/pid]", l->task_width + 2 + (prio ? PRIO_WIDTH + 2 : 0));
	put(&l->line, "   (msec)     (msec)     (msec)", 31);
	put(&l->line, l->h->opts.pre_migrations ? "     (msec)" : "", 0);
	end_line(l);
	put_rule(l, 15);
	put(&l->line, " ------  ", 9);
	put_rule(l, l->cpus);
	put(&l->line, "", l->cpus ? 2 : 0);
	put_rule(l, l->task_width);
	put(&l->line, prio ? "  --------" : "", 0);
	put(&l->line, "  ---------  ---------  ---------", 33);
	put(&l->line, l->h->opts.pre_migrations ? "  ---------" : "", 0);
	put(&l->line, state ? "  -----" : "", 0);
	end_line(l);
}

/* ---- lines ---- */

static void put_cpu_marks(struct line_writer *l, int64_t cpu, char mark)
{
	for (int i = 0; i < l->cpus; i++)
		buf_char(&l->line, i == cpu ? mark : ' ');
	if (l->cpus)
		put(&l->line, "", 2);
}

static void put_begin(struct line_writer *l, size_t row, char mark)
{
	const int64_t cpu = number(l, row, ROW_CPU, -1);

	text_time(&l->line, (uint64_t)number(l, row, ROW_TIME, 0), 15);
	buf_printf(&l->line, " [%04" PRId64 "]  ", cpu);
	put_cpu_marks(l, cpu, mark);
}

static void put_task(struct line_writer *l, size_t row, size_t column, const char *idle, int width)
{
	const struct sonde_table_value *v = table_value(l->t, row, column);
	const size_t begin = l->line.n;

	if (v->known && v->tid == 0)
		buf_str(&l->line, idle);
	else if (v->known)
		text_task(&l->line, v);
	if (l->line.n < begin + (size_t)width)
		buf_pad(&l->line, ' ', begin + (size_t)width - l->line.n);
}

static void put_prio(struct line_writer *l, size_t row)
{
	const int64_t prio = number(l, row, ROW_PRIO, 0), before = number(l, row, ROW_PRIO_BEFORE, prio);
	const size_t begin = l->line.n;

	if (before != prio)
		buf_printf(&l->line, "  %" PRId64 "->%" PRId64, before, prio);
	else
		buf_printf(&l->line, "  %" PRId64, prio);
	if (l->line.n < begin + PRIO_WIDTH + 2)
		buf_pad(&l->line, ' ', begin + PRIO_WIDTH + 2 - l->line.n);
}

static void put_time(struct line_writer *l, size_t row, size_t column)
{
	put(&l->line, "", 2);
	text_duration(&l->line, (uint64_t)number(l, row, column, 0), TIME_WIDTH);
}

/* The name alone and the thread, as the event has them. */
static void put_next(struct line_writer *l, size_t row)
{
	const struct sonde_table_value *v = table_value(l->t, row, ROW_OTHER);

	if (!v->known)
		return;
	buf_str(&l->line, "  next: ");
	if (v->tid) {
		buf_text(&l->line, v->text, strlen(v->text));
		buf_printf(&l->line, "[%" PRId32 "]", v->tid);
	} else {
		buf_printf(&l->line, "swapper/%" PRId64 "[0]", number(l, row, ROW_CPU, 0));
	}
}

static void put_stack(struct line_writer *l, size_t row)
{
	const struct sonde_table_value *v = table_value(l->t, row, ROW_STACK);

	if (!v->known)
		return;
	buf_str(&l->line, "    ");
	buf_text(&l->line, v->text, strlen(v->text));
}

static void put_switch(struct line_writer *l, size_t row)
{
	const bool idle = table_value(l->t, row, ROW_TASK)->tid == 0;
	char state[2];

	put_begin(l, row, idle ? 'i' : 's');
	put_task(l, row, ROW_TASK, "<idle>", l->task_width);
	if (l->h->opts.show_prio)
		put_prio(l, row);
	put_time(l, row, ROW_WAIT);
	put_time(l, row, idle ? ROW_WAIT : ROW_DELAY);  /* as perf; nobody is late where nobody can run */
	put_time(l, row, ROW_RUN);
	if (l->h->opts.pre_migrations)
		put_time(l, row, ROW_PRE_MIGRATION);
	state[0] = *word(l, row, ROW_STATE);
	state[1] = '\0';
	if (l->h->opts.state)
		put_right(&l->line, state, 7);
	if (l->h->opts.next)
		put_next(l, row);
	put_stack(l, row);
	end_line(l);
}

static void put_other(struct line_writer *l, size_t row, bool migrates)
{
	put_begin(l, row, migrates ? 'm' : ' ');
	put_task(l, row, ROW_TASK, "swapper", l->task_width);
	put(&l->line, "", (l->h->opts.show_prio ? PRIO_WIDTH + 2 : 0) +
			   (l->h->opts.pre_migrations ? 4 : 3) * (TIME_WIDTH + 2) + 2);
	buf_str(&l->line, migrates ? "migrated: " : "awakened: ");
	put_task(l, row, ROW_OTHER, "swapper", 0);
	if (migrates)
		buf_printf(&l->line, " cpu %" PRId64 " => %" PRId64, number(l, row, ROW_FROM_CPU, -1),
			   number(l, row, ROW_TO_CPU, -1));
	end_line(l);
}

static void put_loss(struct line_writer *l, size_t row)
{
	const struct sonde_table_value *v;

	text_time(&l->line, (uint64_t)number(l, row, ROW_TIME, 0), 15);
	v = table_value(l->t, row, ROW_LOST);
	if (v->known)
		buf_printf(&l->line, " lost %" PRId64 " events", v->number);
	else
		buf_str(&l->line, " lost events");
	v = table_value(l->t, row, ROW_CPU);
	if (v->known)
		buf_printf(&l->line, " on cpu %" PRId64, v->number);
	end_line(l);
}

static void put_row(struct line_writer *l, size_t row)
{
	switch (*word(l, row, ROW_EVENT)) {
	case 's': put_switch(l, row); break;
	case 'w': put_other(l, row, false); break;
	case 'm': put_other(l, row, true); break;
	default: put_loss(l, row);
	}
}

/* The columns have the same place in all lines. */
static void find_widths(struct line_writer *l)
{
	struct buf name = BUF_MEMORY;

	l->task_width = TASK_WIDTH;
	for (size_t row = 0; row < l->t->info.rows; row++) {
		const struct sonde_table_value *v = table_value(l->t, row, ROW_TASK);

		name.n = 0;
		if (v->known)
			text_task(&name, v);
		if ((int)name.n > l->task_width)
			l->task_width = (int)name.n;
	}
	buf_free(&name);
	if (l->h->opts.cpu_visual)
		l->cpus = l->h->states.cpus.n < CPUS_SHOWN_MOST ? (int)l->h->states.cpus.n : CPUS_SHOWN_MOST;
}

void lines_text(struct timehist *h, struct buf *out)
{
	struct line_writer l = { .h = h, .t = h->rows, .out = out, .line = BUF_MEMORY };

	find_widths(&l);
	put_head(&l);
	for (size_t row = 0; row < h->rows->info.rows && !out->failed; row++)
		put_row(&l, row);
	buf_free(&l.line);
}

/* ---- summary ---- */

static void put_table(struct sonde_table *t, struct buf *out)
{
	buf_printf(out, "\n%s\n", t->info.title);
	table_text(t, out);
}

/* Idle times of each CPU by stack, the longest first. */
static void put_idle_stacks(struct sonde_table *cpus, struct sonde_table *t, struct buf *out)
{
	const struct sonde_table_value *v;

	buf_printf(out, "\n%s:\n", t->info.title);
	for (size_t i = 0; i < cpus->info.rows; i++) {
		const int64_t cpu = table_value(cpus, i, CPU_NUMBER)->number;

		buf_printf(out, "  CPU %2" PRId64 ":", cpu);
		text_duration(out, (uint64_t)table_value(cpus, i, CPU_IDLE)->number, 10);
		buf_str(out, "  msec\n  Idle time (msec)     Count  Callchains\n  ----------------  --------  ");
		buf_pad(out, '-', 50);
		buf_char(out, '\n');
		for (size_t row = 0; row < t->info.rows; row++) {
			if (table_value(t, row, IDLE_CPU)->number != cpu)
				continue;
			text_duration(out, (uint64_t)table_value(t, row, IDLE_TIME)->number, 18);
			buf_printf(out, "  %8" PRId64 "  ", table_value(t, row, IDLE_COUNT)->number);
			v = table_value(t, row, IDLE_STACK);
			if (v->known)
				buf_text(out, v->text, strlen(v->text));
			else
				buf_str(out, "[unknown]");
			buf_char(out, '\n');
		}
		buf_char(out, '\n');
	}
}

static void put_idle(struct sonde_table *t, struct buf *out)
{
	buf_str(out, "\nIdle stats:\n");
	for (size_t row = 0; row < t->info.rows; row++) {
		buf_printf(out, "    CPU %2" PRId64 " idle for ", table_value(t, row, CPU_NUMBER)->number);
		text_duration(out, (uint64_t)table_value(t, row, CPU_IDLE)->number, 10);
		buf_printf(out, "  msec  (%6.2f%%)\n", table_value(t, row, CPU_SHARE)->share);
	}
}

static int64_t total(struct sonde_table *t, size_t column)
{
	const struct sonde_table_value *v = table_value(t, 0, column);

	return v ? v->number : 0;
}

static void put_totals(struct sonde_table *t, struct buf *out)
{
	const int64_t unknown = total(t, TOTAL_UNKNOWN);

	buf_printf(out, "\n    Total number of unique tasks: %" PRId64 "\n", total(t, TOTAL_TASKS));
	buf_printf(out, "Total number of context switches: %" PRId64 "\n", total(t, TOTAL_SWITCHES));
	buf_str(out, "           Total run time (msec): ");
	text_duration(out, (uint64_t)total(t, TOTAL_RUN), 0);
	buf_str(out, "\n    Total scheduling time (msec): ");
	text_duration(out, (uint64_t)total(t, TOTAL_SPAN), 0);
	buf_printf(out, "  (x %" PRId64 ")\n", total(t, TOTAL_CPUS));
	if (unknown)
		buf_printf(out, "      Switches of an unknown run: %" PRId64
			   " (its begin was not recorded, or events were lost)\n", unknown);
}

void lines_summary(struct timehist *h, struct buf *out)
{
	put_table(h->opts.idle ? h->idle_times : h->run_times, out);
	if (h->opts.state && !h->opts.idle)
		put_table(h->wait_times, out);
	put_idle(h->cpu_times, out);
	if (h->opts.idle && h->opts.stacks)
		put_idle_stacks(h->cpu_times, h->idle_by_stack, out);
	put_totals(h->totals, out);
}
