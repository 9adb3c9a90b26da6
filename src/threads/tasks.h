/* SPDX-License-Identifier: MIT */
/*
 * tasks.h - processes, threads and their maps, at the moment of the last event that was fed
 *
 * Feed every event in time order. A question in between is answered for that moment. Names, mappings and roots of maps
 * stay valid as long as the tasks live, so answers can be used later and on other threads.
 */
#ifndef THREADS_TASKS_H
#define THREADS_TASKS_H

#include "model/event.h"
#include "threads/binaries.h"
#include "threads/jit_code.h"
#include "threads/maps.h"

#define CPUMODE_UNKNOWN 0
#define CPUMODE_KERNEL 1
#define CPUMODE_USER 2
#define CPUMODE_HYPERVISOR 3
#define CPUMODE_GUEST_KERNEL 4
#define CPUMODE_GUEST_USER 5

struct thread {
	int32_t tid;                 /* its number on its machine */
	uint32_t process;            /* index */
	const char *comm;            /* NULL: never named */
};

struct process {
	int32_t machine;             /* pid of the host's process that runs the guest; 0: the host itself */
	int32_t pid;
	bool replaced;               /* by an exec: the next mapping is the first of a new address space */
	uint64_t begun;              /* when a record told of its fork or exec; 0: none has */
	bool exited;                 /* its number may come back with another FORK */
	maps_root maps;
	struct jit_code code;
};

struct tasks {
	struct binaries binaries;
	struct maps_pool pool;
	uint32_t recording;          /* the one at hand, of several: see tasks_turn_to() */
	struct u64map spaces;        /* recording << 32 | machine -> a number that stands for both */
	maps_root kernel;            /* of the recording at hand */
	VEC(maps_root) kernels;      /* of the others, by recording */
	VEC(maps_root) guests;      /* maps of the kernels of guests */
	struct u64map guest_by_pid;  /* number of the process that runs the guest, 0 for any -> index in guests */
	VEC(struct thread) threads;
	VEC(struct process) processes;
	struct u64map by_tid, by_pid;  /* by machine, or a space, << 32 | number */
	struct strpool comms;
	struct jit_source *jit;      /* reads jitdumps; NULL: nobody does */
	size_t nr_dumps;             /* that were mapped */
};

int tasks_init(struct tasks *t);
void tasks_free(struct tasks *t);

/*
 * The events and questions that follow are of another recording, whose tasks and maps are its own. The first one is 0.
 * 0 or -SONDE_NOMEM.
 */
int tasks_turn_to(struct tasks *t, uint32_t recording);

/*
 * Takes in an event that changes tasks or maps; others change nothing, and neither do those of a guest whose machine is
 * not known, because their numbers are not the host's. 0 or -SONDE_NOMEM; a body that cannot be decoded is passed over.
 */
int tasks_apply(struct tasks *t, const struct sonde_event *ev);

/*
 * Before the maps of the process of @ev are asked for, which happens at the time of @ev: takes in the code that it has
 * made until then. 1 if its maps have changed, 0 if not, or -SONDE_NOMEM.
 */
int tasks_advance(struct tasks *t, const struct sonde_event *ev);

/* In what follows @machine is sonde_event.machine_pid: 0 for the host. */

/* The name of a thread now; NULL if no record named it (perf shows ":TID" then). */
const char *tasks_comm(const struct tasks *t, int32_t machine, int32_t pid, int32_t tid);

/* The maps of process @pid now; NULL if nothing is known. */
maps_root tasks_maps(const struct tasks *t, int32_t machine, int32_t pid);

/* All address spaces that addresses of a process are looked up in, at one moment. */
struct task_roots { maps_root user, kernel, guest, guest_user; };

struct task_roots tasks_roots(const struct tasks *t, int32_t machine, int32_t pid);

/**
 * task_roots_get - the address space in which an ip of @cpumode is looked up; where the mode is not known, the kernel's
 * if the ip is in it
 * Together with the ip this is all that the answer depends on, so (root, ip) can be a key for caching.
 */
maps_root task_roots_get(const struct task_roots *r, uint8_t cpumode, uint64_t ip);

/** tasks_root_of - the same, as things are now */
maps_root tasks_root_of(const struct tasks *t, int32_t machine, int32_t pid, uint8_t cpumode, uint64_t ip);

/*
 * Frees the maps that no task that lives has any more. All roots become others: those at hand are void. 0 or
 * -SONDE_NOMEM, and nothing has changed.
 */
int tasks_compact(struct tasks *t);

/* Everything that is known of tasks and mappings is forgotten, binaries and names stay: another trace follows. */
int tasks_restart(struct tasks *t);

#endif
