/* SPDX-License-Identifier: MIT */
/* live_samples.c - print the functions of a command while it runs: live_samples COMMAND [ARGUMENT...] */
#include <sonde/perf_recorder.h>
#include <sonde/symbol.h>

#include <inttypes.h>
#include <stdio.h>

static int print(void *ctx, const struct sonde_event *ev, const struct sonde_live *live)
{
	const struct sonde_frame *f;
	const struct sonde_lost *lost;

	(void)ctx;
	if (ev->kind == SONDE_KIND_LOSS && sonde_event_lost(ev, &lost) == 0)
		printf("%" PRIu64 " lost\n", lost->lost);
	if (ev->kind == SONDE_KIND_SAMPLE &&
	    sonde_symbols_resolve_of(live->symbols, live->tasks, ev, ev->cpumode, ev->ip, &f) == 0)
		printf("%d %" PRIu64 " ns %s\n", ev->tid, ev->time, f->symbol ? f->symbol : "?");
	return 0;
}

int main(int argc, char **argv)
{
	struct sonde_perf_recorder_opts opts = { .sz = sizeof(opts),
						 .target = { .command = (const char *const *)argv + 1 },
						 .calls = { .event = print, .symbols = true } };
	struct sonde_perf_recorder *r = sonde_perf_recorder_new();
	int e = argc > 1 && r ? sonde_perf_recorder_add_event(r, "task-clock/period=1000000/u") : -SONDE_USAGE;

	if (e == 0)
		e = sonde_perf_recorder_open(r, &opts);
	if (e == 0)
		e = sonde_perf_recorder_run(r);
	if (e < 0)
		fprintf(stderr, "%s\n", r ? sonde_perf_recorder_error(r)->text : "out of memory");
	sonde_perf_recorder_free(r);
	return e < 0;
}
