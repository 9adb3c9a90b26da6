/* SPDX-License-Identifier: MIT */
/*
 * workload.c - a program worth profiling, for `./dev demo` and the tests of the recorder
 *
 * About two seconds of functions that a profile shows by name, in two threads: hashing, sorting, matrices, recursion,
 * and system calls. An argument scales the time: `workload 0.1` runs a tenth of it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

#define HASH_BYTES   (1 << 16)
#define SORT_COUNT   20000
#define MATRIX_SIDE  96
#define FIB_DEPTH    24
#define COPY_BYTES   4096
#define COPY_COUNT   400

static volatile uint64_t result;  /* for the compiler: what is computed is wanted */

struct worker {
	double seconds;
	uint64_t sum;
};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static NOINLINE uint64_t hash_block(const unsigned char *p, size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}

static NOINLINE uint64_t do_hashing(uint64_t *state)
{
	unsigned char *block = malloc(HASH_BYTES);
	uint64_t sum = 0;

	if (!block)
		abort();
	for (size_t i = 0; i < HASH_BYTES; i++)
		block[i] = (unsigned char)next_random(state);
	for (int i = 0; i < 8; i++)
		sum += hash_block(block, HASH_BYTES);
	free(block);
	return sum;
}

/* Sorts by merging. Not qsort(): functions inside of the C library have names only where its debug package is. */
static NOINLINE void merge_sort(uint64_t *v, uint64_t *spare, size_t n)
{
	const size_t half = n / 2;
	size_t left = 0, right = half;

	if (n < 2)
		return;
	merge_sort(v, spare, half);
	merge_sort(v + half, spare, n - half);
	for (size_t i = 0; i < n; i++)
		spare[i] = right == n || (left < half && v[left] <= v[right]) ? v[left++] : v[right++];
	for (size_t i = 0; i < n; i++)
		v[i] = spare[i];
}

static NOINLINE uint64_t do_sorting(uint64_t *state)
{
	uint64_t *v = malloc(2 * SORT_COUNT * sizeof(*v)), median;

	if (!v)
		abort();
	for (size_t i = 0; i < SORT_COUNT; i++)
		v[i] = next_random(state);
	merge_sort(v, v + SORT_COUNT, SORT_COUNT);
	median = v[SORT_COUNT / 2];
	free(v);
	return median;
}

static NOINLINE void multiply_matrices(const double *a, const double *b, double *c)
{
	for (int i = 0; i < MATRIX_SIDE; i++)
		for (int j = 0; j < MATRIX_SIDE; j++) {
			double sum = 0;

			for (int k = 0; k < MATRIX_SIDE; k++)
				sum += a[i * MATRIX_SIDE + k] * b[k * MATRIX_SIDE + j];
			c[i * MATRIX_SIDE + j] = sum;
		}
}

static NOINLINE uint64_t do_matrices(uint64_t *state)
{
	double *m = malloc(3 * MATRIX_SIDE * MATRIX_SIDE * sizeof(*m)), *a, *b, *c;
	uint64_t sum;

	if (!m)
		abort();
	a = m;
	b = a + MATRIX_SIDE * MATRIX_SIDE;
	c = b + MATRIX_SIDE * MATRIX_SIDE;
	for (int i = 0; i < 2 * MATRIX_SIDE * MATRIX_SIDE; i++)
		m[i] = (double)(next_random(state) >> 60);
	multiply_matrices(a, b, c);
	sum = (uint64_t)c[MATRIX_SIDE];
	free(m);
	return sum;
}

static NOINLINE unsigned fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* Many small reads and writes: the time goes into the kernel. */
static NOINLINE uint64_t copy_bytes(void)
{
	char buffer[COPY_BYTES];
	int from = open("/dev/zero", O_RDONLY | O_CLOEXEC), to = open("/dev/null", O_WRONLY | O_CLOEXEC);
	uint64_t sum = 0;

	for (int i = 0; from >= 0 && to >= 0 && i < COPY_COUNT; i++) {
		ssize_t n = read(from, buffer, sizeof(buffer));

		if (n > 0 && write(to, buffer, (size_t)n) == n)
			sum += (uint64_t)n;
	}
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return sum;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static NOINLINE void compute(struct worker *w)
{
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

	for (double end = seconds_now() + w->seconds; seconds_now() < end;)
		w->sum += do_hashing(&state) + do_sorting(&state) + do_matrices(&state);
}

static NOINLINE void call_system(struct worker *w)
{
	for (double end = seconds_now() + w->seconds; seconds_now() < end;)
		w->sum += copy_bytes() + fibonacci(FIB_DEPTH);
}

static void *second_thread(void *arg)
{
	call_system(arg);
	return NULL;
}

int main(int argc, char **argv)
{
	double scale = argc > 1 ? strtod(argv[1], NULL) : 1;
	struct worker a = { .seconds = 2 * scale }, b = a;
	pthread_t thread;

	if (pthread_create(&thread, NULL, second_thread, &b) != 0)
		return 1;
	compute(&a);
	pthread_join(thread, NULL);
	result = a.sum ^ b.sum;
	return 0;
}
