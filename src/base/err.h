/* SPDX-License-Identifier: MIT */
/* err.h - one shape for every failure: set the error object, return the negative code. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <sonde/types.h>

/**
 * err_set - note the first failure in @e and return -@code
 * @e: may be NULL, and keeps what it holds already: the first cause explains the later ones
 * @at: file offset, SONDE_NONE if the failure has no place
 */
int err_set(struct sonde_error *e, enum sonde_code code, uint64_t at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** err_sys - a failed system call: appends strerror(@sys_errno); EACCES and EPERM become SONDE_DENIED */
int err_sys(struct sonde_error *e, int sys_errno, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** err_nomem - out of memory */
int err_nomem(struct sonde_error *e);

/* @e: may be NULL */
void err_clear(struct sonde_error *e);

#endif
