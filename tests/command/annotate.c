/* SPDX-License-Identifier: MIT */
/* annotate.c - functions for annotate.py: jumps, calls, a function that is inlined, bytes that are no code */
#include <stdio.h>
#include <stdlib.h>

static int inner(int x)
{
	return x * 7 + 3;
}

__attribute__((noinline)) long hot(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++) {
		if (i % 3 == 0)
			sum += inner((int)i) / 5;
		else
			sum ^= i << 2;
	}
	return sum;
}

__attribute__((noinline)) double calls(const char *text, double by)
{
	double d = strtod(text, NULL);

	if (d > by) {
		puts(text);
		d -= 4 * by;
	}
	return d / by;
}

#ifdef __x86_64__
/* 0x06 is no instruction; the rest could be taken for a part of a longer one */
__asm__(".text\n.globl odd\n.type odd, @function\nodd:\n\tnop\n\t.byte 0x06, 0x48\n\tret\n\tnop\n\tret\n"
	".size odd, . - odd\n");
#endif

int main(int argc, char **argv)
{
	printf("%ld %f\n", hot(argc * 1000), calls(argv[0], 3));
	return 0;
}
