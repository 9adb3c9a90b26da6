/* SPDX-License-Identifier: MIT */
#include "base/fd_io.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cmocka.h>

#define MANY (1u << 20)              /* more than a pipe holds */

static void nothing(int signal)
{
	(void)signal;
}

struct reading {
	pthread_t writer;
	int fd;
};

/* Takes a little at a time, and interrupts the writer in between. */
static void *read_slowly(void *arg)
{
	const struct reading *reading = arg;
	static char got[MANY];
	size_t n = 0;
	ssize_t r;

	while ((r = read(reading->fd, got + n, n + 50000 < MANY ? 50000 : MANY - n)) > 0) {
		n += (size_t)r;
		pthread_kill(reading->writer, SIGUSR1);
	}
	return n == MANY ? got : NULL;
}

static void all_of_it_however_it_is_interrupted(void **state)
{
	struct sigaction act = { .sa_handler = nothing };  /* no SA_RESTART */
	struct reading arg = { .writer = pthread_self() };
	uint8_t *p = malloc(MANY);
	pthread_t reader;
	void *got;
	int ends[2];

	(void)state;
	assert_non_null(p);
	for (size_t i = 0; i < MANY; i++)
		p[i] = (uint8_t)(i * 7 + i / 251);
	sigaction(SIGUSR1, &act, NULL);
	assert_int_equal(pipe(ends), 0);
	arg.fd = ends[0];
	assert_int_equal(pthread_create(&reader, NULL, read_slowly, &arg), 0);
	assert_int_equal(fd_write(ends[1], p, MANY), 0);
	close(ends[1]);
	pthread_join(reader, &got);
	assert_non_null(got);
	assert_memory_equal(got, p, MANY);
	close(ends[0]);
	free(p);
}

static void places_in_a_file(void **state)
{
	char path[] = "/tmp/sonde-test.XXXXXX", got[16] = "";
	int fd = mkstemp(path), bad = 1;

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(fd_write_at(fd, "there", 5, 100), 0);
	assert_int_equal(fd_write_at(fd, "here", 4, 0), 0);
	assert_int_equal(fd_read_at(fd, got, 4, 0, &bad), 4);
	assert_int_equal(bad, 0);
	assert_memory_equal(got, "here", 4);
	assert_int_equal(fd_read_at(fd, got, sizeof(got), 100, &bad), 5);
	assert_int_equal(bad, 0);
	assert_memory_equal(got, "there", 5);
	assert_int_equal(fd_read_at(fd, got, sizeof(got), 105, &bad), 0);
	assert_int_equal(bad, 0);
	close(fd);
	assert_int_equal(fd_write_at(fd, "x", 1, 0), EBADF);
	assert_int_equal(fd_write(fd, "x", 1), EBADF);
	assert_int_equal(fd_read_at(fd, got, 1, 0, &bad), 0);
	assert_int_equal(bad, EBADF);
}

static void waking_keeps_errno(void **state)
{
	struct pollfd p = { .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .events = POLLIN };

	(void)state;
	assert_true(p.fd >= 0);
	assert_int_equal(poll(&p, 1, 0), 0);
	errno = ENOENT;
	fd_wake(p.fd);
	assert_int_equal(poll(&p, 1, 0), 1);
	close(p.fd);
	fd_wake(p.fd);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_however_it_is_interrupted),
		cmocka_unit_test(places_in_a_file),
		cmocka_unit_test(waking_keeps_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
