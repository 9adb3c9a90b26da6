/* SPDX-License-Identifier: MIT */
/**
 * event.h - the events of a trace, and their content
 *
 * An event is one record of a perf.data (PERF_RECORD_*) or one entry of a trace.dat ring buffer. The fields that
 * every consumer needs are in struct sonde_event; the typed bodies are decoded on demand by the functions below.
 */
#ifndef SONDE_EVENT_H
#define SONDE_EVENT_H

#include <sonde/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct sonde_attr - a perf_event_attr in host order, whatever the recorder's size and byte order
 * Layout and meaning: perf_event_open(2). Fields that the recorder's attr was too short for are 0. `flags` has the
 * bit numbers of a little-endian machine (SONDE_ATTR_*).
 */
struct sonde_attr {
	uint32_t type;
	uint32_t size;                 /* as written by the recorder, after 0 was read as 64 */
	uint64_t config;
	uint64_t sample_period;        /* or a frequency in Hz, with SONDE_ATTR_FREQ */
	uint64_t sample_type;          /* PERF_SAMPLE_* */
	uint64_t read_format;          /* PERF_FORMAT_* */
	uint64_t flags;
	uint32_t wakeup_events;
	uint32_t bp_type;
	uint64_t config1;              /* or bp_addr, kprobe_func, uprobe_path */
	uint64_t config2;              /* or bp_len, kprobe_addr, probe_offset */
	uint64_t branch_sample_type;   /* PERF_SAMPLE_BRANCH_* */
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint16_t reserved_2;
	uint32_t aux_sample_size;
	uint32_t aux_action;
	uint64_t sig_data;
	uint64_t config3;
	uint64_t config4;
};

/* Bit numbers in sonde_attr.flags; precise_ip is the two bits 15 and 16. */
#define SONDE_ATTR_BIT(n)         (UINT64_C(1) << (n))
#define SONDE_ATTR_DISABLED       SONDE_ATTR_BIT(0)
#define SONDE_ATTR_INHERIT        SONDE_ATTR_BIT(1)
#define SONDE_ATTR_EXCLUDE_USER   SONDE_ATTR_BIT(4)
#define SONDE_ATTR_EXCLUDE_KERNEL SONDE_ATTR_BIT(5)
#define SONDE_ATTR_EXCLUDE_HV     SONDE_ATTR_BIT(6)
#define SONDE_ATTR_FREQ           SONDE_ATTR_BIT(10)
#define SONDE_ATTR_INHERIT_STAT   SONDE_ATTR_BIT(11)
#define SONDE_ATTR_SAMPLE_ID_ALL  SONDE_ATTR_BIT(18)
#define SONDE_ATTR_USE_CLOCKID    SONDE_ATTR_BIT(25)
#define SONDE_ATTR_DEFER_CALLCHAIN SONDE_ATTR_BIT(38)

/** CPUs from `first` to `last`, both inclusive; -1 and -1: any CPU. */
struct sonde_cpu_range {
	int32_t first, last;
};

/**
 * struct sonde_evsel - one event of the evlist: an event that perf counted, or an event of a trace.dat's buffer
 * (perf's and libperf's word: evsel, event selector)
 * Lives as long as the trace. In pipe mode names and ids can still arrive while the trace is read. Unit, scale and CPUs
 * come in records in every mode, usually before the first sample.
 */
struct sonde_evsel {
	uint32_t index;                /* position in the trace */
	const char *name;              /* "cycles:u", "sched:sched_switch"; never NULL */
	/* in a trace.dat: made up, of a tracepoint whose samples have raw bytes, time, task and CPU */
	const struct sonde_attr *attr;
	const uint64_t *ids;
	size_t nr_ids;
	const char *unit;              /* "msec"; NULL if none */
	double scale;                  /* of counts, 1.0 if none */
	/* ranges of CPUs on which the event counted; NULL if the recorder did not say */
	const struct sonde_cpu_range *const *cpus;
	size_t nr_cpus;
	uint32_t leader;               /* index of the group's leader, its own index if alone */
	/* of a trace.dat: the instance that the event belongs to, "" for the top buffer; else NULL */
	const char *buffer;
	const char *group;             /* name of the group that the event leads; NULL if none */
};

enum sonde_kind {
	SONDE_KIND_OTHER,     /* a record that this version does not know, or without a typed body */
	SONDE_KIND_SAMPLE,
	SONDE_KIND_SIDEBAND,  /* tasks and mappings: mmap, comm, fork, exit, ksymbol, ... */
	SONDE_KIND_LOSS,      /* lost, lost samples, throttling, aux truncation */
	SONDE_KIND_META,      /* about the file itself: attr, feature, round marks, ... */
	SONDE_KIND_STAT,
	SONDE_KIND_AUX,       /* hardware trace */
};

/**
 * Types of events are PERF_RECORD_* of <linux/perf_event.h>. A trace.dat has samples (the entries of its buffers; raw
 * is the payload), LOST where its pages say that entries are missing, and a COMM for every saved command line, which
 * come first and have the time 0. A trace.dat of a latency tracer holds text: each line is a record of this type.
 */
#define SONDE_TYPE_TEXT 0x10000u

/**
 * struct sonde_event - one event
 * A view of the iterator that gave it, until the next call on that. The library keeps more after the struct: a copy
 * of it cannot be given to the functions below. pid, tid and cpu are -1 where the event does not say.
 */
struct sonde_event {
	uint64_t time;                     /* ns, SONDE_NONE if the record has none; 0 for synthesized records */
	uint64_t file_offset;              /* of the record; of the outer record if it was compressed */
	const uint8_t *raw;                /* the whole record as it lies in the file, header included */
	uint32_t raw_size;
	uint32_t type;                     /* PERF_RECORD_* */
	uint16_t misc;                     /* PERF_RECORD_MISC_* */
	uint8_t kind;                      /* enum sonde_kind */
	/* low bits of misc: 1 kernel, 2 user, 3 hypervisor, 4 guest kernel, 5 guest user */
	uint8_t cpumode;
	int32_t pid, tid, cpu;
	/* the record's event; NULL if it has none, or if the trace does not describe it */
	const struct sonde_evsel *evsel;
	uint64_t id;                       /* event id, SONDE_NONE if the record has none */
	/* samples only; 0 otherwise */
	uint64_t ip;
	uint64_t addr;
	uint64_t period;                   /* of the sample, or the attr's fixed one */
	bool unpacked;                     /* the record was in a compressed one, which came as an event before it */
	uint16_t file;                     /* index in sonde_trace_info.files: the file that file_offset is in */
	/* For an event of a virtual machine whose recording was merged in: the process that ran the machine, and its
	 * virtual CPU; pid and tid are the guest's own numbers. 0: an event of the host, or not known. */
	int32_t machine_pid, vcpu;
};

/*
 * The content of an event: each function below decodes the event into a struct of the library and sets @out to that.
 * The struct and all that it points to are views until the next call of one of these functions for an event of the same
 * trace, and until the iterator's next event. Strings end before any NUL. Each function returns 0, -SONDE_USAGE if the
 * event is of another type, -SONDE_CORRUPT if it is cut or its text is not terminated.
 */

/** One value of a group read: see sonde_sample_value_at(). */
struct sonde_read_value {
	uint64_t value;
	uint64_t id;                       /* SONDE_NONE without PERF_FORMAT_ID */
	uint64_t lost;                     /* 0 without PERF_FORMAT_LOST */
};

/** One entry of a branch stack; `flags` has the little-endian bit numbers of struct perf_branch_entry. */
struct sonde_branch {
	uint64_t from, to, flags;
	uint64_t counters;                 /* 0 if not recorded */
};

/** Registers: one value for each bit set in `mask`, in ascending order of bit number. */
struct sonde_regs {
	uint64_t abi;                      /* 1: a 32-bit task, 2: a 64-bit task, 0: no registers were taken */
	uint64_t mask;
	const uint64_t *values;
	size_t nr_values;
};

/**
 * struct sonde_sample - every field of a PERF_RECORD_SAMPLE
 * `present` is the attr's sample_type without the fields that a cut record has lost. Fields that are not present are 0,
 * except pid, tid and cpu (-1) and id, stream_id, time and branch_hw_idx (SONDE_NONE).
 */
struct sonde_sample {
	uint64_t present;                  /* PERF_SAMPLE_* */
	uint64_t identifier, ip, time, addr, id, stream_id, period;
	int32_t pid, tid, cpu;
	uint64_t time_enabled, time_running;  /* ns, of the counts; 0 without PERF_FORMAT_TOTAL_TIME_* */
	size_t nr_values;                  /* counts: sonde_sample_value_at() */
	/* Innermost first, with PERF_CONTEXT_* markers: see sonde_chain_next(). In SONDE_ORDER_TIME a chain whose
	 * user part came in a later CALLCHAIN_DEFERRED is whole. */
	const uint64_t *callchain;
	size_t nr_callchain;
	struct sonde_bytes raw;            /* with the padding that the record counts */
	size_t nr_branches;                /* sonde_sample_branch_at() */
	uint64_t branch_hw_idx;
	const struct sonde_regs *user_regs, *intr_regs;  /* never NULL */
	struct sonde_bytes user_stack;     /* only the bytes that are valid (dyn_size) */
	uint64_t user_stack_size;          /* bytes set aside in the record */
	uint64_t weight;                   /* with PERF_SAMPLE_WEIGHT_STRUCT: var1 0-31, var2 32-47, var3 48-63 */
	uint64_t data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	struct sonde_bytes aux;
};

/**
 * sonde_event_sample - decode a sample
 * A field whose length is wrong is dropped with all fields after it (see `present`); nothing is read beyond the record.
 * Returns 0, -SONDE_USAGE if @ev is no sample or has no evsel, -SONDE_NOMEM, -SONDE_CORRUPT when fields were dropped:
 * @out is set in that case too, and has the other fields.
 */
SONDE_API int sonde_event_sample(const struct sonde_event *ev, const struct sonde_sample **out);

/** sonde_sample_value_at - the i-th count of a sample, a view as long as @s; NULL if @i is not below nr_values */
SONDE_API const struct sonde_read_value *sonde_sample_value_at(const struct sonde_sample *s, size_t i);

/**
 * sonde_sample_branch_at - the i-th entry of the branch stack, newest first, as above; NULL if @i is not below
 * nr_branches
 */
SONDE_API const struct sonde_branch *sonde_sample_branch_at(const struct sonde_sample *s, size_t i);

struct sonde_mmap {                        /* MMAP, MMAP2 */
	int32_t pid, tid;                  /* pid -1: the kernel and its modules */
	uint64_t addr, len, pgoff;
	uint32_t maj, min;                 /* 0 with a build id */
	uint64_t ino, ino_generation;
	uint32_t prot, flags;              /* 0 in an MMAP */
	uint8_t build_id[20];
	uint8_t build_id_size;             /* 0: none */
	struct sonde_str filename;
};
struct sonde_comm {                        /* COMM */
	int32_t pid, tid;
	bool exec;
	struct sonde_str comm;
};
struct sonde_task {                        /* FORK, EXIT */
	int32_t pid, ppid, tid, ptid;
	uint64_t time;
};
struct sonde_lost {                        /* LOST, LOST_SAMPLES */
	uint64_t id;                       /* SONDE_NONE in LOST_SAMPLES */
	uint64_t lost;                     /* SONDE_NONE: some, the recorder does not know how many */
};
struct sonde_ksymbol {                     /* KSYMBOL */
	uint64_t addr;
	uint32_t len;
	uint16_t ksym_type, flags;         /* flags bit 0: the symbol goes away */
	struct sonde_str name;
};
struct sonde_text_poke {                   /* TEXT_POKE */
	uint64_t addr;
	struct sonde_bytes old_bytes, new_bytes;
};
struct sonde_callchain_deferred {          /* CALLCHAIN_DEFERRED */
	uint64_t cookie;                   /* as at the end of the callchains that it completes */
	const uint64_t *ips;
	size_t nr_ips;
};

/** AUXTRACE: a part of a hardware trace. */
struct sonde_auxtrace {
	uint64_t size;                     /* bytes of trace */
	uint64_t offset;                   /* of the first byte in the AUX stream of its ring */
	uint64_t reference;
	uint32_t idx;                      /* of the ring */
	int32_t tid, cpu;                  /* -1: of all */
	struct sonde_bytes payload;        /* the trace; shorter than size if a part of it is missing */
};

/** The bodies of side band and loss records, by the type of the event; results as above. */
SONDE_API int sonde_event_mmap(const struct sonde_event *ev, const struct sonde_mmap **out);
SONDE_API int sonde_event_comm(const struct sonde_event *ev, const struct sonde_comm **out);
SONDE_API int sonde_event_task(const struct sonde_event *ev, const struct sonde_task **out);
SONDE_API int sonde_event_lost(const struct sonde_event *ev, const struct sonde_lost **out);
SONDE_API int sonde_event_ksymbol(const struct sonde_event *ev, const struct sonde_ksymbol **out);
SONDE_API int sonde_event_text_poke(const struct sonde_event *ev, const struct sonde_text_poke **out);

/** sonde_event_callchain_deferred - the user part of call chains; as above, and -SONDE_NOMEM */
SONDE_API int sonde_event_callchain_deferred(const struct sonde_event *ev, const struct sonde_callchain_deferred **out);

/**
 * sonde_event_auxtrace - a part of a hardware trace and its bytes
 * The payload follows the record in the file and is read by this call. A stream keeps payloads of up to 1 MiB; larger
 * ones have been passed over. Returns 0, -SONDE_USAGE if @ev is no AUXTRACE, -SONDE_CORRUPT if it is cut,
 * -SONDE_NOMEM, -SONDE_SYSTEM.
 */
SONDE_API int sonde_event_auxtrace(const struct sonde_event *ev, const struct sonde_auxtrace **out);

enum sonde_field_kind {
	SONDE_FIELD_U64,      /* u, shown in decimal */
	SONDE_FIELD_I64,      /* (int64_t)u */
	SONDE_FIELD_HEX,      /* u, shown in hexadecimal */
	SONDE_FIELD_TIME,     /* u: nanoseconds */
	SONDE_FIELD_DOUBLE,   /* d */
	SONDE_FIELD_NAMED,    /* u, and in text what the number means: "zstd", "READ|EXEC" */
	SONDE_FIELD_TEXT,     /* text from the file, up to its NUL; may have control bytes */
	SONDE_FIELD_BYTES,    /* bytes, in file order */
};

/** One field of a record. Views last as long as the call that shows it. */
struct sonde_field {
	const char *name;              /* as in <linux/perf_event.h> and perf's event.h */
	uint64_t index;                /* of the array element that the field belongs to, SONDE_NONE if to none */
	enum sonde_field_kind kind;
	uint64_t u;
	double d;
	struct sonde_str text;
	struct sonde_bytes bytes;
};
typedef int (*sonde_field_fn)(void *ctx, const struct sonde_field *field);

/**
 * sonde_event_fields - every field of a record that is no sample, in file order
 * Elements of an array of structs come one after the other with the same index. The sample_id trailer is left out: its
 * values are in @ev. The body of an unknown type comes as one field "data" of bytes.
 * @fn: called on this thread; a value other than 0 ends the walk and is returned
 * Returns 0, -SONDE_USAGE for a sample, -SONDE_CORRUPT if the record ends too early, after its whole fields were shown.
 */
SONDE_API int sonde_event_fields(const struct sonde_event *ev, sonde_field_fn fn, void *ctx);

/** sonde_event_type_name - "MMAP2", "SAMPLE"; NULL for a type that is not known */
SONDE_API const char *sonde_event_type_name(uint32_t type);

#ifdef __cplusplus
}
#endif
#endif
