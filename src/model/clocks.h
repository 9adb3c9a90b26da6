/* SPDX-License-Identifier: MIT */
/* clocks.h - how the clocks of two recordings stand to each other */
#ifndef MODEL_CLOCKS_H
#define MODEL_CLOCKS_H

#include <sonde/trace.h>

struct reader;

/* The facts of the clock of a recording. Strings live as long as its reader. */
struct clock_facts {
	const char *name;            /* as tracefs names it: "mono", "local"; "perf", "realtime"; NULL: not known */
	const char *hostname;        /* NULL: not known */
	uint64_t session;            /* id of the session by whose clock the times are, its host's of a guest; 0 */
	bool is_guest;               /* times were moved to the clock of the guest's host */
	bool has_wall;               /* to_wall is known */
	int64_t to_wall;             /* added to a time: nanoseconds since 1970 */
};

/*
 * How the times of @nr recordings become those of the first one: out[i] is of readers[i], NULL of an input without
 * times. offsets[i] below @nr_offsets is the program's choice, unless it is SONDE_OFFSET_BY_CLOCK; an offset of the
 * first recording moves the others along. Reads the first records, where a format has facts of its clock there.
 */
void clocks_align(struct reader *const *readers, size_t nr, const int64_t *offsets, size_t nr_offsets,
		  struct sonde_alignment *out);

/* True if a fact relates a clock to that of the first recording. */
bool clocks_known(enum sonde_alignment_fact fact);

/* Whether both recordings say from which machine they are, and these differ. */
bool clocks_hosts_differ(const struct reader *a, const struct reader *b);

/* Whether two recordings are known to be of one machine; a guest is another one than its host. */
bool clocks_one_machine(const struct reader *a, const struct reader *b);

/* Whether a recording is of a guest whose times are by the clock of its host. */
bool clocks_of_guest(const struct reader *r);

/* A time by another clock; SONDE_NONE and 0 stay, no other time becomes either. *@cut is set if it does not fit. */
static inline uint64_t clocks_move(uint64_t time, int64_t shift, bool *cut)
{
	if (!shift || time == 0 || time == SONDE_NONE)
		return time;
	if (shift < 0 ? time > -(uint64_t)shift : time < SONDE_NONE - 1 - (uint64_t)shift)
		return time + (uint64_t)shift;
	*cut = true;
	return shift < 0 ? 1 : SONDE_NONE - 1;
}

/* The time that was moved to @time, or the nearest one. */
static inline uint64_t clocks_move_back(uint64_t time, int64_t shift)
{
	bool cut = false;

	return clocks_move(time, shift == INT64_MIN ? INT64_MAX : -shift, &cut);
}

#endif
