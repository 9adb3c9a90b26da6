/* SPDX-License-Identifier: MIT */
/*
 * many_samples FILE MILLIONS - writes a perf.data of that many million samples, as perf record -g -a: 16 CPUs, 64
 * threads, 4,000 stacks of 2,000 functions, in order of time
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CPUS = 16, TASKS = 64, MOST_FRAMES = 12, FUNCTIONS = 2000, STACKS = 4000, ROUND_RECORDS = 20000,
	ATTR_BYTES = 64, HEADER_BYTES = 104, DATA_AT = HEADER_BYTES + ATTR_BYTES + 16,
	SAMPLE_TYPE = 1 | 2 | 4 | 0x20 | 0x80 | 0x100,  /* ip, tid, time, callchain, cpu, period */
};

struct record {
	uint32_t type;
	uint16_t misc, size;
};
struct sample {
	struct record head;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, cpu_pad;
	uint64_t period, nr, ips[MOST_FRAMES];
};

static uint64_t data_bytes;

static uint32_t random_below(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(*seed >> 8) * n >> 24);
}

static void put(FILE *f, const void *p, size_t n)
{
	if (fwrite(p, 1, n, f) != n) {
		perror("many_samples");
		exit(1);
	}
	data_bytes += n;
}

/* A function has three callees, of which the first is the most frequent. */
static void put_sample(FILE *f, uint64_t i)
{
	static uint32_t seed = 1;
	struct sample s = { .head = { .type = 9, .misc = 2 }, .period = 250000 };
	uint32_t stack = random_below(&seed, 1 + random_below(&seed, STACKS));
	uint32_t function = 0, depth = 3 + random_below(&stack, MOST_FRAMES - 3);

	s.cpu = (uint32_t)(i % CPUS);
	s.pid = 1000 + (uint32_t)(i / 5000 + i) % TASKS / 8;
	s.tid = 2000 + (uint32_t)(i / 5000 + i) % TASKS;
	s.time = 1000000000 + i * (250000 / CPUS);
	s.nr = depth;
	for (uint32_t d = depth; d-- > 0;) {
		uint32_t turn = random_below(&stack, 8);

		function = (function * 3 + (turn < 5 ? 0 : turn - 4) + 1) % FUNCTIONS;
		s.ips[d] = 0x400000 + function * 64;
	}
	s.ip = s.ips[0];
	s.head.size = (uint16_t)(sizeof(s) - sizeof(s.ips) + depth * sizeof(s.ips[0]));
	put(f, &s, s.head.size);
}

int main(int argc, char **argv)
{
	const struct record mark = { .type = 68, .size = sizeof(mark) };
	uint64_t words[5 + 8] = { HEADER_BYTES, ATTR_BYTES + 16, HEADER_BYTES, ATTR_BYTES + 16, DATA_AT };
	uint64_t attr[ATTR_BYTES / 8 + 2] = { (uint64_t)ATTR_BYTES << 32 | 1, 0, 250000, SAMPLE_TYPE };
	uint64_t n = argc == 3 ? strtoull(argv[2], NULL, 10) * 1000000 : 0;
	FILE *f = n ? fopen(argv[1], "wb") : NULL;

	if (!f) {
		fprintf(stderr, "usage: many_samples FILE MILLIONS\n");
		return 2;
	}
	fseek(f, DATA_AT, SEEK_SET);
	for (uint64_t i = 0; i < n; i++) {
		put_sample(f, i);
		if ((i + 1) % ROUND_RECORDS == 0)
			put(f, &mark, sizeof(mark));
	}
	words[5] = data_bytes;
	rewind(f);
	put(f, "PERFILE2", 8);
	put(f, words, HEADER_BYTES - 8 < sizeof(words) ? HEADER_BYTES - 8 : sizeof(words));
	put(f, attr, sizeof(attr));
	return fclose(f) != 0;
}
