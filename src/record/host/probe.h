/* SPDX-License-Identifier: MIT */
/* probe.h - tracepoints that this process adds to the kernel and takes away again: kprobes and uprobes */
#ifndef RECORD_HOST_PROBE_H
#define RECORD_HOST_PROBE_H

#include "base/err.h"
#include "record/host/messenger.h"

#define PROBE_NAME_MAX 64

struct probe {
	bool user;                   /* of a file, not of the kernel */
	char group[96];              /* sonde_PID_START_NAMESPACE: of this process */
	char event[PROBE_NAME_MAX];
};

/**
 * probe_add - add a tracepoint
 * @p: user and event are set; another number is appended to the name of the event if it is taken
 * @place: "vfs_read+4", or "/bin/ls:0x4a10", the offset in the file
 * @args: "count=%dx:u64", in the kernel's words; "" for none
 */
int probe_add(struct probe *p, const char *tracefs, bool on_return, const char *place, const char *args,
	      struct sonde_error *err);

/* Nobody may have it open. */
void probe_remove(const struct probe *p, const char *tracefs);

/* Removes the probes of processes that have ended, killed before they could. */
void probe_remove_leftovers(const char *tracefs, const struct messenger *m);

#endif
