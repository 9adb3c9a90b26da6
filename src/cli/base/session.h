/* SPDX-License-Identifier: MIT */
/* session.h - several traces that a command reads together, by one clock */
#ifndef CLI_BASE_SESSION_H
#define CLI_BASE_SESSION_H

#include <sonde/trace.h>

#include "cli/base/command.h"

/* A row for a command's table; session_offsets() has its result. */
#define OFFSET_ROW \
	{ "offset", 0, OPTION_CALL, .call = session_set_offsets, .arg = "SECONDS,...", \
	  .help = "add these seconds to the times of the traces, in their order; none between commas: as the clock " \
		  "of the trace says (default: align all clocks)" }

int session_set_offsets(const char *arg);
const struct sonde_several_opts *session_offsets(void);

struct session {
	struct sonde_trace **traces; /* those that could not be opened are there, closed */
	size_t n;
	bool out_of_memory;
	bool takes_profiles;         /* of other tools: no trace is open then, but see session_has_profile() */
};

/* Opens one more trace. One that cannot be opened costs itself, after a message. Returns the exit status. */
int session_add(struct session *s, const char *path, const struct sonde_open_opts *opts);

/* Aligns the clocks of the traces if there are several, or offsets. */
void session_align(const struct session *s);
/* Prints the offsets that are not 0. */
void session_say_offsets(const struct session *s);

/* Opens traces that are read one after the other, and aligns their clocks. Returns the exit status. */
int session_open(struct session *s, const char *const *paths, size_t n);

/* The same for traces that are read at once: each has its share of the memory, and closed ones are left out. */
int session_open_at_once(struct session *s, const char *const *paths, size_t n);

/* Leaves out the traces that are closed, and are no profiles. */
void session_keep_open_ones(struct session *s);

void session_close(struct session *s);

/* Whether a trace is open. */
static inline bool session_has(const struct session *s, size_t i)
{
	return *sonde_trace_info(s->traces[i])->format;
}

/* Whether it is a profile of another tool, and the command takes these. */
static inline bool session_has_profile(const struct session *s, size_t i)
{
	return s->takes_profiles && sonde_trace_profile_format(s->traces[i]);
}

#endif
