// SPDX-License-Identifier: MIT
/*
 * cost_worker - sonde, run again and again from one process, so that valgrind starts once
 *
 * Linked with the objects of the command. Reads requests from fd 0: a number of bytes as uint32_t, then as many bytes,
 * the words of a command line, each with its NUL. A fork of this process runs each; the answer on fd 1 is its process
 * id and its wait status, two int32_t. valgrind follows a fork and counts on from what this process has run so far.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_WORDS 32

/* The linker calls the main of the command the first name, and the one below main (--wrap). */
int __real_main(int argc, char **argv);
int __wrap_main(void);

static char request[65536];

static bool read_all(void *buf, size_t n)
{
	char *at = buf;

	while (n > 0) {
		ssize_t got = read(0, at, n);

		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

static int run(size_t n)
{
	char *argv[MOST_WORDS + 1];
	int argc = 0, null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(null, 1);
	close(null);
	for (char *word = request; word < request + n && argc < MOST_WORDS; word += strlen(word) + 1)
		argv[argc++] = word;
	argv[argc] = NULL;
	return __real_main(argc, argv);
}

int __wrap_main(void)
{
	uint32_t n;

	while (read_all(&n, sizeof n) && n > 0 && n <= sizeof request && read_all(request, n) && request[n - 1] == 0) {
		int32_t answer[2];
		int status;

		answer[0] = fork();
		if (answer[0] == 0)
			exit(run(n));
		if (answer[0] < 0 || waitpid(answer[0], &status, 0) < 0)
			return 1;
		answer[1] = status;
		if (write(1, answer, sizeof answer) != sizeof answer)
			return 1;
	}
	return 0;
}
