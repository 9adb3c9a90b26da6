/* SPDX-License-Identifier: MIT */
/* profile_self.c - a program that prints which of its functions take time: profile_self */
#include <sonde/self_profile.h>

#include <stdio.h>
#include <time.h>

static volatile double sum;

static void work(clock_t ticks)
{
	for (clock_t end = clock() + ticks; clock() < end;)
		for (int i = 1; i < 10000; i++)
			sum = sum + 1.0 / i;
}

int main(void)
{
	struct sonde_self_profile *p = sonde_self_profile_start(NULL);
	int e;

	work(CLOCKS_PER_SEC / 5);
	e = sonde_self_profile_print(p, NULL);
	if (e < 0)
		fprintf(stderr, "%s\n", sonde_self_profile_error(p)->text);
	sonde_self_profile_free(p);
	return e < 0;
}
