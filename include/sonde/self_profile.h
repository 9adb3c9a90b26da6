/* SPDX-License-Identifier: MIT */
/**
 * self_profile.h - a program profiles itself
 *
 *	struct sonde_self_profile *p = sonde_self_profile_start(NULL);
 *
 *	for (volatile int i = 0; i < 1000000; i++)
 *		;
 *	if (sonde_self_profile_print(p, NULL) < 0)
 *		puts(sonde_self_profile_error(p)->text);
 *	sonde_self_profile_free(p);
 *
 * The samples are gathered while the program runs; memory depends on the number of different call stacks, not on the
 * time. The threads of the library are left out.
 */
#ifndef SONDE_SELF_PROFILE_H
#define SONDE_SELF_PROFILE_H

#include <sonde/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_self_profile;

struct sonde_self_profile_opts {
	size_t sz;
	uint64_t freq_hz;        /* samples for each second that a thread uses a CPU; 0: 1000 */
	bool kernel;             /* also in the kernel, where that is permitted */
	bool no_callchains;      /* keep only the functions that were interrupted */
};

/**
 * sonde_self_profile_start - sample the threads of the calling program, and the threads and processes that they start
 * @opts: NULL: the defaults
 * Call chains are walked by frame pointers: -fno-omit-frame-pointer. Returns NULL only when out of memory. Where a
 * program may not be sampled, sonde_self_profile_error() says why and the calls below fail; the program runs on.
 */
SONDE_API struct sonde_self_profile *sonde_self_profile_start(const struct sonde_self_profile_opts *opts);

/** sonde_self_profile_stop - end the sampling; returns 0, or why nothing was sampled */
SONDE_API int sonde_self_profile_stop(struct sonde_self_profile *p);

/** sonde_self_profile_get - stop, and get the profile for sonde_export(); a view as long as @p; NULL after a failure */
SONDE_API const struct sonde_profile *sonde_self_profile_get(struct sonde_self_profile *p);

/**
 * sonde_self_profile_print - stop, and print a table of the functions
 * @to: NULL: the standard output
 * Returns 1, 0 if there are no samples, or a failure.
 */
SONDE_API int sonde_self_profile_print(struct sonde_self_profile *p, const struct sonde_output *to);

/** sonde_self_profile_error - why a call failed, sonde_self_profile_start() included; never NULL, as long as @p */
SONDE_API const struct sonde_error *sonde_self_profile_error(const struct sonde_self_profile *p);

/** sonde_self_profile_free - stop and free; NULL is accepted */
SONDE_API void sonde_self_profile_free(struct sonde_self_profile *p);

#ifdef __cplusplus
}
#endif
#endif
