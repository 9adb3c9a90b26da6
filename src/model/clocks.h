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
	bool is_moved;               /* by whoever opened it */
	bool has_wall;               /* to_wall is known */
	int64_t to_wall;             /* added to a time: nanoseconds since 1970 */
};

/* *@shift: nanoseconds that the times of @r need to be times of @first; 0 if nothing relates their clocks. */
enum sonde_alignment_fact clocks_relate(const struct reader *first, const struct reader *r, int64_t *shift);

/* The fact as a clause: "both recordings note the wall clock". */
const char *clocks_fact_text(enum sonde_alignment_fact fact);

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
