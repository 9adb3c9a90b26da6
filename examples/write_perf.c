/* SPDX-License-Identifier: MIT */
/* write_perf.c - write a perf.data with a thousand made-up samples: write_perf FILE */
#include <sonde/perf_writer.h>

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PID = 7, CHILD = 8, SAMPLES = 1000, EXIT_TIME = 1002 };

static struct sonde_str text(const char *s)
{
	struct sonde_str view = { s, strlen(s) };

	return view;
}

/* A process, the program that it runs, and a child. */
static int write_tasks(struct sonde_perf_writer *w)
{
	const struct sonde_perf_record rec = { .sz = sizeof(rec), .time = 1 };
	const struct sonde_comm comm = { .pid = PID, .tid = PID, .exec = true, .comm = text("clockwork") };
	const struct sonde_mmap program = { .pid = PID,
					    .tid = PID,
					    .addr = 0x400000,
					    .len = 0x10000,
					    .maj = 8,
					    .min = 1,
					    .ino = 42,
					    .prot = PROT_READ | PROT_EXEC,
					    .flags = MAP_PRIVATE,
					    .filename = text("/usr/bin/clockwork") };
	const struct sonde_task child = { .pid = CHILD, .ppid = PID, .tid = CHILD, .ptid = PID, .time = 1 };
	int r = sonde_perf_writer_comm(w, &rec, &comm, sizeof(comm));

	if (r == 0)
		r = sonde_perf_writer_mmap(w, &rec, &program, sizeof(program));
	return r < 0 ? r : sonde_perf_writer_fork(w, &rec, &child, sizeof(child));
}

/* Half of the samples are in the child; each has a call chain of two functions. */
static int write_samples(struct sonde_perf_writer *w)
{
	int r = 0;

	for (unsigned i = 0; i < SAMPLES && r == 0; i++) {
		const uint64_t chain[] = { PERF_CONTEXT_USER, 0x401000 + i % 16, 0x402000 };
		const int32_t pid = i % 2 ? CHILD : PID;
		const struct sonde_sample sample = { .ip = chain[1],
						     .pid = pid,
						     .tid = pid,
						     .time = 2 + i,
						     .cpu = (int32_t)(i % 4),
						     .period = 1000,
						     .callchain = chain,
						     .nr_callchain = 3 };

		r = sonde_perf_writer_sample(w, NULL, &sample, sizeof(sample));
	}
	return r;
}

static int write_exit(struct sonde_perf_writer *w)
{
	const struct sonde_perf_record rec = { .sz = sizeof(rec), .time = EXIT_TIME };
	const struct sonde_task child = { .pid = CHILD, .ppid = PID, .tid = CHILD, .ptid = PID, .time = EXIT_TIME };

	return sonde_perf_writer_exit(w, &rec, &child, sizeof(child));
}

int main(int argc, char **argv)
{
	const struct sonde_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
					 .sample_period = 1000,
					 .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
							PERF_SAMPLE_CALLCHAIN,
					 .flags = SONDE_ATTR_SAMPLE_ID_ALL };
	const uint64_t id = 1;
	struct sonde_perf_writer *w = sonde_perf_writer_new();
	int r;

	if (argc < 2 || !w)
		return 2;
	r = sonde_perf_writer_open(w, argv[1], NULL);
	if (r == 0)
		r = sonde_perf_writer_add_event(w, &attr, sizeof(attr), "cpu-clock", &id, 1);
	if (r == 0)
		r = write_tasks(w);
	if (r == 0)
		r = write_samples(w);
	if (r == 0)
		r = write_exit(w);
	if (r == 0)
		r = sonde_perf_writer_finish(w);
	if (r < 0)
		fprintf(stderr, "%s\n", sonde_perf_writer_error(w)->text);
	sonde_perf_writer_free(w);
	return r < 0;
}
