/* SPDX-License-Identifier: MIT */
/*
 * live.h - a profile of running tasks that a recorder feeds
 *
 * One thread runs the recorder, which writes its records to a pipe. Another one reads them from there and feeds the
 * profile. Whoever looks at the profile holds the lock meanwhile.
 */
#ifndef CLI_TOP_LIVE_H
#define CLI_TOP_LIVE_H

#include <pthread.h>
#include <sonde/perf_recorder.h>
#include <sonde/profile.h>
#include <sonde/trace.h>

/* Samples since the last refresh. */
struct live_counts {
	uint64_t samples, kernel, user, exact;
	uint64_t lost;               /* by the kernel, because a ring was full */
	uint64_t dropped;            /* left out here, to catch up */
};

struct top_live {
	struct sonde_perf_recorder *recorder;
	struct sonde_trace *trace;   /* the gathering thread's, until that has ended */
	int ends[2];                 /* of the pipe */
	int wake_fd;                 /* an eventfd: the recording has ended, top_live_stop() is due */
	pthread_t recording, gathering;
	bool has_recording, has_gathering;
	uint64_t drop_after_ns;      /* samples older than this are left out */

	pthread_mutex_t lock;        /* of what follows */
	struct sonde_profile *profile;
	struct live_counts counts;   /* since top_live_take_counts() */
	uint64_t lost_total, dropped_total;
	bool hide_kernel, hide_user; /* leave out such samples */
	bool paused;                 /* leave out all */
	char notice[256];            /* a message of the recorder that came while a screen was shown; "": none */
	bool ended;
	int status;                  /* of the recorder or the reader: 0 or negative; the error is in `err` */
	struct sonde_error err;
};

/*
 * @l: zeros, but for drop_after_ns and what is to be left out from the start
 * The profile is the live view's from here on. 0, or the exit status after a message.
 */
int top_live_start(struct top_live *l, struct sonde_profile *profile, struct sonde_perf_recorder_opts *opts);

/* Counts since the last call, then begins anew. The lock is held. */
struct live_counts top_live_take_counts(struct top_live *l);

/* Ends both threads; the profile can still be read. */
void top_live_stop(struct top_live *l);
void top_live_free(struct top_live *l);

#endif
