/* SPDX-License-Identifier: MIT */
/* profile_self.c - a program that samples its own CPU time and counts the samples: profile_self */
#include <sonde/perf_recorder.h>
#include <sonde/trace.h>

#include <inttypes.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile double sum;

static void work(clock_t ticks)
{
	for (clock_t end = clock() + ticks; clock() < end;)
		for (int i = 1; i < 10000; i++)
			sum += 1.0 / i;
}

static void *run(void *recorder)
{
	sonde_perf_recorder_run(recorder);
	return NULL;
}

int main(void)
{
	const struct sonde_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
					 .sample_period = 1000000, .flags = SONDE_ATTR_EXCLUDE_KERNEL };
	FILE *file = tmpfile();
	int32_t self = getpid();
	struct sonde_perf_recorder_opts opts = { .sz = sizeof(opts), .pids = &self, .nr_pids = 1, .to_fd = true,
						 .output_fd = file ? fileno(file) : -1 };
	struct sonde_perf_recorder *r = sonde_perf_recorder_new();
	struct sonde_trace *t = sonde_trace_new();
	uint64_t samples = 0;
	const struct sonde_event *ev;
	struct sonde_iter *it;
	pthread_t thread;

	if (sonde_perf_recorder_add_attr(r, &attr, "task-clock:u") < 0 || sonde_perf_recorder_open(r, &opts) < 0) {
		fprintf(stderr, "%s\n", sonde_perf_recorder_error(r)->text);
		return 1;
	}
	pthread_create(&thread, NULL, run, r);
	work(CLOCKS_PER_SEC / 5);
	sonde_perf_recorder_enable(r, NULL, false);
	sonde_perf_recorder_stop(r);
	pthread_join(thread, NULL);
	lseek(opts.output_fd, 0, SEEK_SET);
	if (sonde_trace_open_fd(t, opts.output_fd, "samples", NULL) < 0) {
		fprintf(stderr, "%s\n", sonde_trace_error(t)->text);
		return 1;
	}
	it = sonde_iter_new(t, NULL);
	while (sonde_iter_next(it, &ev) > 0)
		samples += ev->kind == SONDE_KIND_SAMPLE && ev->pid == self;
	printf("%" PRIu64 " samples of myself\n", samples);
	sonde_iter_free(it);
	sonde_trace_free(t);
	sonde_perf_recorder_free(r);
	fclose(file);
	return 0;
}
