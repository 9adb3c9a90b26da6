/* SPDX-License-Identifier: MIT */
#include <sonde/export.h>
#include <sonde/self_profile.h>

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static _Thread_local volatile double sum;
static atomic_bool go;

/* Of the calling thread. */
static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) void work_of_the_test(void);
__attribute__((noinline)) void work_of_the_test(void)
{
	for (double end = cpu_seconds() + 0.05; cpu_seconds() < end;)
		for (int i = 1; i < 10000; i++)
			sum += 1.0 / i;
}

/* Returns its number. */
static void *work(void *unused)
{
	(void)unused;
	while (!atomic_load(&go))
		usleep(1000);
	work_of_the_test();
	return (void *)syscall(SYS_gettid);
}

static bool has_task(const struct sonde_profile *p, long tid)
{
	for (size_t i = 0; i < sonde_profile_task_count(p); i++)
		if (sonde_profile_task_at(p, i)->tid == tid)
			return true;
	return false;
}

static uint64_t samples_of(struct sonde_profile *p, const char *symbol)
{
	uint64_t n = 0;

	for (size_t i = 0; i < sonde_profile_cell_count(p); i++) {
		const struct sonde_profile_cell *c = sonde_profile_cell_at(p, i);
		const struct sonde_profile_frame *f = sonde_profile_frame_at(p, c->frame);

		if (f->symbol && strcmp(f->symbol, symbol) == 0)
			n += c->samples;
	}
	return n;
}

/* Threads that exist, sanitizers' own among them. */
static size_t threads(long *tids, size_t max)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *d;
	size_t n = 0;

	assert_non_null(dir);
	while ((d = readdir(dir)) && n < max)
		if (d->d_name[0] != '.')
			tids[n++] = strtol(d->d_name, NULL, 10);
	closedir(dir);
	return n;
}

static bool has_tid(const long *tids, size_t n, long tid)
{
	while (n > 0 && tids[n - 1] != tid)
		n--;
	return n > 0;
}

/* The threads of the program, before and after the start, and no other ones. */
static void threads_are_sampled(void **state)
{
	struct sonde_self_profile *p;
	struct sonde_profile *profile;
	pthread_t earlier, later;
	void *earlier_tid, *later_tid;
	long tids[16];
	size_t n;

	(void)state;
	go = false;
	assert_int_equal(pthread_create(&earlier, NULL, work, NULL), 0);
	n = threads(tids, 15);
	p = sonde_self_profile_start(NULL);
	go = true;
	assert_int_equal(pthread_create(&later, NULL, work, NULL), 0);
	work_of_the_test();
	pthread_join(earlier, &earlier_tid);
	pthread_join(later, &later_tid);
	assert_non_null(p);
	profile = (struct sonde_profile *)sonde_self_profile_get(p);
	if (!profile) {
		print_message("not possible here: %s\n", sonde_self_profile_error(p)->text);
		sonde_self_profile_free(p);
		skip();
	}
	assert_true(has_task(profile, syscall(SYS_gettid)));
	assert_true(has_task(profile, (long)earlier_tid));
	assert_true(has_task(profile, (long)later_tid));
	tids[n++] = (long)later_tid;
	for (size_t i = 0; i < sonde_profile_task_count(profile); i++)
		assert_true(has_tid(tids, n, sonde_profile_task_at(profile, i)->tid));
	assert_true(samples_of(profile, "work_of_the_test") > 0);
	assert_int_equal(sonde_self_profile_stop(p), 0);  /* a second time */
	sonde_self_profile_free(p);
}

static int append(void *ctx, const void *text, size_t n)
{
	char *all = ctx;
	size_t used = strlen(all);

	n = n < 8191 - used ? n : 8191 - used;
	memcpy(all + used, text, n);
	all[used + n] = '\0';
	return 0;
}

static void the_table_names_functions(void **state)
{
	struct sonde_self_profile_opts opts = { .sz = sizeof(opts), .freq_hz = 10000, .no_callchains = true };
	static char text[8192];
	struct sonde_output to = { .sz = sizeof(to), .write = append, .ctx = text };
	struct sonde_self_profile *p = sonde_self_profile_start(&opts);
	int e;

	(void)state;
	assert_non_null(p);
	work_of_the_test();
	e = sonde_self_profile_print(p, &to);
	if (e < 0)
		print_message("not possible here: %s\n", sonde_self_profile_error(p)->text);
	else
		assert_non_null(strstr(text, "work_of_the_test"));
	sonde_self_profile_free(p);
}

static void options_are_checked(void **state)
{
	struct sonde_self_profile_opts no_size = { .freq_hz = 1000 },
				       too_often = { .sz = sizeof(too_often), .freq_hz = UINT64_C(1) << 40 };
	struct sonde_self_profile *p = sonde_self_profile_start(&no_size);

	(void)state;
	assert_int_equal(sonde_self_profile_stop(p), -SONDE_USAGE);
	sonde_self_profile_free(p);
	p = sonde_self_profile_start(&too_often);
	assert_int_equal(sonde_self_profile_print(p, NULL), -SONDE_USAGE);
	assert_string_equal(sonde_self_profile_error(p)->text, "freq_hz is larger than 1000000");
	assert_null(sonde_self_profile_get(p));
	sonde_self_profile_free(p);
	sonde_self_profile_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_sampled),
		cmocka_unit_test(the_table_names_functions),
		cmocka_unit_test(options_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
