/* SPDX-License-Identifier: MIT */
/*
 * event.h - what to record, from the text of an -e option
 *
 * Knows the names of the kernel's generic events, sysfs (PMUs, their terms and named events) and tracefs (tracepoints).
 */
#ifndef RECORD_EVENT_EVENT_H
#define RECORD_EVENT_EVENT_H

#include <sonde/event.h>

#include "base/err.h"
#include "record/host/probe.h"
#include "record/host/sysfile.h"

/* Bits of sonde_attr.flags that the public header does not name. */
#define ATTR_PINNED             SONDE_ATTR_BIT(2)
#define ATTR_EXCLUSIVE          SONDE_ATTR_BIT(3)
#define ATTR_EXCLUDE_IDLE       SONDE_ATTR_BIT(7)
#define ATTR_MMAP               SONDE_ATTR_BIT(8)
#define ATTR_COMM               SONDE_ATTR_BIT(9)
#define ATTR_INHERIT_STAT       SONDE_ATTR_BIT(11)
#define ATTR_ENABLE_ON_EXEC     SONDE_ATTR_BIT(12)
#define ATTR_TASK               SONDE_ATTR_BIT(13)
#define ATTR_WATERMARK          SONDE_ATTR_BIT(14)
#define ATTR_PRECISE_SHIFT      15
#define ATTR_PRECISE_MASK       (UINT64_C(3) << ATTR_PRECISE_SHIFT)
#define ATTR_MMAP_DATA          SONDE_ATTR_BIT(17)
#define ATTR_EXCLUDE_HOST       SONDE_ATTR_BIT(19)
#define ATTR_EXCLUDE_GUEST      SONDE_ATTR_BIT(20)
#define ATTR_EXCLUDE_CHAIN_KERNEL SONDE_ATTR_BIT(21)
#define ATTR_EXCLUDE_CHAIN_USER SONDE_ATTR_BIT(22)
#define ATTR_MMAP2              SONDE_ATTR_BIT(23)
#define ATTR_COMM_EXEC          SONDE_ATTR_BIT(24)
#define ATTR_CONTEXT_SWITCH     SONDE_ATTR_BIT(26)
#define ATTR_NAMESPACES         SONDE_ATTR_BIT(28)
#define ATTR_KSYMBOL            SONDE_ATTR_BIT(29)
#define ATTR_BPF_EVENT          SONDE_ATTR_BIT(30)
#define ATTR_CGROUP             SONDE_ATTR_BIT(32)

#define ATTR_WRITE_BACKWARD     SONDE_ATTR_BIT(27)
#define ATTR_AUX_OUTPUT         SONDE_ATTR_BIT(31)
#define ATTR_TEXT_POKE          SONDE_ATTR_BIT(33)
#define ATTR_INHERIT_THREAD     SONDE_ATTR_BIT(35)
#define ATTR_REMOVE_ON_EXEC     SONDE_ATTR_BIT(36)
#define ATTR_SIGTRAP            SONDE_ATTR_BIT(37)
#define ATTR_DEFER_OUTPUT       SONDE_ATTR_BIT(39)

/* attr.type of an event that no kernel counts: the value of attr.config is an enum event_tool. */
#define EVENT_TYPE_TOOL UINT32_C(0xfffffffe)

/* Events that a program that counts measures by itself. The numbers are perf's. */
enum event_tool {
	EVENT_DURATION_TIME = 1,     /* wall time, ns */
	EVENT_USER_TIME = 2,         /* CPU time of the command and its children, ns: rusage */
	EVENT_SYSTEM_TIME = 3,
	/* numbers of the machine */
	EVENT_HAS_PMEM = 4, EVENT_NUM_CORES = 5, EVENT_NUM_CPUS = 6, EVENT_NUM_CPUS_ONLINE = 7, EVENT_NUM_DIES = 8,
	EVENT_NUM_PACKAGES = 9, EVENT_SMT_ON = 11, EVENT_SYSTEM_TSC_FREQ = 12,
};

struct vendor_events;

/* Where a static probe of a file is: offsets in the file, and its arguments as the file tells them. */
struct sdt_place {
	uint64_t offset;
	uint64_t semaphore;          /* 0: none */
	char args[512];
};

/* Where the kernel's files are mounted; tests use other places. */
struct event_roots {
	const char *sysfs;           /* "/sys" */
	const char *tracefs;         /* "/sys/kernel/tracing"; NULL: not mounted */
	const struct vendor_events *vendor;    /* names out of files; NULL: none */
	const char *only_pmu;        /* of the PMUs that an event without one of its own has; NULL: all of them */
	/* The offset of a function in a file, and its size; negative: the file has none. NULL: nobody can tell. */
	int (*symbol_offset)(const char *file, const char *name, uint64_t *offset, uint64_t *size);
	/* The address of a symbol of the running kernel. The same. */
	int (*kernel_symbol)(const char *name, uint64_t *addr);
	/* The nth place of a static probe of a file; negative: there are not so many. The same. */
	int (*sdt_place)(const char *file, const char *provider, const char *name, size_t nth,
			 struct sdt_place *out);
};

enum callgraph { CALLGRAPH_UNSET, CALLGRAPH_NO, CALLGRAPH_FP, CALLGRAPH_DWARF, CALLGRAPH_LBR };

enum event_modifier {
	MOD_USER = 1 << 0,
	MOD_KERNEL = 1 << 1,
	MOD_HV = 1 << 2,
	MOD_GUEST = 1 << 3,
	MOD_HOST = 1 << 4,
	MOD_IDLE = 1 << 5,
	MOD_PRECISE_MAX = 1 << 6,
	MOD_READ = 1 << 7,
	MOD_PINNED = 1 << 8,
	MOD_EXCLUSIVE = 1 << 9,
	MOD_WEAK = 1 << 10,
	MOD_BPF = 1 << 11,           /* count by BPF programs; a recorder has no use for it */
	MOD_RETIRE_LATENCY = 1 << 12,
	MOD_OWN_GROUP = 1 << 13,     /* X: perf does not regroup the event; nor does sonde any */
};

struct event {
	const char *name;            /* as written, or the value of its `name` term */
	struct sonde_attr attr;      /* the event and its modifiers; other fields are 0 */
	uint32_t modifiers;          /* enum event_modifier */
	uint32_t precise;            /* how many p */
	uint32_t leader;             /* index of the group's leader, its own index if alone */
	const char *group;           /* name of the group, "" if it has none; NULL outside groups */
	uint64_t period, freq;       /* terms; 0: not given */
	enum callgraph callgraph;    /* attrs_configure() fills in the options where no term says it */
	uint32_t stack_size;         /* 0: not given */
	uint16_t max_stack;          /* 0: not given */
	int8_t inherit, time, overwrite;  /* terms: 0 or 1, -1: not given */
	uint64_t max_samples;        /* term nr: the event ends after so many; 0: not given */
	bool branch_given;           /* a term has set attr.branch_sample_type, perhaps to 0 */
	bool off_cpu;                /* the tracepoint of offcpu-time: off_cpu.h */
	bool percore;                /* term: one count for all threads of a core */
	const char *system, *tracepoint;  /* of a tracepoint; else NULL */
	const char *pmu;             /* name of its PMU in sysfs; NULL if the event names none */
	struct cpus cpus;            /* the only CPUs it can be opened on; none: all */
	bool system_wide;            /* an uncore PMU: belongs to CPUs, not to tasks */
	const char *unit;            /* of a PMU's event; NULL if none */
	double scale;
	bool per_pkg;                /* of a PMU's event: to be counted on one CPU of each package */
	bool snapshot;               /* of a PMU's event: the last value, not a sum */
	const char *metric_id;       /* term; NULL: not given */
	const char *driver_config;   /* terms that begin with @, "name=value,name"; NULL: none */
	const char *cgroup;          /* the control group that it counts for; NULL: all tasks */
	struct names filters;        /* kernel filter expressions, all of which must hold */
};

struct events {
	struct arena arena;          /* names and texts */
	struct event *at;
	size_t n, cap;
	struct {
		struct probe *at;
		size_t n, cap;
	} probes;                    /* that the texts define; events_free() removes them from the kernel */
	const char *tracefs;         /* where they were added */
};

/**
 * events_parse - add the events that @text, a comma-separated list, names
 * The grammar is that of perf record -e: generic and cache names, rHEX, type:config, pmu/term=value/,
 * mem:ADDR[/LEN][:rwx], system:tracepoint with wildcards, probe:FUNCTION and uprobe:FILE:FUNCTION, duration_time and
 * its like, {groups} and modifiers. Returns 0, or a negative code with nothing added; the error names the column, and
 * its file_offset is the column less 1.
 */
int events_parse(struct events *list, const char *text, const struct event_roots *roots, struct sonde_error *err);

/* No event of the list may be open: its probes could not be removed. */
void events_free(struct events *list);

#endif
