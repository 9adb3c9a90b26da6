/* SPDX-License-Identifier: MIT */
/**
 * dat_writer.h - write a trace.dat
 *
 *	struct sonde_dat_writer *w = sonde_dat_writer_new();
 *	sonde_dat_writer_open(w, "new.dat", NULL);
 *	sonde_dat_writer_add_format(w, "sched", format, strlen(format));
 *	sonde_dat_writer_set_text(w, SONDE_DAT_CMDLINES, "7 bash\n", 7);
 *	while (there are more)
 *		sonde_dat_writer_write(w, 0, cpu, time, event, size);
 *	sonde_dat_writer_finish(w);
 *	sonde_dat_writer_free(w);
 *
 * What is said about the trace and its events may come in any order, up to the end. The pages of each CPU are kept in a file without
 * a name in $TMPDIR until then, so that memory does not grow with the events. After the first failure every further call fails with
 * it. The file is created for its owner only and has its name once it is finished; nothing is written through a symbolic link.
 */
#ifndef SONDE_DAT_WRITER_H
#define SONDE_DAT_WRITER_H

#include <sonde/rewrite.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_dat_writer;

struct sonde_dat_writer_opts {
	size_t sz;
	uint32_t version;                    /* 6 or 7; 0: 7 */
	enum sonde_compression compression;  /* SONDE_COMPRESSION_SAME: none; version 6 has none */
	uint32_t level;                      /* 0: the compressor's own */
	enum sonde_rewrite_endian endian;    /* of the events that are given, and so of the file; SONDE_ENDIAN_SAME: the host's */
	uint8_t long_size;                   /* of the kernel: 4 or 8; 0: 8 */
	uint32_t page_size;                  /* of the first buffer, a power of two; 0: 4096 */
	const char *clock;                   /* "local", "mono", ...; NULL: "local" */
};

/** sonde_dat_writer_new - NULL only when out of memory */
SONDE_API struct sonde_dat_writer *sonde_dat_writer_new(void);

/** sonde_dat_writer_free - a file that is not finished is removed */
SONDE_API void sonde_dat_writer_free(struct sonde_dat_writer *w);

/** sonde_dat_writer_error - why the last call on @w failed; never NULL, lives as long as @w */
SONDE_API const struct sonde_error *sonde_dat_writer_error(const struct sonde_dat_writer *w);

/** sonde_dat_writer_open - begin a new trace.dat at @path; its first buffer, number 0, is there and has the name "" */
SONDE_API int sonde_dat_writer_open(struct sonde_dat_writer *w, const char *path, const struct sonde_dat_writer_opts *opts);

enum sonde_dat_text {
	SONDE_DAT_HEADER_PAGE,    /* events/header_page; made from the size of page and long if it is not set */
	SONDE_DAT_HEADER_EVENT,   /* events/header_event; as above */
	SONDE_DAT_KALLSYMS,       /* /proc/kallsyms */
	SONDE_DAT_PRINTK,         /* printk_formats */
	SONDE_DAT_CMDLINES,       /* saved_cmdlines: lines of a thread's number and name */
};

/** sonde_dat_writer_set_text - a text as the kernel has it in the file that it is named after; copied; replaces what was set before */
SONDE_API int sonde_dat_writer_set_text(struct sonde_dat_writer *w, enum sonde_dat_text which, const char *text, size_t n);

/** sonde_dat_writer_add_format - the text of an event's `format` file; copied. Those of one system may come in any order. */
SONDE_API int sonde_dat_writer_add_format(struct sonde_dat_writer *w, const char *system, const char *text, size_t n);

/**
 * sonde_dat_writer_add_option - an option as it will lie in the file, in its byte order; copied
 * @id: of those that sonde_option_name() knows; not one that says where something is, which the writer knows itself. The clock
 * (TRACECLOCK) is added if no option says it.
 */
SONDE_API int sonde_dat_writer_add_option(struct sonde_dat_writer *w, uint16_t id, const void *data, size_t n);

/**
 * sonde_dat_writer_add_buffer - one more buffer, as that of an instance
 * @clock: NULL: that of the first; @page_size: 0: that of the first, which version 6 demands
 * Returns its number.
 */
SONDE_API int sonde_dat_writer_add_buffer(struct sonde_dat_writer *w, const char *name, const char *clock, uint32_t page_size);

/**
 * sonde_dat_writer_write - one event: @n bytes as the kernel has them in its ring buffer, from common_type on
 * Events of one CPU of a buffer come in the order of @time, the clock's own ticks.
 */
SONDE_API int sonde_dat_writer_write(struct sonde_dat_writer *w, uint32_t buffer, uint32_t cpu, uint64_t time, const void *event,
				     size_t n);

/** sonde_dat_writer_lost - @count events were lost before the next one of this CPU; SONDE_NONE: not known how many */
SONDE_API int sonde_dat_writer_lost(struct sonde_dat_writer *w, uint32_t buffer, uint32_t cpu, uint64_t count);

/** sonde_dat_writer_max_event - the most bytes that an event of a buffer can have; 0 when there is no such buffer */
SONDE_API size_t sonde_dat_writer_max_event(const struct sonde_dat_writer *w, uint32_t buffer);

/** sonde_dat_writer_finish - complete the file and give it its name */
SONDE_API int sonde_dat_writer_finish(struct sonde_dat_writer *w);

#ifdef __cplusplus
}
#endif
#endif
