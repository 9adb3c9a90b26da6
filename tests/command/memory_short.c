/* SPDX-License-Identifier: MIT */
/*
 * memory_short.c - a profile and its exports while allocations fail: said, or nothing amiss
 *
 * The allocator of this program refuses the n-th request, or the n-th and all after it, for every n at first and then
 * for some. Each run is a process of its own, in which either some function fails with a negative code, or everything
 * that is written is what a run with enough memory writes: nothing crashes, and nothing is left out without a word.
 */
#include <sonde/export.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EVERY = 1000, GROWTH = 12, OUTPUTS = 11 };

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static long asked, fail_at = -1;
static bool and_after;

static bool refuses(void)
{
	long n = __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);

	if (fail_at < 0 || !(and_after ? n >= fail_at : n == fail_at))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	return refuses() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return refuses() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return refuses() ? NULL : __libc_realloc(p, n);
}

/* Files that grow in memory; made before memory gets short. */
static int outputs[OUTPUTS];

static int export_all(const struct sonde_profile *p, const struct sonde_trace *t)
{
	static const struct { const char *format; bool graph, children; } how[OUTPUTS] = {
		{ "folded", false, false }, { "html", false, false },   { "json", true, true },
		{ "report", true, true },   { "report", false, false }, { "pprof", false, false },
		{ "otlp", false, false },   { "firefox", false, false }, { "speedscope", false, false },
		{ "svg", false, false },    { "callgrind", false, false },
	};
	struct sonde_error err = { .sz = sizeof(err) };

	for (size_t i = 0; i < OUTPUTS; i++) {
		struct sonde_report_opts report = { .sz = sizeof(report),
						    .graph = how[i].graph,
						    .children = how[i].children };
		struct sonde_export_opts opts = { .sz = sizeof(opts), .report = &report, .trace = t };
		struct sonde_output to = { .sz = sizeof(to), .fd = outputs[i] };

		if (sonde_export(p, how[i].format, &to, &opts, &err) < 0)
			return err.code ? 1 : 3;
	}
	return 0;
}

/* 0: all done, 1: something failed and said so, 3: something failed without a reason. */
static int run(const char *path)
{
	struct sonde_symbols_opts symbols = { .sz = sizeof(symbols) };
	struct sonde_profile_opts opts = { .sz = sizeof(opts), .symbols = &symbols, .mode = SONDE_PROFILE_STACKS,
					    .timed = true };
	struct sonde_trace *t = sonde_trace_new();
	struct sonde_profile *p = t ? sonde_profile_new(&opts) : NULL;
	int status = 1;

	if (t && p && sonde_trace_open(t, path, NULL) == 0) {
		status = sonde_profile_add(p, t, NULL) < 0 ? 1 : 0;
		if (status && !sonde_trace_error(t)->code)
			status = 3;
		/* also of a profile that is not whole: it may be refused, but not crash */
		status |= export_all(p, t);
	} else if (t && p && !sonde_trace_error(t)->code) {
		status = 3;
	}
	sonde_profile_free(p);
	sonde_trace_free(t);
	return status;
}

/* Forks a run whose n-th request fails; its exit status, and how many requests it made. */
static int try(const char *path, long n, long *made)
{
	int ends[2], status = 0;
	pid_t child;

	for (size_t i = 0; i < OUTPUTS; i++)
		if (ftruncate(outputs[i], 0) < 0 || lseek(outputs[i], 0, SEEK_SET) < 0)
			return -1;
	if (pipe(ends) < 0)
		return -1;
	child = fork();
	if (child == 0) {
		long all;
		int result;

		asked = 0;
		fail_at = n;
		result = run(path);
		fail_at = -1;
		all = asked;
		_exit(write(ends[1], &all, sizeof(all)) == sizeof(all) ? result : 2);
	}
	close(ends[1]);
	if (child < 0 || read(ends[0], made, sizeof(*made)) != sizeof(*made))
		*made = 0;
	close(ends[0]);
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct text {
	char *p;
	size_t n;
};

static struct text text_of(int fd)
{
	struct text t = { .n = (size_t)lseek(fd, 0, SEEK_END) };

	t.p = malloc(t.n + 1);
	if (!t.p || pread(fd, t.p, t.n, 0) != (ssize_t)t.n)
		abort();
	return t;
}

static bool are_whole(const struct text *whole)
{
	bool same = true;

	for (size_t i = 0; i < OUTPUTS; i++) {
		struct text now = text_of(outputs[i]);

		same &= now.n == whole[i].n && memcmp(now.p, whole[i].p, now.n) == 0;
		free(now.p);
	}
	return same;
}

int main(int argc, char **argv)
{
	const struct rlimit none = { 0, 0 };
	struct text whole[OUTPUTS];
	long all, made, tried = 0, wrong = 0;

	setrlimit(RLIMIT_CORE, &none);
	if (argc != 2)
		return 2;
	for (size_t i = 0; i < OUTPUTS; i++)
		outputs[i] = memfd_create("output", MFD_CLOEXEC);
	if (try(argv[1], -1, &all) != 0) {
		fprintf(stderr, "%s: cannot be exported at all\n", argv[1]);
		return 1;
	}
	for (size_t i = 0; i < OUTPUTS; i++)
		whole[i] = text_of(outputs[i]);
	for (int mode = 0; mode < 2; mode++) {
		and_after = mode;
		for (long n = 1; n <= all; n += n < EVERY ? 1 : n / GROWTH, tried++) {
			int status = try(argv[1], n, &made);

			if (status == 1 || (status == 0 && are_whole(whole)))
				continue;
			printf("request %ld of %ld%s fails: %s\n", n, all, and_after ? " and all after it" : "",
			       status == 0         ? "something is left out without a word" :
				       status == 3 ? "no reason is given" :
						     "a crash");
			wrong++;
		}
	}
	printf("%ld runs of %ld requests, %ld wrong\n", tried, all, wrong);
	return wrong ? 1 : 0;
}
