/* SPDX-License-Identifier: MIT */
/**
 * tracepoint.h - the fields of tracepoints, and their text
 *
 *	const struct sonde_tracepoint *tp = sonde_trace_tracepoint(t, ev->evsel);
 *	const struct sonde_tracepoint_field *pid = tp ? sonde_tracepoint_field(tp, "next_pid") : NULL;
 *	const struct sonde_sample *s;
 *	uint64_t v;
 *
 *	if (pid && sonde_event_sample(ev, &s) == 0 && sonde_tracepoint_u64(tp, pid, &s->raw, &v))
 *		printf("next: %" PRIu64 "\n", v);
 */
#ifndef SONDE_TRACEPOINT_H
#define SONDE_TRACEPOINT_H

#include <sonde/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The format of a tracepoint, as the kernel of the recording described it; lives as long as the trace. */
struct sonde_tracepoint;

/* The type of a field; several bits may be set. */
#define SONDE_TRACEPOINT_SIGNED   (1u << 0)
#define SONDE_TRACEPOINT_ARRAY    (1u << 1)   /* "char comm[16]", "u8[] data", dynamic ones too */
#define SONDE_TRACEPOINT_POINTER  (1u << 2)   /* "const char *name": the number is an address in the kernel */
#define SONDE_TRACEPOINT_STRING   (1u << 3)   /* an array of char */
#define SONDE_TRACEPOINT_DATA_LOC (1u << 4)   /* __data_loc: the field says where in the record the bytes are */
#define SONDE_TRACEPOINT_REL_LOC  (1u << 5)   /* __rel_loc: the same, counted from the end of the field */
#define SONDE_TRACEPOINT_BITMASK  (1u << 6)   /* an array of unsigned long, dynamic, or a cpumask_t */
#define SONDE_TRACEPOINT_LONG     (1u << 7)   /* the type says long: such numbers are usually addresses or masks */
#define SONDE_TRACEPOINT_COMMON   (1u << 8)   /* common_type, common_flags, common_preempt_count, common_pid, ... */

struct sonde_tracepoint_field {
	const char *name;            /* "prev_comm" */
	const char *type;            /* "char[16]", "__data_loc char[]": as written, without the name */
	uint32_t offset, size;       /* in the record; size 0: an array that runs to the end of the record */
	uint32_t elem_size;          /* bytes of an array's element, else size */
	uint32_t flags;              /* SONDE_TRACEPOINT_* */
};

/**
 * sonde_trace_tracepoint - the format of an event's samples
 * NULL if @evsel is no tracepoint, or if the trace does not describe it, or not yet: in a stream the formats come in a
 * record of their own before the first sample.
 */
SONDE_API const struct sonde_tracepoint *sonde_trace_tracepoint(struct sonde_trace *t,
								const struct sonde_evsel *evsel);

/** sonde_tracepoint_name - "sched:sched_switch" */
SONDE_API const char *sonde_tracepoint_name(const struct sonde_tracepoint *tp);

/** sonde_tracepoint_field_count - how many fields there are */
SONDE_API size_t sonde_tracepoint_field_count(const struct sonde_tracepoint *tp);

/** sonde_tracepoint_field_at - the i-th field, NULL beyond the last; a view that lives as long as the trace */
SONDE_API const struct sonde_tracepoint_field *sonde_tracepoint_field_at(const struct sonde_tracepoint *tp, size_t i);

/** sonde_tracepoint_field - a field by name, NULL if there is none */
SONDE_API const struct sonde_tracepoint_field *sonde_tracepoint_field(const struct sonde_tracepoint *tp,
								      const char *name);

/*
 * Values in the raw bytes of a sample (sonde_sample.raw). Nothing beyond them is read: false for a field that does not
 * fit or is of another kind.
 */

/** sonde_tracepoint_u64 - an integer of 1, 2, 4 or 8 bytes, sign-extended if the field is signed */
SONDE_API bool sonde_tracepoint_u64(const struct sonde_tracepoint *tp, const struct sonde_tracepoint_field *f,
				    const struct sonde_bytes *raw, uint64_t *out);

/** sonde_tracepoint_element - element @i of an array of integers */
SONDE_API bool sonde_tracepoint_element(const struct sonde_tracepoint *tp, const struct sonde_tracepoint_field *f,
					const struct sonde_bytes *raw, uint64_t i, uint64_t *out);

/** sonde_tracepoint_bytes - the bytes of any field, of a dynamic one those that it points to; a view into @raw */
SONDE_API bool sonde_tracepoint_bytes(const struct sonde_tracepoint *tp, const struct sonde_tracepoint_field *f,
				      const struct sonde_bytes *raw, struct sonde_bytes *out);

/** sonde_tracepoint_string - as above, up to the first NUL */
SONDE_API bool sonde_tracepoint_string(const struct sonde_tracepoint *tp, const struct sonde_tracepoint_field *f,
				       const struct sonde_bytes *raw, struct sonde_str *out);

/** The tool whose text is printed. */
enum sonde_tracepoint_style {
	SONDE_TRACEPOINT_KERNEL,     /* by the print format of the tracepoint, as perf does */
	SONDE_TRACEPOINT_TRACE_CMD,  /* as trace-cmd report does: short forms of some events, drawn function calls */
};

struct sonde_tracepoint_print_opts {
	size_t sz;
	/* Finds the kernel function at an address: its name, a view until the next call, and the offset of the address
	 * in it. Called with @ctx on the calling thread. If it is NULL or returns false, the symbols of a trace.dat are
	 * used, and without those the address is printed. */
	bool (*symbol)(void *ctx, uint64_t address, struct sonde_str *name, uint64_t *offset);
	void *ctx;
	enum sonde_tracepoint_style style;
	/* For the style of trace-cmd: */
	struct sonde_bytes leaf;     /* of a funcgraph_entry without calls: the funcgraph_exit that follows it */
	uint32_t depth;              /* of a function: levels of indentation */
	uint64_t time;               /* of the sample */
	const char *buffer;          /* of the sample; a buffer that outlived a boot has the old kernel's addresses */
};

/**
 * sonde_tracepoint_print - the text that the kernel would print for a sample
 * @opts: NULL for the words of the kernel, and no symbols but those of the trace
 * Writes at most @size bytes with a NUL at their end (@size 0: nothing). Control bytes are printed as '.', but line
 * breaks and tabs in messages of several lines are kept. If only the kernel can evaluate the print format, all fields
 * are printed. Any number of threads may print.
 * Returns the length of the whole text, -SONDE_NOMEM, or -SONDE_USAGE for options that this library does not know.
 */
SONDE_API int sonde_tracepoint_print(const struct sonde_tracepoint *tp, const struct sonde_bytes *raw,
				     const struct sonde_tracepoint_print_opts *opts, char *out, size_t size);

/** sonde_tracepoint_unprintable - why only the kernel can evaluate the print format; NULL if it is not so */
SONDE_API const char *sonde_tracepoint_unprintable(const struct sonde_tracepoint *tp);

#ifdef __cplusplus
}
#endif
#endif
