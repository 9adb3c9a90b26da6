/* SPDX-License-Identifier: MIT */
#include "tracedat/read/cpustat.h"

#include "base/str.h"
#include "tracedat/format/option.h"

static void lose(struct tracedat *f, uint64_t n, int32_t cpu, const char *what)
{
	if (n)
		ledger_add(&f->base.ledger, SONDE_LOSS_RECORDER, n, SONDE_NONE, SONDE_NONE, cpu, "%s", what);
}

static uint64_t decimal(struct sonde_str s)
{
	uint64_t v = 0;

	while (s.len && *s.p == ' ')
		str_skip(&s, 1);
	for (; s.len && *s.p >= '0' && *s.p <= '9'; str_skip(&s, 1))
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*s.p - '0'), &v))
			return UINT64_MAX;
	return v;
}

static int note_overrun(struct cpustats *s, uint64_t events)
{
	if (vec_push(&s->overruns, events) < 0)
		return -SONDE_NOMEM;
	return u64map_set(&s->overrun_of, (uint64_t)s->buffer << 32 | (uint32_t)s->cpu, (uint32_t)(s->overruns.n - 1));
}

static int take_line(struct tracedat *f, struct sonde_str line)
{
	struct cpustats *s = &f->cpustats;

	if (str_skip_prefix(&line, "Buffer: ")) {
		s->buffer = strpool_add(&s->buffers, line.p, line.len);
		return s->buffer == UINT32_MAX ? -SONDE_NOMEM : 0;
	}
	if (str_skip_prefix(&line, "CPU: ")) {
		s->cpu = (int32_t)decimal(line);
	} else if (str_skip_prefix(&line, "overrun: ")) {
		lose(f, decimal(line), s->cpu, CPUSTAT_OVERRUN);
		return note_overrun(s, decimal(line));
	} else if (str_skip_prefix(&line, "commit overrun: ")) {
		lose(f, decimal(line), s->cpu,
		     "{event|events} lost because interrupts filled the ring buffer while one was written (commit "
		     "overrun)");
	} else if (str_skip_prefix(&line, DAT_UNWRITTEN)) {
		lose(f, decimal(line), s->cpu, "{event|events} that the recorder could not write (was the disk full?)");
	} else if (str_skip_prefix(&line, "dropped events: ")) {
		lose(f, decimal(line), s->cpu, "{event|events} dropped because the ring buffer was full (a larger -b "
					       "helps)");
	}
	return 0;
}

int dat_cpustat_take(struct tracedat *f, struct cursor *c)
{
	struct sonde_str text = cur_str(c, cur_left(c));
	uint64_t at = c->at;
	int r = 0;

	if (str_is(text, DAT_UNFINISHED)) {
		ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, 1, at, SONDE_NONE, -1,
			   "recording was never finished (killed, or still recording): up to half a second of events, "
			   "names of tasks and counts of lost events are missing");
		return 0;
	}
	/* the main buffer, which has no name, comes first */
	if (f->cpustats.buffers.names.n == 0 && strpool_add(&f->cpustats.buffers, "", 0) == UINT32_MAX)
		return -SONDE_NOMEM;
	while (text.len && r == 0)
		r = take_line(f, str_take(&text, '\n'));
	return r;
}

bool dat_cpustat_lost(struct tracedat *f, const struct cpu_extent *r, uint64_t *events)
{
	const char *name = f->buffers.at[r->buffer].name;
	struct cpustats *s = &f->cpustats;
	uint32_t buffer = s->overruns.n ? strpool_add(&s->buffers, name, strlen(name)) : UINT32_MAX, i;

	i = buffer == UINT32_MAX ? U64MAP_NONE : u64map_get(&s->overrun_of, (uint64_t)buffer << 32 | (uint32_t)r->cpu);
	if (i != U64MAP_NONE)
		*events = s->overruns.at[i];
	return i != U64MAP_NONE;
}

void dat_cpustat_free(struct cpustats *s)
{
	strpool_free(&s->buffers);
	u64map_free(&s->overrun_of);
	vec_free(&s->overruns);
}
