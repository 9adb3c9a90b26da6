/* SPDX-License-Identifier: MIT */
/**
 * dat_writer.h - write a trace.dat
 *
 *	static const char format[] =
 *		"name: tick\nID: 42\nformat:\n"
 *		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
 *		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
 *		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
 *		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
 *		"print fmt: \"tick\"\n";
 *	struct { uint16_t type; uint8_t flags, preempt_count; int32_t pid; } tick = { 42, 0, 0, 7 };
 *	struct sonde_dat_writer *w = sonde_dat_writer_new();
 *
 *	sonde_dat_writer_open(w, "new.dat", NULL);
 *	sonde_dat_writer_add_format(w, "clock", format, strlen(format));
 *	sonde_dat_writer_set_text(w, SONDE_DAT_CMDLINES, "7 bash\n", 7);
 *	sonde_dat_writer_write(w, 0, 0, 1000000000, &tick, sizeof(tick));
 *	if (sonde_dat_writer_finish(w) < 0)
 *		puts(sonde_dat_writer_error(w)->text);
 *	sonde_dat_writer_free(w);
 *
 * Texts, formats, options, buffers and events may come in any order, up to the end. The pages of each CPU are kept in a
 * file without a name in $TMPDIR until then, so that memory does not grow with the events. Once the writer is open, a
 * call that fails makes every further call fail with the same error, so that it is enough to look at the result of the
 * last one. The file is created for its owner only and gets its name when it is finished; nothing is written through a
 * symbolic link.
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
	enum sonde_rewrite_endian endian;    /* of the file and of the given events; SONDE_ENDIAN_SAME: the host's */
	uint8_t long_size;                   /* of the kernel: 4 or 8; 0: 8 */
	uint32_t page_size;                  /* of the first buffer, a power of two; 0: 4096 */
	const char *clock;                   /* "local", "mono", ...; NULL: "local" */
};

/** sonde_dat_writer_new - NULL only when out of memory */
SONDE_API struct sonde_dat_writer *sonde_dat_writer_new(void);

/** sonde_dat_writer_free - removes a file that is not finished; NULL is accepted */
SONDE_API void sonde_dat_writer_free(struct sonde_dat_writer *w);

/** sonde_dat_writer_error - why the last call on @w failed; never NULL, lives as long as @w */
SONDE_API const struct sonde_error *sonde_dat_writer_error(const struct sonde_dat_writer *w);

/**
 * sonde_dat_writer_open - begin a new trace.dat at @path
 * @opts: may be NULL
 * The first buffer, number 0, exists already and has the name "". A writer that could not be opened can be opened
 * again.
 */
SONDE_API int sonde_dat_writer_open(struct sonde_dat_writer *w, const char *path,
				    const struct sonde_dat_writer_opts *opts);

enum sonde_dat_text {
	SONDE_DAT_HEADER_PAGE,    /* events/header_page; made from the size of page and long if it is not set */
	SONDE_DAT_HEADER_EVENT,   /* events/header_event; as above */
	SONDE_DAT_KALLSYMS,       /* /proc/kallsyms */
	SONDE_DAT_PRINTK,         /* printk_formats */
	SONDE_DAT_CMDLINES,       /* saved_cmdlines: lines of a thread's number and name */
};

/**
 * sonde_dat_writer_set_text - set one of the texts of the trace, as the kernel has it in the file of that name
 * Copied; replaces the text that was set before.
 */
SONDE_API int sonde_dat_writer_set_text(struct sonde_dat_writer *w, enum sonde_dat_text which, const char *text,
					size_t n);

/** sonde_dat_writer_add_format - add the text of an event's `format` file; copied */
SONDE_API int sonde_dat_writer_add_format(struct sonde_dat_writer *w, const char *system, const char *text, size_t n);

/**
 * sonde_dat_writer_add_option - add an option, as it is to lie in the file, in the byte order of the file; copied
 * @id: an id that sonde_option_name() knows, but not of an option that says where something lies in the file: the
 *	writer makes those itself. It adds the clock (TRACECLOCK) too, if no option has it.
 */
SONDE_API int sonde_dat_writer_add_option(struct sonde_dat_writer *w, uint16_t id, const void *data, size_t n);

/**
 * sonde_dat_writer_add_buffer - add a buffer, like that of a tracing instance
 * @clock: NULL: the clock of the first buffer
 * @page_size: 0: the page size of the first buffer, which version 6 demands
 * Returns the number of the buffer.
 */
SONDE_API int sonde_dat_writer_add_buffer(struct sonde_dat_writer *w, const char *name, const char *clock,
					  uint32_t page_size);

/**
 * sonde_dat_writer_write - write an event: @n bytes as the kernel has them in its ring buffer, from common_type on
 * @time: in ticks of the buffer's clock; events of one CPU of a buffer come in the order of time
 */
SONDE_API int sonde_dat_writer_write(struct sonde_dat_writer *w, uint32_t buffer, uint32_t cpu, uint64_t time,
				     const void *event, size_t n);

/** sonde_dat_writer_lost - note that @count events were lost before the next one of this CPU; SONDE_NONE: unknown */
SONDE_API int sonde_dat_writer_lost(struct sonde_dat_writer *w, uint32_t buffer, uint32_t cpu, uint64_t count);

/** sonde_dat_writer_max_event - the most bytes that an event of a buffer can have; 0 if there is no such buffer */
SONDE_API size_t sonde_dat_writer_max_event(const struct sonde_dat_writer *w, uint32_t buffer);

/** sonde_dat_writer_finish - complete the file and give it its name */
SONDE_API int sonde_dat_writer_finish(struct sonde_dat_writer *w);

#ifdef __cplusplus
}
#endif
#endif
