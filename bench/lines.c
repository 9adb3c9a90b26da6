/* SPDX-License-Identifier: MIT */
/*
 * lines.c - how long it takes to index the DWARF of a file, and to find the frames of 10,000 addresses in the index
 *
 *	bench-lines [FILE]
 *
 * Without a FILE a program of some thousand functions is generated and compiled; with one, other programs find the
 * frames too. Frames that come from the index on disk are compared with those that come from the DWARF.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "symbol/elf/loads.h"
#include "symbol/source_lines.h"

enum { ADDRESSES = 10000, RUNS = 5, FUNCTIONS = 4000 };

static const double GOAL_MS = 50;

static char dir[] = "/tmp/sonde-bench-XXXXXX";
static uint64_t offsets[ADDRESSES], addresses[ADDRESSES];

static void die(const char *why)
{
	fprintf(stderr, "bench-lines: %s\n", why);
	exit(1);
}

static const char *in_dir(const char *name)
{
	static char paths[4][128];
	static int next;

	next = (next + 1) % 4;
	snprintf(paths[next], sizeof(paths[0]), "%s/%s", dir, name);
	return paths[next];
}

/* CPU time of this process, or of those that it has waited for. */
static double cpu_ms(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-3;
}

static const char *generate(void)
{
	FILE *f = fopen(in_dir("program.c"), "w");
	char command[512];

	if (!f)
		die("cannot write a program");
	fputs("extern volatile int sink;\nvolatile int sink;\n"
	      "static inline __attribute__((always_inline)) int low(int x)\n{\n\tsink = x;\n\treturn x + sink;\n}\n"
	      "static inline __attribute__((always_inline)) int high(int x)\n{\n\tif (x & 1)\n\t\tx = low(x);\n"
	      "\treturn low(x + 1);\n}\n", f);
	for (int i = 0; i < FUNCTIONS; i++)
		fprintf(f, "int function_%d(int x)\n{\n\tsink = %d;\n\tfor (int i = 0; i < x; i++)\n\t\tx += high(i);\n"
			"\treturn low(x);\n}\n", i, i);
	fputs("int main(void)\n{\n\treturn function_0(sink);\n}\n", f);
	fclose(f);
	snprintf(command, sizeof(command), "cc -O1 -g -Wl,--build-id -o %s %s", in_dir("program"), in_dir("program.c"));
	if (system(command))
		die("cannot compile a program");
	return in_dir("program");
}

/* Addresses of symbols, as a profile has them. */
static void choose(struct symbols *s, const struct binary *b)
{
	struct symtab *t = symbols_table(s, b);
	struct elf_loads loads;
	struct elf_file f;

	if (!t->n || elf_file_open(&f, b->name, NULL) < 0)
		die("no symbols");
	elf_loads_read(&loads, &f);
	elf_file_close(&f);
	srand(1);
	for (size_t i = 0; i < ADDRESSES;) {
		uint32_t k = (uint32_t)rand() % t->n;
		uint64_t start = symtab_start(t, k), end = symtab_end(t, k);

		if (start >= end)
			continue;
		offsets[i] = start + (uint64_t)rand() % (end - start);
		addresses[i] = offsets[i];
		i += elf_loads_address(&loads, offsets[i], &addresses[i]);
	}
}

struct sums { uint64_t frames, lines, text, covered; };

static bool same(const struct sums *a, const struct sums *b)
{
	return a->frames == b->frames && a->lines == b->lines && a->text == b->text && a->covered == b->covered;
}

static double find_all(struct binary *b, struct sums *sums)
{
	struct symbols *s = symbols_new(&(struct symbols_opts){ .cache_dir = in_dir("cache"), .buildid_dir = "" });
	struct source_lines *lines = source_lines_new(s);
	double began = cpu_ms(RUSAGE_SELF);

	*sums = (struct sums){ 0 };
	for (size_t i = 0; i < ADDRESSES; i++) {
		const struct source_frame *frames;
		size_t n = source_lines_find(lines, b, offsets[i], &frames);

		sums->covered += n > 0;
		for (size_t k = 0; k < n; k++) {
			sums->frames++;
			sums->lines = sums->lines * 31 + frames[k].line;
			for (const char *p = frames[k].function ? frames[k].function : ""; *p; p++)
				sums->text = sums->text * 31 + (uint8_t)*p;
			for (const char *p = frames[k].file ? frames[k].file : ""; *p; p++)
				sums->text = sums->text * 31 + (uint8_t)*p;
		}
	}
	began = cpu_ms(RUSAGE_SELF) - began;
	source_lines_free(lines);
	symbols_free(s);
	return began;
}

/* The same addresses by another program; 0: it is not installed. */
static double other(const char *program, const char *path)
{
	double began = cpu_ms(RUSAGE_CHILDREN);
	char command[512];
	FILE *f = fopen(in_dir("addresses"), "w");

	for (size_t i = 0; f && i < ADDRESSES; i++)
		fprintf(f, "0x%" PRIx64 "\n", addresses[i]);
	if (!f || fclose(f))
		die("cannot write addresses");
	snprintf(command, sizeof(command), "%s -f -i -e %s <%s >/dev/null 2>&1", program, path, in_dir("addresses"));
	return system(command) ? 0 : cpu_ms(RUSAGE_CHILDREN) - began;
}

static void clean(void)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		fprintf(stderr, "bench-lines: %s is left\n", dir);
}

int main(int argc, char **argv)
{
	static const char *const others[] = { "eu-addr2line", "addr2line", "llvm-addr2line" };
	struct binary b = { .kind = BINARY_FILE, .pid = -1 };
	struct sums first, again;
	struct symbols *s;
	double made, kept = 0;

	if (!mkdtemp(dir))
		die("no temporary directory");
	atexit(clean);
	b.name = argc > 1 ? argv[1] : strdup(generate());
	s = symbols_new(&(struct symbols_opts){ .cache_dir = "", .buildid_dir = "" });
	if (!s)
		die("out of memory");
	choose(s, &b);
	symbols_free(s);
	made = find_all(&b, &first);
	for (int run = 0; run < RUNS; run++) {
		double ms = find_all(&b, &again);

		if (!same(&first, &again))
			die("the index on disk has other frames");
		kept = run && kept < ms ? kept : ms;
	}
	if (first.covered < ADDRESSES / 2)
		die("the file has no DWARF for most of the addresses");
	printf("lines-make  %.1f ms  %" PRIu64 " frames of %d addresses\n", made, first.frames, ADDRESSES);
	printf("lines-kept  %.1f ms  %.2fx of %.0f ms\n", kept, GOAL_MS / kept, GOAL_MS);
	/* eu-addr2line takes minutes for the generated program: each address walks all of its one unit */
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(others); i++) {
		double ms = other(others[i], b.name);

		if (ms > 0)
			printf("lines-%s  %.1f ms  %.1fx of lines-make, %.1fx of lines-kept\n", others[i], ms,
			       ms / made, ms / kept);
	}
	return kept < GOAL_MS ? 0 : 1;
}
