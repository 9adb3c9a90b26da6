/* SPDX-License-Identifier: MIT */
/**
 * types.h - words that every other header of libsonde uses
 *
 * Conventions of the whole API:
 * - A function that returns int returns 0 or more when it did its work and a negative `enum sonde_code`
 *   (as `-SONDE_CORRUPT`) when it did not; outputs are then untouched.
 * - The `_error` function of a handle tells why its last call failed; a call without a handle fills a struct
 *   sonde_error of the program.
 * - Handles are opaque: `_new` makes one, `_free` takes NULL too. A handle is used by one thread at a time.
 * - A struct that the caller fills begins with `sz`, its size in the caller's build; zero in a member means the
 *   default. Members that an older caller's struct lacks are zero. -SONDE_USAGE: `sz` is 0, or a newer caller has set a
 *   member that this library does not know. A handle made from such options exists, but its `_error` function has that
 *   code, and each further call on it fails in the same way.
 * - A struct that the library fills belongs to the library, which hands out a const pointer; a later version may add
 *   members at its end. So a program does not copy one or make an array of them. Elements come one by one from _at(i),
 *   which is NULL beyond the last. A result without an owner (sonde_check_result, sonde_error) is the caller's and
 *   begins with `sz`.
 * - A struct that both sides use (sonde_sample, sonde_attr) has no `sz`: functions that take one take its size in the
 *   caller's build, too.
 * - These structs are used by value, or in arrays, and never grow: sonde_str, sonde_bytes, sonde_time_range,
 *   sonde_cpu_range, sonde_read_value, sonde_branch, sonde_event_filter.
 * - A pointer is a *view* (borrowed; the comment says until when) or *owned*.
 * - Times are nanoseconds on the clock of the trace; SONDE_NONE stands for an absent 64-bit value.
 */
#ifndef SONDE_TYPES_H
#define SONDE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SONDE_API __attribute__((visibility("default")))

/** An absent time, id or address. */
#define SONDE_NONE UINT64_MAX

/** A view of bytes that are text; not NUL-terminated. */
struct sonde_str {
	const char *p;
	size_t len;
};

/** A view of bytes. */
struct sonde_bytes {
	const uint8_t *p;
	size_t len;
};

enum sonde_code {
	SONDE_SYSTEM = 1,   /* a system call failed; `sys_errno` says why */
	SONDE_NOMEM,        /* out of memory */
	SONDE_USAGE,        /* the caller's arguments make no sense */
	SONDE_FORMAT,       /* not a trace that sonde knows */
	SONDE_CORRUPT,      /* the input contradicts itself */
	SONDE_TRUNCATED,    /* the input ends too early */
	SONDE_UNSUPPORTED,  /* understood, but not offered here (by this machine, kernel or build) */
	SONDE_DENIED,       /* not permitted; the text says what to change */
	SONDE_MISSING,      /* no such event, file, process or symbol */
	SONDE_STOPPED,      /* a function of the program's own ended the call */
};

/**
 * sonde_strerror - what a code means, in a few words: "out of memory"
 * @code: of enum sonde_code, or its negative, as a function returned it
 * Lives for ever; never NULL. The text of a struct sonde_error says more.
 */
SONDE_API const char *sonde_strerror(int code);

/**
 * struct sonde_error - why a call failed, and where
 *
 *	struct sonde_error err = { .sz = sizeof(err) };
 *
 *	if (sonde_check("perf.data", NULL, NULL, &err) < 0)
 *		fprintf(stderr, "perf.data: %s\n", err.text);
 *
 * Handles keep that of their last call, for their _error() function. Functions without a handle fill a struct of the
 * program, or none if they are given NULL; they return -SONDE_USAGE if its `sz` is not set. `code` is 0 if the call did
 * not fail. Of several causes the first is kept.
 */
struct sonde_error {
	size_t sz;
	enum sonde_code code;
	int sys_errno;         /* errno of SONDE_SYSTEM and SONDE_DENIED, else 0 */
	uint64_t file_offset;  /* where in the file, SONDE_NONE if nowhere */
	char text[256];        /* a sentence without file name and offset */
};

/**
 * struct sonde_output - the place that the library writes text to: a descriptor, or a function of the program
 *
 *	struct sonde_output to = { .sz = sizeof(to), .fd = STDERR_FILENO };
 *
 * `write` takes the next @n bytes, which last as long as the call. Its calls come one after the other, each with a
 * large block, but not all from the same thread. It returns 0, or another value to end the call of the library, which
 * then fails with -SONDE_STOPPED.
 * Wherever the library takes a struct sonde_output, NULL stands for the standard output.
 */
struct sonde_output {
	size_t sz;
	int fd;                /* of no importance if `write` is set */
	int (*write)(void *ctx, const void *bytes, size_t n);
	void *ctx;
};

/** sonde_version - version of the library at run time, as "0.1.0" */
SONDE_API const char *sonde_version(void);

#ifdef __cplusplus
}
#endif
#endif
